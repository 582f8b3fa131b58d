"""IoU-gated token F1 of annotations against annotations."""
