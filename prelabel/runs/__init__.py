"""Running a pre-labeller over many figures: on all cores, in shards, on Ray, resumable."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
