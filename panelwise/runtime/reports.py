"""Reports on many items: faults of the program on one of them, and lines that say the same of several."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from panelwise.domain.errors import one_line

#: The log of the program's faults on one of many items, which must not stop the others, with their tracebacks.
#: Commands have no log; servers write it to theirs.
FAULTS_LOGGER = "panelwise.faults"
_logger = logging.getLogger(FAULTS_LOGGER)
_logger.addHandler(logging.NullHandler())


def record_fault(error: Exception) -> str:
    """Log an unexpected error with its traceback; return its kind, message and place for the line on its item."""
    _logger.error("an item was left out by a fault of the program", exc_info=error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f", at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return one_line(f"{type(error).__name__}: {error}{place}")


#: What differs between messages of one kind: names in quotes, and numbers.
_VARIES = re.compile(r'"[^"]*"|\d+')
#: Messages of a kind that are shown in full.
_SHOWN = 3


def kind_of(message: str) -> str:
    """Return what messages that say the same of different records have in common."""
    return _VARIES.sub("#", message)


@dataclass(slots=True)
class SameLines:
    """Passes on lines of the form "place: message" until _SHOWN are of one kind; the others are counted.

    report: called with each line to show.
    """

    report: Callable[[str], None]
    _counts: dict[str, int] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def add(self, line: str) -> None:
        """Show a line, or count it."""
        kind = kind_of(line)
        self._counts[kind] = count = self._counts.get(kind, 0) + 1
        if count <= _SHOWN:
            self.report(line)
        else:
            self._last[kind] = line

    def finish(self) -> None:
        """Show how many lines of each kind there were besides those shown; call it at the end of the work."""
        for kind, line in self._last.items():
            hidden = self._counts[kind] - _SHOWN
            self.report(line if hidden == 1 else f"{line} (and {hidden - 1} more like this)")
        self._last.clear()
