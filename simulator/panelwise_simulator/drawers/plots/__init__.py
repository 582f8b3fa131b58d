"""Charts, curves, distributions and matrices."""
