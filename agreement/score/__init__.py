"""IoU-gated token F1 of annotations against annotations."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
