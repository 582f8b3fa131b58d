"""Phrases and words that captions are made of, by subject."""
