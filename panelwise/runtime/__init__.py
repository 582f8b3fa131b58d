"""Processes, sockets, batches and atomic writes."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
