"""Models as Label Studio's ML backend."""
