"""A campaign's home, guidelines, templates, and the rules on what is hidden from blind reviewers."""
