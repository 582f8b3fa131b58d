"""What every request goes through: sessions, access, errors, logs."""
