"""The `agreement` command: one subcommand a file."""
