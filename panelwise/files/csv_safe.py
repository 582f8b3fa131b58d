"""Make texts safe in tables that spreadsheets open."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

#: First characters of a formula, full-width forms included.
_FORMULA = frozenset("=+-@")
#: Characters that spreadsheets trim first: blanks, tabs, line ends, invisible marks.
_PASSED_OVER = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]], *, line_end: str = "\r\n") -> str:
    """Format rows as CSV (RFC 4180) with a header; None is an empty cell, and no cell is a formula."""
    return csv_lines([columns, *([row[column] for column in columns] for row in rows)], line_end=line_end)


def csv_lines(rows: Iterable[Sequence[object]], *, line_end: str = "\r\n") -> str:
    """Format rows of cells as CSV without a header, to go on with a table; cells as in `csv_text`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=line_end)
    for cells in rows:
        writer.writerow([as_text(str(cell)) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def as_text(text: str) -> str:
    """Return the text as a cell, with an apostrophe before anything that a spreadsheet would run as a formula.

    So is a text that begins with a tab or a line end, or hides its formula behind blanks or invisible marks.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    seen = next((letter for letter in text if unicodedata.category(letter) not in _PASSED_OVER), "")
    return f"'{text}" if unicodedata.normalize("NFKC", seen)[:1] in _FORMULA and seen else text
