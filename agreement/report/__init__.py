"""Agreement reports as values, and as text, JSON, CSV, HTML and LaTeX."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
