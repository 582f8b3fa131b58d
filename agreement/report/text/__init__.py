"""Reports as text within 80 columns."""
