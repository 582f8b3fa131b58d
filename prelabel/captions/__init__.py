"""Which words of a caption describe which panel, without a model."""
