"""Models or annotators against one gold: scores, ranking, average precision."""
