"""Models that find the boxes of subfigures."""
