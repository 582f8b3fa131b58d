"""Steps of every request: sessions, access, errors, logs."""
