"""Scores of every annotator against every other, by pair and by figure."""
