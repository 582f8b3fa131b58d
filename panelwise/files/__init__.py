"""Read and write JSON lines, large JSON files and tables safely."""
