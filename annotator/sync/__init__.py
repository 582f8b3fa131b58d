"""Push tasks to Label Studio and pull submitted work back."""
