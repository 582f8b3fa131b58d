"""The rules on one figure: whose work counts, what differs, what makes gold."""
