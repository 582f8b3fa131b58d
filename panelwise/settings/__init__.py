"""`campaign.toml` and secrets: the settings that people edit."""
