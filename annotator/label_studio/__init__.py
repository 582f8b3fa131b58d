"""The adapter to Label Studio: nothing else knows its API."""
