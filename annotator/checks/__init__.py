"""Check annotations against the guidelines."""
