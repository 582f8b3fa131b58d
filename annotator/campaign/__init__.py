"""A campaign's home, settings, guidelines, templates and pseudonyms, and what is hidden from blind reviewers."""
