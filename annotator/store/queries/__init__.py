"""What the store is asked, a group of tables a file."""
