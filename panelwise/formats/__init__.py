"""File layouts: figures, annotations, MedICaT, COCO, SciVQA and Label Studio's export."""
