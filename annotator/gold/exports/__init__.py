"""What `annotator export` writes: a file for each format, and a row in `registry`."""
