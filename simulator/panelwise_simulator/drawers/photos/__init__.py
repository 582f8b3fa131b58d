"""Photographs of benches, plants and bodies."""
