"""Read and fetch image files, and make placeholders."""
