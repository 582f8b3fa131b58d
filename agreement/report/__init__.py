"""Agreement reports as values, and as text, JSON, CSV, HTML and LaTeX."""
