"""Check, copy, snapshot and rename over a whole store."""
