"""Read annotation files straight into columns."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
