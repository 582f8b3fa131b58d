"""The building blocks of the score: IoU, matching, token F1 and its default settings."""
