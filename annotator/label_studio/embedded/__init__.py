"""The campaign's own Label Studio on this machine."""
