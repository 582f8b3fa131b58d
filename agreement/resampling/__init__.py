"""Confidence intervals by resampling figures or articles."""
