"""Reviewers decide on figure types and question-answer pairs."""
