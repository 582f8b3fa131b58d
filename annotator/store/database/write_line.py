"""The line of threads that wait for a store's write lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from panelwise.domain import StoreBusy

#: Seconds without progress after which a full line accepts nobody.
PATIENCE = 2.0


class WriteLine:
    """Limits how many threads of a server wait for the write lock, so that others are left to answer.

    While writers make progress, a thread that finds the line full waits for a place. If for PATIENCE seconds none
    of those in it got the lock, as when another process keeps it, the thread is refused.
    """

    def __init__(self, where: str, most: int) -> None:
        self._where = where
        self._most = most
        self._changed = threading.Condition()
        self._waiting = 0
        #: When the line last moved: somebody joined an empty line, or left it.
        self._moved = 0.0

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait in line for the lock, which the body acquires. Raises StoreBusy if the line is full."""
        with self._changed:
            while self._waiting >= self._most:
                left = self._moved + PATIENCE - time.monotonic()
                if left <= 0:
                    raise StoreBusy(f"{self._where}: too many writers wait for another process; try again")
                self._changed.wait(left)
            if not self._waiting:
                self._moved = time.monotonic()
            self._waiting += 1
        try:
            yield
        except BaseException:
            self._leave(moved=False)
            raise
        self._leave(moved=True)

    def _leave(self, *, moved: bool) -> None:
        with self._changed:
            self._waiting -= 1
            if moved:
                self._moved = time.monotonic()
            self._changed.notify()
