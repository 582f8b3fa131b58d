"""Pre-labels of compound figures: boxes and subcaptions, with and without trained models."""
