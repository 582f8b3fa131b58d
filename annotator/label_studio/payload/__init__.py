"""Figures and work as Label Studio's JSON, and back."""
