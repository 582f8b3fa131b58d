"""Messages about a figure between reviewers and its annotators: work sent back with a reason, and comments."""
