"""Detect repeated ids of a file, in little memory."""

from __future__ import annotations


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
