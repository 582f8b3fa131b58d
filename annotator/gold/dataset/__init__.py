"""A release as a dataset that others can load, check and cite."""
