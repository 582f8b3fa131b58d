"""The campaign's store: SQLite or PostgreSQL."""
