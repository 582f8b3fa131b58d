"""The building blocks of the score: IoU, matching, token F1 and its default settings."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
