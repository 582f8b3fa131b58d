"""Numbers with their nouns, and progress as lines for a background job whose output goes to a file."""

from __future__ import annotations

import re
from collections.abc import Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return "3 figures", "1 figure", "0 figures". noun: singular; plural: if it is not the noun with an s."""
    return f"{number} {named(number, noun, plural)}"


def named(number: int, noun: str, plural: str = "") -> str:
    """Return the noun alone in the form for the number: "figure" for 1, else "figures"."""
    return noun if number == 1 else plural or f"{noun}s"


def first_of(names: Sequence[str], most: int = 8) -> str:
    """Return the first names, and how many more there are: "a, b and 3 more"."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


#: Set for a command that prints its progress as lines.
PROGRESS_LINES = "PANELWISE_PROGRESS_LINES"

_LINE = re.compile(r"^(?P<label>[^\n:]{1,80}): (?P<done>\d{1,12})(?: of (?P<total>\d{1,12}))?$")


def progress_line(label: str, done: int, total: int | None) -> str:
    """Return the line that says how many of a total are done; total: None if it is unknown."""
    return f"{label}: {done}" if total is None else f"{label}: {done} of {total}"


def read_progress(text: str) -> tuple[str, int, int | None] | None:
    """Return the label, done and total of the last such line of a text; None without any."""
    for line in reversed(text.split("\n")):
        if match := _LINE.match(line):
            total = match["total"]
            return match["label"], int(match["done"]), None if total is None else int(total)
    return None
