"""Scores of every annotator against every other, by pair and by figure."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
