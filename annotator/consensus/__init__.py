"""The rules on one figure: which work counts, what differs, what makes gold."""
