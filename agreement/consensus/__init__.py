"""Boxes and words on which several annotators agree, merged into one candidate."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
