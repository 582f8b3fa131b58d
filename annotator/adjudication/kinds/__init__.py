"""Hold what each kind of annotation says of its parts: as they are sent and shown, in words, merged."""
