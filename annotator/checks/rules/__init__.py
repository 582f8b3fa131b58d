"""The guideline checks themselves."""
