"""Free ports, for programs that need to know theirs before they start."""

from __future__ import annotations

import secrets
import socket

#: Below those that the system gives to whoever asks for any: such a one could be gone before the program is there.
FIRST, COUNT = 20_000, 12_000


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    while True:
        port = FIRST + secrets.randbelow(COUNT)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
