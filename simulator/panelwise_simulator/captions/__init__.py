"""Captions with the spans of every panel, written from a grammar."""
