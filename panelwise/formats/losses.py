"""Count data that a layout cannot represent while writing, to warn afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator


class Losses:
    """Counts of data that a file cannot represent, by kind.

    layout: the file's, as named in messages. Data is either stored under a key that readers of the layout ignore
    and Panelwise reads, or left out.
    """

    def __init__(self, layout: str) -> None:
        self.layout = layout
        self._aside: Counter[tuple[str, str]] = Counter()
        self._left_out: Counter[tuple[str, str]] = Counter()

    def aside(self, what: str, count: int = 1, *, key: str) -> None:
        """Count data stored under `key`. what: plural, such as "subcaptions"."""
        if count:
            self._aside[what, key] += count

    def left_out(self, what: str, count: int = 1, *, instead: str = "") -> None:
        """Count data that is not in the file. instead: where the user can find it."""
        if count:
            self._left_out[what, instead] += count

    @property
    def count(self) -> int:
        """Number of data left out of the file."""
        return self._left_out.total()

    def lines(self) -> Iterator[str]:
        """Yield one line per kind of data, what is left out first."""
        for (what, instead), count in self._left_out.items():
            more = f"; {instead}" if instead else ""
            yield f"{self.layout} cannot represent {what}: {count} left out{more}"
        for (what, key), count in self._aside.items():
            yield f'{self.layout} cannot represent {what}: {count} kept under the extra key "{key}"'
