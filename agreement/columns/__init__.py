"""The annotations of a whole campaign as arrays."""
