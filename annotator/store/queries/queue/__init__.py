"""The stored queue: places, search, and which reviewer is on which figure."""
