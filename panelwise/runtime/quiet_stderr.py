"""Silence C libraries that write to standard error directly."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2


@contextmanager
def no_chatter() -> Iterator[None]:
    """Discard all that this process writes to file descriptor 2 meanwhile; use it briefly.

    Without that descriptor it does nothing.
    """
    try:
        kept = os.dup(_STDERR)
    except OSError:
        yield
        return
    try:
        away = os.open(os.devnull, os.O_WRONLY)
        os.dup2(away, _STDERR)
        os.close(away)
        yield
    finally:
        os.dup2(kept, _STDERR)
        os.close(kept)
