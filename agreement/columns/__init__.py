"""The annotations of a whole campaign as arrays, so that large ones are scored fast."""
