"""`campaign.toml` and secrets: what people set."""
