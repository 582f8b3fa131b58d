"""Tasks to Label Studio, and submitted work back."""
