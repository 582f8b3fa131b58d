"""The annotations of a whole campaign as arrays, so that large ones are scored fast."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
