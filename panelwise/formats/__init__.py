"""The layouts of files: figures, annotations, MedICaT, COCO, SciVQA and Label Studio's export."""
