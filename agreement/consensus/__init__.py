"""Boxes and words on which several annotators agree, merged into one candidate."""
