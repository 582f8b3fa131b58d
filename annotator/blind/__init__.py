"""Blind phases: reviewers write subcaptions without seeing anybody's."""
