"""Models that give each box its words of the caption."""
