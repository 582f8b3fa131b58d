"""Training figures composed of real pictures, with the exact truth."""
