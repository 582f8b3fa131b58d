"""A campaign's home, guidelines, templates, and what is hidden from whom."""
