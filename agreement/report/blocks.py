"""The blocks of a report: tables, whose columns every format reads.

A statistic is one column: JSON has its key, CSV its heading, text, pages and LaTeX its cells and headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any, Generic, TypeVar

from agreement.resampling.estimate import Estimate
from panelwise.formats import time_text

Row = TypeVar("Row", contravariant=True)


class Format(Enum):
    """The way in which the cells of a column are shown.

    SCORE: a number that may be undefined; INTERVAL: that of an estimate; INLINE: both in one cell; DRAWN: both as
    a drawing, on pages only. PERCENT: a share. REASON: why scores of a row are undefined. DATA: only in files.
    """

    NAME = auto()
    TEXT = auto()
    COUNT = auto()
    SCORE = auto()
    INTERVAL = auto()
    INLINE = auto()
    DRAWN = auto()
    PERCENT = auto()
    REASON = auto()
    DATA = auto()


#: The columns of a table: single ones, and those of one statistic together.
Columns = tuple["Col[Row] | tuple[Col[Row], ...]", ...]
_UNSHOWN = (Format.DATA, Format.REASON, Format.DRAWN)


@dataclass(frozen=True, slots=True)
class Col(Generic[Row]):
    """A column. key: of JSON; head: of CSV, text, pages and LaTeX; "" where a format lacks the column.

    value: of a row. title, brief: other headings for pages and LaTeX, and for text. width: in text, of numbers
    with the gap before it; 0 for what the heading needs. signed: with a plus above 0. term: the heading's key in
    the glossary. filed: False for a column that is only shown. why: the reason of a value that is None.
    """

    key: str
    head: str
    value: Callable[[Row], object]
    format: Format = Format.COUNT
    title: str = ""
    brief: str = ""
    width: int = 0
    signed: bool = False
    term: str = ""
    filed: bool = True
    why: Callable[[Row], str] = lambda _: ""

    @property
    def left(self) -> bool:
        """Return whether cells are aligned on the left."""
        return self.format in (Format.NAME, Format.TEXT, Format.INTERVAL)

    @property
    def heading(self) -> str:
        """Return the heading of pages and LaTeX."""
        return self.title or capitalised(self.head)

    def dash(self, row: Row, of_row: str) -> str:
        """Return why the cell of a row is a dash, or lacks its interval; "" if it does neither.

        of_row: the reason that the row has for all its scores.
        """
        value = self.value(row)
        if not isinstance(value, Estimate):
            return of_row if value is None and self.format in (Format.SCORE, Format.PERCENT) else ""
        if self.format is Format.INTERVAL:
            missing = value.value is not None and value.interval_reason
            return f"no interval: {missing}" if missing else ""
        return value.reason if self.format is Format.INLINE else value.why

    def plain(self, row: Row) -> Any:
        """Return the cell of a row as plain values for JSON and CSV."""
        value = self.value(row)
        return plain(value.interval if isinstance(value, Estimate) and self.format is Format.INTERVAL else value)


def score(
    key: str,
    head: str,
    value: Callable[[Row], Estimate],
    *,
    title: str = "",
    width: int = 0,
    reason: str | None = None,
) -> tuple[Col[Row], ...]:
    """Return the columns of a score and of its reason. reason: the heading of the second, if no `HEAD reason`."""
    heading = f"{head} reason" if reason is None else reason
    return (
        Col(key, head, value, Format.SCORE, title, width=width),
        Col(f"{key}_reason", heading, lambda row: value(row).why, Format.DATA),
    )


def estimate(
    key: str,
    head: str,
    value: Callable[[Row], Estimate],
    *,
    format: Format = Format.SCORE,
    keys: tuple[str, str, str, str] = ("reason", "interval", "", "interval_reason"),
    heads: tuple[str, str, str, str] = ("low", "high", "reason", "interval reason"),
    title: str = "",
    brief: str = "",
    width: int = 0,
    signed: bool = False,
) -> tuple[Col[Row], ...]:
    """Return the columns of a score with its interval and the reasons of both.

    keys: in JSON, of the reason, the interval, its method and its reason; heads: in CSV, of the interval's ends
    and of both reasons; "" for what a format leaves out. Tables show it as "95 % CI", and as "drawn".
    """

    def end(row: Row, place: int) -> float | None:
        interval = value(row).interval
        return None if interval is None else interval[place]

    def why(row: Row) -> str:
        return value(row).interval_reason

    return (
        Col(key, head, value, format, title, brief=brief, width=width, signed=signed),
        Col("", "95 % CI", value, Format.INTERVAL, width=18 if signed else 16, signed=signed, filed=False),
        Col("", "drawn", value, Format.DRAWN, filed=False),
        Col(keys[0], heads[2], lambda row: value(row).why, Format.DATA),
        Col(keys[1], "", lambda row: value(row).interval, Format.DATA),
        Col("", heads[0], lambda row: end(row, 0), Format.DATA, why=why),
        Col("", heads[1], lambda row: end(row, 1), Format.DATA, why=why),
        Col(keys[2], "", lambda row: value(row).method, Format.DATA),
        Col(keys[3], heads[3], why, Format.DATA),
    )


@dataclass(frozen=True, slots=True)
class Table(Generic[Row]):
    """A table. columns: single ones, and those of one statistic together.

    json, csv: the first keys and headings of files; all others come after them. text, html, latex: names of the
    columns that a format shows, in its order; () for all. A column's name is its key, or its heading if it has no
    key. title: the first heading of text. by_row: whether a row's reasons are below it in text, not below
    the table. Raises ValueError for a name that no column has.
    """

    columns: Columns[Row]
    json: tuple[str, ...] = ()
    csv: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    html: tuple[str, ...] = ()
    latex: tuple[str, ...] = ()
    title: str = ""
    by_row: bool = False

    def __post_init__(self) -> None:
        """Check the names of the columns."""
        names = {name for col in self.single for name in (col.key, col.head)}
        if unknown := {*self.json, *self.csv, *self.text, *self.html, *self.latex} - names:
            raise ValueError(f"no such column: {', '.join(sorted(unknown))}")

    @property
    def single(self) -> list[Col[Row]]:
        """Return the columns one by one."""
        return [col for part in self.columns for col in ((part,) if isinstance(part, Col) else part)]

    def record(self, row: Row) -> dict[str, Any]:
        """Return a row as plain values for JSON."""
        return self.records([row])[0]

    def records(self, rows: Iterable[Row]) -> list[dict[str, Any]]:
        """Return the rows as plain values for JSON."""
        filed = {col.key: col for col in self.single if col.key and col.filed}
        ordered = [filed[key] for key in dict.fromkeys((*self.json, *filed))]
        return [{col.key: col.plain(row) for col in ordered} for row in rows]

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the headings of CSV."""
        return tuple(dict.fromkeys((*self.csv, *(col.head for col in self.single if col.head and col.filed))))

    def cells(self, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
        """Yield the rows' values for CSV, by heading."""
        filed = [col for col in self.single if col.head and col.filed]
        return ({col.head: col.plain(row) for col in filed} for row in rows)

    def facts(self, row: Row | None, lacking: str = "") -> Iterator[tuple[str, Any, str]]:
        """Yield each heading of CSV with the row's value, and why it is undefined; "" if it is not.

        row: None for what a report lacks; lacking: why.
        """
        cols = {col.head: col for col in self.single}
        for head in self.headings:
            value = None if row is None else cols[head].plain(row)
            why = "" if value is not None else lacking if row is None else self.why(cols[head], row)
            yield head, value, why

    def why(self, col: Col[Row], row: Row) -> str:
        """Return why a column's value is undefined: by the value, the column, or the row."""
        value = col.value(row)
        return (value.why if isinstance(value, Estimate) else col.why(row)) or self.reason(row)

    def shown(self, names: Sequence[str]) -> list[Col[Row]]:
        """Return the columns of a format by their names; without names all but the drawn ones."""
        if not names:
            return [col for col in self.single if col.head and col.format not in _UNSHOWN]
        columns = {col.head: col for col in self.single} | {col.key: col for col in self.single}
        return [columns[name] for name in names]

    def reason(self, row: Row) -> str:
        """Return why scores of a row are undefined, where that is said once for the row; "" otherwise."""
        return "".join(str(col.value(row)) for col in self.single if col.format is Format.REASON)

    def dashes(self, row: Row, shown: Sequence[Col[Row]], stated: str = "") -> list[str]:
        """Return the reasons for the dashes in a row of these columns, each once; stated: given before."""
        reasons = dict.fromkeys(col.dash(row, self.reason(row)) for col in shown)
        return [reason for reason in reasons if reason not in ("", stated)]


def capitalised(text: str) -> str:
    """Return a text that begins with a capital letter; all others are unchanged."""
    return text[:1].upper() + text[1:]


def plain(value: object) -> Any:
    """Return a value as JSON has it; an empty text means that there is none."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Estimate):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return None if value == "" else value
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, Iterable) else value
