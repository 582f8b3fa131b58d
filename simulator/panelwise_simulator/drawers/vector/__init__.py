"""Tools of plots and diagrams: glyphs, sheets, styles, scales, axes."""
