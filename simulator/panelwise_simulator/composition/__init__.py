"""Layouts, letters, themes and styles, composed into one figure."""
