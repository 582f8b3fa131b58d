"""Reviewers decide on figures: what they see, and how a decision is saved."""
