"""The commands `annotator`, `agreement` and `prelabel`, a folder each."""
