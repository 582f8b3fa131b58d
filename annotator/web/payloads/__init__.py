"""The JSON that goes to the screens: the one place that knows its keys."""
