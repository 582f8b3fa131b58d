"""Splitting an image into panels, without a model."""
