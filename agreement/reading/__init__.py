"""Annotation files straight into columns."""
