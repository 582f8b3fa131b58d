"""File layouts: figures, annotations, MedICaT, COCO, SciVQA and Label Studio's export."""

from panelwise.faces import face

__all__, __getattr__, __dir__ = face(__name__, __file__)
