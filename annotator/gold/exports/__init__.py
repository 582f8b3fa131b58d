"""The formats of `annotator export`: a module for each, and a row in `registry`."""
