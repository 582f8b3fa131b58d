"""Agreement reports as values, and as text, JSON, CSV and HTML."""
