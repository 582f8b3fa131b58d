"""The `annotator` command: one subcommand a file."""
