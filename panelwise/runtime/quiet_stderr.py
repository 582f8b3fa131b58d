"""Silence for libraries in C that write to the process's standard error as they please."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2


@contextmanager
def no_chatter() -> Iterator[None]:
    """Nothing that anybody in this process writes to file descriptor 2 appears meanwhile: keep it short.

    Where there is no such descriptor, nothing is done.
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
