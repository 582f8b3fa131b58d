"""Messages that say the same of many records: the first ones in full, the others counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

#: What differs between messages of one kind: names in quotes, and numbers.
_VARIES = re.compile(r'"[^"]*"|\d+')
#: Messages of a kind that are shown in full.
SHOWN = 3


def kind_of(message: str) -> str:
    """Return what messages that say the same of different records have in common."""
    return _VARIES.sub("#", message)


@dataclass(slots=True)
class SameLines:
    """Passes on lines of the form "place: message" until SHOWN are of one kind; the others are counted.

    report: called with each line to show.
    """

    report: Callable[[str], None]
    _counts: dict[str, int] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def add(self, line: str) -> None:
        """Show a line, or count it."""
        kind = kind_of(line)
        self._counts[kind] = count = self._counts.get(kind, 0) + 1
        if count <= SHOWN:
            self.report(line)
        else:
            self._last[kind] = line

    def finish(self) -> None:
        """Show how many lines of each kind there were besides those shown; call it at the end of the work."""
        for kind, line in self._last.items():
            hidden = self._counts[kind] - SHOWN
            self.report(line if hidden == 1 else f"{line} (and {hidden - 1} more like this)")
        self._last.clear()
