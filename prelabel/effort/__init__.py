"""The editing work that predictions leave to annotators."""
