"""Figures, captions, boxes, annotations, decisions and campaigns. Standard library only."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
