"""Score pre-labels against gold, and produce the paper's table of results."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
