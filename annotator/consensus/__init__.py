"""The rules on one figure: which work counts, what differs, and whether it is gold without a review."""
