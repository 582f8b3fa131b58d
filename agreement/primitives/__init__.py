"""Boxes, token sets and the rules of the score."""
