"""Reading, fetching and standing in for image files."""
