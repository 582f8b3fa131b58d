"""Tasks on Panelwise's own screens, each open to one person only: an annotator's, and a reviewer's blind ones."""
