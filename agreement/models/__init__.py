"""Models or annotators against one gold: scores, ranking, average precision."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
