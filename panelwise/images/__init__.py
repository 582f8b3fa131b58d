"""Read and fetch image files, and make placeholders."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
