"""The pre-labeller without weights: splitter and caption parser put together."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
