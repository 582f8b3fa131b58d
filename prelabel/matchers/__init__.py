"""Matchers: whether a text describes an image."""
