"""Figures, captions, boxes, annotations, decisions and campaigns. Standard library only."""
