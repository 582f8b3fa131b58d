"""Stained tissue, microscopy and gels."""
