"""Drawers of the panels, a room for each family."""
