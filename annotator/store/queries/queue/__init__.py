"""The stored queue: places, search, and who is on which figure."""
