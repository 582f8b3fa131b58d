"""From published articles to the figures that are worth annotating."""
