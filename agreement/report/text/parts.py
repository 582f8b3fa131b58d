"""Shared parts of the texts of reports and comparisons: lines of at most `WIDTH` columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from agreement.models.comparison import Comparison
from agreement.pairs.pairwise import Passed
from agreement.primitives.settings import Settings
from agreement.report.blocks import Col, Format, Row, Table
from agreement.report.sections.people import PAIRS, loss_rows, pair_rows
from agreement.report.summary import Report
from agreement.report.text.names import ShortNames, columns, padded, shown, wrapped
from agreement.resampling.bootstrap import Interval, Intervals
from agreement.resampling.estimate import Estimate
from agreement.score.detection import Detection
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import LeftOut

#: Columns of a text.
WIDTH = 80
#: Columns of a name in a table; figures of one kind named in the text (JSON names all).
NAME = 16
NAMED = 10
#: Why there is no mean over nothing.
NOTHING_COUNTS = "no gold subfigure counts"
MEAN_OF_MEANS = "mean of the figures' own scores"


def head(title: str, settings: Settings, phase: str | None) -> list[str]:
    """Return the title and the settings of the scores."""
    of_phase = f", phase {phase}" if phase is not None else ""
    return [
        f"{title}{of_phase}",
        f"metric: {settings.mode}; common tokens: {settings.common_used}; "
        f"box match threshold: IoU >= {settings.min_iou:g}",
        f"tokens that count: {settings.mode.tokens}",
    ]


def score_text(score: float | None) -> str:
    """Format a score with six decimals in eight columns, a dash if undefined."""
    return "   -    " if score is None else f"{score:.6f}"


def interval_text(interval: Sequence[float] | None) -> str:
    """Format an interval as "low to high", a dash if undefined."""
    return "-" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"


def interval_line(interval: Interval | None, intervals: Intervals, settings: Settings) -> str:
    """Format the interval with its method, or the reason why there is none."""
    if interval is None:
        return f"{score_text(None)}   ({intervals.reason})"
    if intervals.method == "linearised":
        return f"{interval_text(interval)}   linearised standard error over {intervals.unit}s"
    return f"{interval_text(interval)}   {settings.resamples} resamples of {intervals.unit}s, seed {settings.seed}"


def table_lines(
    table: Table[Row],
    rows: Iterable[Row],
    names: ShortNames,
    *,
    title: str | None = None,
    stated: str = "",
    note: Callable[[Row], str] = lambda _: "",
    cells: Mapping[str, Callable[[Row], str]] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield the headings of a table, a line per row, and the reasons for dashes.

    names: of the columns that hold a name. title: the first heading, if another one; "" for no headings. stated: a
    reason that was given before. note: what is below a row. cells: of columns that are written otherwise than by
    their value, by the columns' headings.
    """
    cols = table.shown(table.text)
    title = table.title if title is None else title
    if title:
        yield _headings(cols, title, names)
    reasons: dict[str, None] = {}
    for row in rows:
        line = ""
        for col in cols:
            value = col.value(row)
            write = cells.get(col.head)
            line = _placed(line, col, _cell(col, value, names) if write is None else write(row), names)
        yield line
        below = table.dashes(row, cols, stated)
        for text in (*(below if table.by_row else ()), note(row)):
            yield from indented(text)
        reasons |= dict.fromkeys(below)
    if not table.by_row:
        yield from reasons_lines(reasons)


def table_block(
    table: Table[Row], rows: Sequence[Row], names: ShortNames, *notes: str, title: str | None = None
) -> Iterator[str]:
    """Yield an empty line, a table as `table_lines` does, and notes below it; nothing without rows."""
    if rows:
        yield ""
        yield from table_lines(table, rows, names, title=title)
        yield from chain.from_iterable(map(indented, notes))


def _placed(line: str, col: Col[Any], text: str, names: ShortNames) -> str:
    """Add a cell to a line."""
    if not col.left:
        return line + text.rjust(col.width or max(8, len(col.brief or col.head) + 1) + 1)
    gap = "" if not line else " " if col.format is Format.NAME else "  "
    return line + gap + padded(text, col.width or (names.width if col.format is Format.NAME else columns(text)))


def _headings(cols: Sequence[Col[Any]], title: str, names: ShortNames) -> str:
    """Return the headings, each above its column; a title may be wider than its own."""
    blank, line = "", ""
    for place, col in enumerate(cols):
        head = title if place == 0 else col.brief or col.head
        start, blank = len(blank), _placed(blank, col, "", names)
        if col.left:
            line = line.ljust(start + (2 if col.format is not Format.NAME else 1) * (place > 0)) + head
        else:
            line += head.rjust(len(blank) - len(line))
    return line


