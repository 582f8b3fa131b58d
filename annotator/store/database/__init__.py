"""Opening a database, its tables and its errors."""
