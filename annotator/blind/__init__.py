"""Blind phases: reviewers write subcaptions without seeing anyone else's."""
