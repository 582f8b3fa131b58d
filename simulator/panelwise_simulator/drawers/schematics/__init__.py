"""Diagrams, flow charts, sequences and maps."""
