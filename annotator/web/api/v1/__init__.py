"""The HTTP API, version 1: read a campaign and save decisions, with a token."""
