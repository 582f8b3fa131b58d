"""Domain values to rows and back."""
