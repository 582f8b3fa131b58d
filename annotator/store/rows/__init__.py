"""Convert domain values to rows and back."""
