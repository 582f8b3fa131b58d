"""Gold figures as training examples, split by article."""
