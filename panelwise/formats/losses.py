"""What a layout has no place for: counted while it is written, and told afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator


class Losses:
    """Counts of what a file could not hold as it is, by what it was.

    layout: the file's, as messages name it. A thing is either kept aside, under a key that readers of the layout
    pass over and Panelwise reads again, or left out of the file altogether.
    """

    def __init__(self, layout: str) -> None:
        self.layout = layout
        self._aside: Counter[tuple[str, str]] = Counter()
        self._left_out: Counter[tuple[str, str]] = Counter()

    def aside(self, what: str, count: int = 1, *, key: str) -> None:
        """Note things kept under `key`. what: in the plural, such as "subcaptions"."""
        if count:
            self._aside[what, key] += count

    def left_out(self, what: str, count: int = 1, *, instead: str = "") -> None:
        """Note things that are not in the file. instead: where they can be had, as a user is to be told."""
        if count:
            self._left_out[what, instead] += count

    @property
    def count(self) -> int:
        """How many things are not in the file at all."""
        return self._left_out.total()

    def lines(self) -> Iterator[str]:
        """One line for each kind of thing, what is left out first."""
        for (what, instead), count in self._left_out.items():
            more = f"; {instead}" if instead else ""
            yield f"{self.layout} has no place for {what}: {count} left out{more}"
        for (what, key), count in self._aside.items():
            yield f'{self.layout} has no place for {what}: {count} kept under the extra key "{key}"'
