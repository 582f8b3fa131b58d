"""Reading and writing JSON lines, large JSON files and tables safely."""
