"""Ground that everything in Panelwise shares: the domain, files and their formats, settings, images."""
