"""Who may call what in the Label Studio that we start: loaded by its process, from its own environment."""
