"""Backup, restore, upgrade, checks of a campaign, and renaming a person."""
