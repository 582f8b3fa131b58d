"""Progress as lines, for a background job whose output goes to a file."""

from __future__ import annotations

import re

#: Set for a command that prints its progress as lines.
PROGRESS_LINES = "PANELWISE_PROGRESS_LINES"

_LINE = re.compile(r"^(?P<label>[^\n:]{1,80}): (?P<done>\d{1,12})(?: of (?P<total>\d{1,12}))?$")


def progress_line(label: str, done: int, total: int | None) -> str:
    """The line that says how many of a total are done; total: None if it is unknown."""
    return f"{label}: {done}" if total is None else f"{label}: {done} of {total}"


def read_progress(text: str) -> tuple[str, int, int | None] | None:
    """The label, done and total of the last such line of a text; None without any."""
    for line in reversed(text.split("\n")):
        found = _LINE.match(line)
        if found:
            total = found["total"]
            return found["label"], int(found["done"]), None if total is None else int(total)
    return None
