"""The report of an import: a CSV file of what was imported, refused and changed, one row each, and its counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from annotator.imports.uploads import UPLOADS
from panelwise.domain import FormatError
from panelwise.files import Problems, csv_rows, read_table
from panelwise.runtime import kind_of, naming

COLUMNS = ("records", "result", "count", "place", "message")
_NOTE = "note: "


class Outcome(StrEnum):
    """The result of a record, in the column `result`. NOTE: imported, or left out on purpose, with a remark."""

    IMPORTED = "imported"
    REVISED = "revised"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class ReportRow:
    """Records that were refused for one reason, or a remark. place, message: of the first of `count` like it.

    place: file and line, or the name of a file.
    """

    records: str
    outcome: Outcome
    place: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ReportSummary:
    """A report to show. counts: by outcome, 0 for none. rows: the first ones, those refused before the remarks."""

    counts: Mapping[Outcome, int]
    rows: tuple[ReportRow, ...]


class ReportFile:
    """An open report, to which rows are added as an import goes on. records: noun, such as "figures"."""

    def __init__(self, path: Path, records: str) -> None:
        self._path, self._records = path, records
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace", newline="")
        self.is_new = self._file.tell() == 0
        if self.is_new:
            self._file.write(csv_rows([COLUMNS]))

    def add_line(self, line: str) -> None:
        """Add a problem, or a note, as `Problems` reports it: "place: message"."""
        outcome = Outcome.NOTE if line.startswith(_NOTE) else Outcome.REFUSED
        place, colon, message = line.removeprefix(_NOTE).partition(": ")
        within, _, rest = message.partition(": ")
        if rest and within.startswith(f"{place}/"):  # a folder, then a file in it
            place, message = within, rest
        self._add(outcome, 1, *((place, message) if colon else ("", place)))

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add how many records were imported, revised, or unchanged."""
        for outcome, count in counts.items():
            if count:
                self._add(Outcome(outcome), count, "", "")

    def _add(self, outcome: Outcome, count: int, place: str, message: str) -> None:
        with naming(self._path):
            self._file.write(csv_rows([(self._records, outcome.value, count, place, message)]))

    def close(self) -> None:
        """Write what is left."""
        with naming(self._path):
            self._file.close()


@contextmanager
def open_report(path: Path | None, records: str) -> Iterator[ReportFile | None]:
    """Open the report at `path`, adding to it if it exists; None for no path."""
    if path is None:
        yield None
        return
    report = ReportFile(path, records)
    try:
        yield report
    finally:
        report.close()


def read_report(path: Path, *, most: int) -> ReportSummary:
    """Read a report; messages that say the same of several records are one row.

    most: rows to return. Raises FormatError for a file that is none.
    """
    counts: Counter[Outcome] = Counter()
    rows: dict[Outcome, dict[str, ReportRow]] = {Outcome.REFUSED: {}, Outcome.NOTE: {}}
    try:
        table = read_table(path, Problems())
        if table.columns != COLUMNS:
            raise ValueError(f"its columns are not {', '.join(COLUMNS)}")
        for row in table.rows:
            records, result, count, place, message = row.cells
            outcome = Outcome(result)
            counts[outcome] += int(count)
            of_kind = rows.get(outcome)
            if of_kind is None:
                continue
            kind = kind_of(message)
            if first := of_kind.get(kind):
                of_kind[kind] = replace(first, count=first.count + int(count))
            elif len(of_kind) < most:
                of_kind[kind] = ReportRow(records, outcome, place, message)
    except (FormatError, ValueError) as error:
        raise FormatError(f"{path}: is no report of an import ({error})") from None
    return ReportSummary(
        {each: counts[each] for each in Outcome},
        tuple([*rows[Outcome.REFUSED].values(), *rows[Outcome.NOTE].values()][:most]),
    )


def names_in_upload(text: str, home: Path) -> str:
    """Shorten the paths of an upload or an unpacked archive in a message: names as their sender knows them."""
    folder = rf"{re.escape(str(home))}/(?:{UPLOADS}/[0-9a-f]+|\.unpacked-[^/:]+)"
    return re.sub(rf"{folder}(?:/|: (?=\S))", "", text)
