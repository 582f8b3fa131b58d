"""Agreement over time, between phases, and of annotators with themselves."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
