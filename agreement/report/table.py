"""A table of a report, described once for its JSON, CSV and text writers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any

from panelwise.formats import time_text

Computed = Mapping[str, Callable[[Any], object]]


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a table.

    columns: JSON keys, each with `=attribute` where the row calls it otherwise. computed: keys that follow from
    the row; only: likewise, for CSV and text alone. csv: headings; each names its key by its words ("as gold" is
    `as_gold`), or as "heading=key"; "low" and "high" are the ends of `interval`. head, line: the text's headings,
    and the format of a row.
    """

    columns: str
    csv: tuple[str, ...] = ()
    head: str = ""
    line: str = ""
    computed: Computed = field(default_factory=dict)
    only: Computed = field(default_factory=dict)

    def record(self, row: object) -> dict[str, Any]:
        """Return a row as plain values for JSON."""
        values = {key: plain(value(row)) for key, value in _getters(self.columns)}
        return values | {key: plain(value(row)) for key, value in self.computed.items()}

    def records(self, rows: Iterable[object]) -> list[dict[str, Any]]:
        """Return the rows as plain values for JSON."""
        return [self.record(row) for row in rows]

    def values(self, row: object) -> dict[str, Any]:
        """Return a row's values by key, with those for CSV and text alone."""
        return self.record(row) | {key: value(row) for key, value in self.only.items()}

    def key(self, heading: str) -> str:
        """Return the key of one of the headings of CSV."""
        heading, _, key = heading.partition("=")
        if key or heading in self.only:
            return key or heading
        return re.sub(r"\W+", "_", heading.replace("'", "")).lower()


@cache
def _getters(columns: str) -> tuple[tuple[str, Callable[[Any], object]], ...]:
    pairs = (column.partition("=") for column in columns.split())
    return tuple((key, attrgetter(name or key)) for key, _, name in pairs)


def plain(value: object) -> Any:
    """Return a value as JSON has it; an empty text means that there is none."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return None if value == "" else value
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, Iterable) else value
