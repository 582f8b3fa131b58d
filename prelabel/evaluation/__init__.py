"""Scoring pre-labels against gold, and the paper's table of results."""
