"""Tasks of a phase on Panelwise's own annotation screen, each open to its annotator only."""
