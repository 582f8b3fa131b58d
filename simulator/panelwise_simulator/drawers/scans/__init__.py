"""Radiology: films, sections, ultrasound, vessels."""
