"""Pictures of every page: campaigns in many states, their pages, and what is wrong with these."""
