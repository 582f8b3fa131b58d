"""The two demo campaigns."""
