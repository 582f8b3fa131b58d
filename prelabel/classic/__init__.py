"""The pre-labeller without weights: splitter and caption parser put together."""
