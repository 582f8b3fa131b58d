"""Agreement over time, between phases, and of annotators with themselves."""
