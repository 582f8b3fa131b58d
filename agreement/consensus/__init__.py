"""Subfigures that several annotators have together."""
