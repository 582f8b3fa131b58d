"""Read annotation files straight into columns."""
