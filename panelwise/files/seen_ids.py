"""Detect repeated ids of a file, in little memory."""

from __future__ import annotations

from array import array

_EMPTY = 0
#: Initial slots; a power of two, doubled when two thirds are used.
_SLOTS = 1 << 10
_MASK64 = (1 << 64) - 1


class Seen:
    """Remembers ids with their places ("file:line") at 18 to 36 bytes each, regardless of their length.

    Only a 64-bit hash of each id is stored. Any two of a million ids collide with a probability of 1 in 10
    million; the second would be reported as a repetition of the first, with both places.
    """

    def __init__(self) -> None:
        self._slots = _SLOTS
        self._hashes = array("Q", bytes(8 * _SLOTS))
        self._lines = array("I", bytes(4 * _SLOTS))
        self._count = 0
        #: Places that are not of the form "file:line" with the first one's file.
        self._others: list[str] = []
        #: How the first place begins: "file:".
        self._file = ""

    def earlier(self, name: str, where: str) -> str | None:
        """Return the earlier place of the id; None for a new id, which is remembered."""
        wanted = (hash(name) & _MASK64) or 1
        mask, hashes = self._slots - 1, self._hashes
        slot = wanted & mask
        while hashes[slot] != _EMPTY:
            if hashes[slot] == wanted:
                return self._place(self._lines[slot])
            slot = (slot + 1) & mask
        hashes[slot] = wanted
        self._lines[slot] = self._coded(where)
        self._count += 1
        if 3 * self._count > 2 * self._slots:
            self._grow()
        return None

    def _coded(self, where: str) -> int:
        """Return an even number (twice the line) for a line of the file, an odd one for another place."""
        if not self._file:
            self._file = where.rpartition(":")[0] + ":"
        line = where[len(self._file) :]
        # Twice the number must fit into 32 bits.
        if line.isdecimal() and len(line) < 10 and where.startswith(self._file):
            return 2 * int(line)
        self._others.append(where)
        return 2 * len(self._others) - 1

    def _place(self, coded: int) -> str:
        return self._others[coded // 2] if coded % 2 else f"{self._file}{coded // 2}"

    def _grow(self) -> None:
        hashes, lines = self._hashes, self._lines
        self._slots *= 2
        self._hashes = array("Q", bytes(8 * self._slots))
        self._lines = array("I", bytes(4 * self._slots))
        mask = self._slots - 1
        for each, line in zip(hashes, lines, strict=True):
            if each == _EMPTY:
                continue
            slot = each & mask
            while self._hashes[slot] != _EMPTY:
                slot = (slot + 1) & mask
            self._hashes[slot], self._lines[slot] = each, line
