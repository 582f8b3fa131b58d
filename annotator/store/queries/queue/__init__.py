"""The stored queue: places, search, which reviewer is on which figure, and who has seen which."""
