"""Convert figures and work to Label Studio's JSON, and back."""
