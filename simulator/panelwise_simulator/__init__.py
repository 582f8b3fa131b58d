"""Simulated compound figures with captions and the exact truth, drawn by seed."""
