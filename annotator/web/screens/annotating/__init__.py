"""Screens of people who annotate: figures of a blind phase, and tasks of their own."""
