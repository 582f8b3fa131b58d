"""A draft that came too late beside the decision that came first: how they differ, and both merged."""
