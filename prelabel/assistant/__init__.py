"""A language model, asked by an OpenAI-compatible address, that reads captions into the text of panels."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
