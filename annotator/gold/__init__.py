"""Exports of work and gold, and numbered releases."""
