"""The reviewers' queue: its order, its filters, and who is on which figure."""
