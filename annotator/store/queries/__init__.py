"""Queries of the store, one file for each group of tables."""
