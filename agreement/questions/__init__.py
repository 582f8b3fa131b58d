"""Agreement on figure types, question-answer pairs and answers."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
