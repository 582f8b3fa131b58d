"""Detect repeated ids, and repeated work, of a file, in little memory."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from panelwise.domain.annotation import UNKNOWN_TIME


class Seen:
    """Remembers ids with their places ("file:line"), regardless of their length.

    Only a 64-bit hash of each id is stored, and its line. Any two of a million ids collide with a probability of 1
    in 10 million; the second would be reported as a repetition of the first, with both places.
    """

    def __init__(self) -> None:
        self._places: dict[int, int | str] = {}
        #: How the first place begins: "file:".
        self._file = ""

    def earlier(self, name: str, where: str) -> str | None:
        """Return the earlier place of the id; None for a new id, which is remembered."""
        key = hash(name)
        known = self._places.get(key)
        if known is None:
            self._places[key] = self._line(where)
            return None
        return f"{self._file}{known}" if isinstance(known, int) else known

    def _line(self, where: str) -> int | str:
        """Return the number of a line of the file; another place as it is."""
        if not self._file:
            self._file = where.rpartition(":")[0] + ":"
        line = where.removeprefix(self._file)
        return int(line) if line.isascii() and line.isdecimal() else where


class EarlierWork(NamedTuple):
    """Work on one figure that is in a file before.

    same_time: it was saved at the same time. timeless: both records do not say when.
    """

    where: str
    same_time: bool
    timeless: bool = False


class SeenWork:
    """Remembers the work in a file, by figure, annotator, phase and revision; see `Seen`."""

    def __init__(self) -> None:
        self._works, self._moments = Seen(), Seen()

    def earlier(
        self, figure: str, annotator: str, phase: str, revision: int, saved_at: datetime, where: str
    ) -> EarlierWork | None:
        """Return the earlier work, saved at the same time if there is such; None for new work."""
        work = "\0".join((figure, annotator, phase, str(revision)))
        first = self._works.earlier(work, where)
        same = self._moments.earlier(f"{work}\0{saved_at.isoformat()}", where)
        if first is None:
            return None
        return EarlierWork(same or first, same is not None, same is not None and saved_at == UNKNOWN_TIME)


def repeated_work(figure: str, annotator: str, phase: str, earlier: EarlierWork) -> str:
    """Return the message for work that is in its file before."""
    both = "both without a time" if earlier.timeless else "saved at the same time"
    same = f", {both}" if earlier.same_time else ""
    return f'figure "{figure}" by "{annotator}" in phase "{phase}" is there before ({earlier.where}{same})'
