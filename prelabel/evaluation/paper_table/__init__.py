"""The results table of the MedICaT paper: oracles and systems on gold and predicted boxes, and their errors."""
