"""Boxes, token sets and the rules that the score is made from."""
