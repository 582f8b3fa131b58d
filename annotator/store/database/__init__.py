"""Open a database; its tables and errors."""
