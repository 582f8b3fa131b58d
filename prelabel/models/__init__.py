"""Ground that all trained models share: checkpoints, devices, image sizes, downloads."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
