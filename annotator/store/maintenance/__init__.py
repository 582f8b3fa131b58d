"""Checking, copying, snapshots and renaming over a whole store."""