def _cell(col: Col[Any], value: object, names: ShortNames) -> str:
    interval = value.interval if isinstance(value, Estimate) else None
    number = value.value if isinstance(value, Estimate) else value
    sign = "+" if col.signed else ""
    match col.format:
        case Format.NAME if value in names:
            return names.cell(str(value))
        case Format.NAME | Format.TEXT:
            text = str(value)
            return text if not col.width or len(text) <= col.width else f"{text[: col.width - 3]}..."
        case Format.INTERVAL:
            return "-" if interval is None else "{:{sign}.4f} to {:{sign}.4f}".format(*interval, sign=sign)
        case Format.INLINE:
            return _inline(number, interval, sign)
    if isinstance(number, float) and col.format is Format.PERCENT:
        return f"{number:.1%}"
    if isinstance(number, float):
        return f"{number:{sign}.6f}"
    return str(number) if number is not None else score_text(None) if col.format is Format.SCORE else "-"


def _inline(value: object, interval: Interval | None, sign: str) -> str:
    """Format an estimate with its interval in few characters: .050 .030 to .070."""
    if value is None:
        return "-"
    first, *ends = (f"{each:{sign}.3f}".replace("0.", ".", 1) for each in (value, *(interval or ())))
    return f"{first} {' to '.join(ends)}" if ends else first


def reasons_lines(reasons: Iterable[str]) -> Iterable[str]:
    """Yield each reason for a dash once."""
    for reason in sorted({each for each in reasons if each}):
        yield from indented(f"-: {reason}")


def pair_table(of: Report | Comparison, names: ShortNames) -> Iterable[str]:
    """Yield a line per pair, and the reason for undefined scores; that of the whole was given before."""
    return table_lines(PAIRS, pair_rows(of), names, stated=f"no interval: {of.intervals.reason}")


def unlisted(pairs: int, what: str = "pairs") -> str:
    """Return the line in place of a table of more than `MOST_LISTED` pairs."""
    return f"{what:18} {pairs} pairs of annotators, too many for a text: --format json or csv lists them"


def loss_table(losses: Mapping[Loss, float] | None) -> Iterable[str]:
    """Yield the difference to 1 by cause, largest first; causes without loss are left out."""
    rows = loss_rows(losses)
    if not losses or not rows:
        return
    yield from ("", f"lost               {sum(losses.values()):.6f}   below perfect agreement, by cause:")
    for row in rows:
        yield f"  {row.cause.display:21} {row.lost:.6f}  {row.share:4.0%}  {'#' * round(20 * row.share)}"


def boxes_lines(boxes: Detection) -> Iterable[str]:
    """Yield the scores of the boxes alone, matched one to one; nothing without boxes."""
    if boxes.mean_f1() is None:
        return
    at = ", ".join(f"{boxes.f1(threshold):.4f} at IoU {threshold:.2f}" for threshold in (0.5, 0.75, 0.9))
    yield from ("", f"boxes              F1 {at}")
    mean, iou = boxes.mean_f1(), boxes.mean_iou()
    yield f"  .50:.05:.95      {score_text(mean)}   mean F1; mean IoU of those matched {score_text(iou)}"


def left_out_text(left_out: Mapping[LeftOut, int], *, several: bool = True) -> str:
    """Count gold subfigures without a score. several: over several pairs, so each may count repeatedly."""
    parts = ", ".join(f"{number} with {why}" for why, number in left_out.items())
    return f"{'over all pairs: ' if several else ''}{parts}" if parts else "0"


def passed_lines(passed: Mapping[Passed, Sequence[str]]) -> Iterable[str]:
    """Yield the figures that both sides have and that are not scored, by reason."""
    for why, figures in passed.items():
        yield from named_lines(f"figures left out of a pair: {why.display}", figures)


def superseded_lines(superseded: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Yield superseded annotations. superseded: (figure, annotator)."""
    return named_lines(
        "annotations that a later one replaces", [f"{figure} by {name}" for figure, name in superseded]
    )


def named_lines(what: str, names: Sequence[str]) -> Iterable[str]:
    """Yield the number of names and the first of them; nothing without names."""
    if names:
        yield f"{what}: {len(names)}"
        more = f" and {len(names) - NAMED} more (--format json names all)" if len(names) > NAMED else ""
        yield from indented(", ".join(names[:NAMED]) + more)


def legend_lines(*kinds: tuple[ShortNames, str]) -> Iterable[str]:
    """Return the short forms' legend below an empty line; empty if no name is cut. kinds: names, of what."""
    lines = [line for names, of in kinds for line in names.legend(of)]
    return ["", *lines] if lines else []


def indented(text: str) -> Iterable[str]:
    """Return the text as indented lines."""
    return wrapped(shown(text), WIDTH, first="  ", rest="  ")


def joined(lines: Iterable[str]) -> str:
    """Join the lines, wrapped where they are too long, with control characters escaped."""
    whole: list[str] = []
    for line in lines:
        whole += wrapped(shown(line), WIDTH, rest=" " * 19) if line else [""]
    return "\n".join(whole) + "\n"
