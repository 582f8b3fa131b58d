"""One decision from the splitter, a trained detector and the caption."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
