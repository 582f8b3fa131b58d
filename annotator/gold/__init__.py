"""Gold as files and as releases."""
