"""Read and write JSON lines, large JSON files and tables safely."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
