"""LaTeX from plain text and rows: escapes, numbers and booktabs tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.report.blocks import Col, Format, Row, Table, capitalised
from agreement.report.numbers import percent, rounded
from agreement.report.text.names import shown
from agreement.resampling.bootstrap import Interval
from agreement.resampling.estimate import Estimate

#: Where a value is undefined.
UNDEFINED = "--"
_ESCAPES = str.maketrans(
    {
        **{char: f"\\{char}" for char in "{}$&#_%"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "≥": r"$\geq$",
        "–": "--",
        "−": "$-$",
    }
)


def escaped(text: str) -> str:
    """Return any text as LaTeX that prints it; control characters are shown as escapes."""
    return shown(text).translate(_ESCAPES)


def score(value: float | None, *, sign: bool = False) -> str:
    """Format a score with three decimals, as pages do; a dash where undefined. sign: also mark numbers above 0."""
    if value is None:
        return UNDEFINED
    return f"{'+' if sign and value > 0.0 else ''}{rounded(value)}".replace("−", "$-$")


def interval(ends: Interval | None, *, sign: bool = False) -> str:
    """Format a confidence interval with three decimals; a dash where undefined."""
    return UNDEFINED if ends is None else f"{score(ends[0], sign=sign)} to {score(ends[1], sign=sign)}"


def share(value: float) -> str:
    """Format a share in whole per cent."""
    return escaped(percent(value)).replace(r"\%", r"\,\%")


def whole(number: int) -> str:
    """Format a count."""
    return f"{number:,}"


@dataclass(frozen=True, slots=True)
class MarkupTable:
    """A table: columns with "l" or "r" each, rows of LaTeX, and notes (plain text) printed below it."""

    label: str
    caption: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def latex(self) -> str:
        """Return the table as a float for booktabs, ending in a newline; without rows its notes, or nothing."""
        if not self.rows:
            said = " ".join(map(escaped, self.notes))
            return f"\\paragraph{{{escaped(self.caption)}}} {said}\n" if said else "% No rows.\n"
        lines = [
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            f"\\caption{{{escaped(self.caption)}}}",
            f"\\label{{tab:{self.label}}}",
            r"\par\smallskip",
            f"\\begin{{tabular}}{{{''.join(side for _, side in self.columns)}}}",
            r"\toprule",
            _row(escaped(name) for name, _ in self.columns),
            r"\midrule",
            *map(_row, self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(f"\\par\\smallskip\\footnotesize {escaped(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"


def markup_table(
    label: str,
    caption: str,
    table: Table[Row],
    rows: Iterable[Row],
    notes: Sequence[str] = (),
    *,
    stated: str = "",
) -> MarkupTable:
    """Return a report's table for LaTeX, with the reasons for its dashes below it.

    notes: above these. stated: a reason that was given before.
    """
    cols = table.shown(table.latex)
    rows = list(rows)
    reasons: dict[str, None] = {}
    for row in rows:
        names = ", ".join(str(col.value(row)) for col in cols if col.format is Format.NAME)
        reasons |= dict.fromkeys(
            f"{names if table.by_row else UNDEFINED}: {reason}." for reason in table.dashes(row, cols, stated)
        )
    return MarkupTable(
        label,
        caption,
        [(col.heading, "l" if col.format in (Format.NAME, Format.TEXT) else "r") for col in cols],
        [[_cell(col, col.value(row)) for col in cols] for row in rows],
        [*notes, *(reasons if table.by_row else sorted(reasons))],
    )


def _cell(col: Col[Any], value: object) -> str:
    ends = value.interval if isinstance(value, Estimate) else None
    number = value.value if isinstance(value, Estimate) else value
    if isinstance(value, Estimate) and col.format is Format.INTERVAL:
        return "" if not ends and not value.interval_reason else interval(ends, sign=col.signed)
    if isinstance(number, float) and col.format is Format.PERCENT:
        return share(number)
    if isinstance(number, int):
        return whole(number)
    if number is None or isinstance(number, float):
        beside = f" ({interval(ends, sign=col.signed)})" if ends and col.format is Format.INLINE else ""
        return score(number, sign=col.signed) + beside
    return escaped(capitalised(str(number)) if col.format is Format.TEXT else str(number))


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
