"""Reports as one HTML file that works offline."""
