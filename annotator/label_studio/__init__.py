"""The adapter to Label Studio; no other package knows its API."""
