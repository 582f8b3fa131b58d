"""Keys that stand for tasks in addresses."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from panelwise.domain import Task


class TaskKeys:
    """Keys of tasks in addresses: they cannot be guessed, and do not reveal the figure or its annotator."""

    def __init__(self, secret: bytes) -> None:
        # Named after the tasks that first had keys, whose addresses stay.
        self._secret = hashlib.sha256(b"blind tasks\0" + secret).digest()

    def of(self, task: Task) -> str:
        """The key of a task: HMAC of phase, annotator and figure."""
        parts = (task.phase.encode(), task.annotator.encode(), task.figure.encode())
        message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()[:32]

    def place_of(self, key: str, tasks: Iterable[Task]) -> int | None:
        """Return the place, from 1, of a key's task; None if it is none of these."""
        wanted = key.encode()
        for place, task in enumerate(tasks, start=1):
            if hmac.compare_digest(self.of(task).encode(), wanted):
                return place
        return None
