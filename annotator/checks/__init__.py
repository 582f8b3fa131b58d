"""Checking work against the guidelines."""
