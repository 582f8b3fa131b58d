"""A Label Studio of the campaign's own on this machine."""
