"""The documentation on the server: its pages, and which of them helps on which screen."""
