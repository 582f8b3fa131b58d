"""The adjudication view: pages, JSON for the screens, and the server."""
