"""Shared parts of the texts of reports and comparisons: lines of at most `WIDTH` columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agreement.chance.categories import CategoryScore
from agreement.models.comparison import Comparison
from agreement.pairs.pairwise import Passed
from agreement.primitives.settings import Settings
from agreement.report.summary import Report
from agreement.report.table import Table
from agreement.report.tables import PAIRS, PairRow, pair_rows
from agreement.report.text.names import ShortNames, shown, wrapped
from agreement.resampling.bootstrap import Interval, Intervals
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
#: Columns that hold an annotator's or model's name.
_NAMES = frozenset({"gold", "predicted", "annotator", "one", "other", "first", "second"})


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
    table: Table,
    rows: Iterable[object],
    names: ShortNames,
    *,
    note: Callable[[Any], str] = lambda _row: "",
    **cells: Callable[[Any], str],
) -> Iterable[str]:
    """Yield the headings of a table and a line per row, with its note below.

    names: of the columns that hold a name. cells: of columns that are written otherwise than by their value.
    """
    if table.head:
        yield table.head
    for row in rows:
        values = {key: _cell(key, value, names) for key, value in table.values(row).items()}
        yield table.line.format_map(values | {key: cell(row) for key, cell in cells.items()})
        if said := note(row):
            yield from indented(said)


def _cell(key: str, value: object, names: ShortNames) -> object:
    if key in _NAMES and isinstance(value, str) and value:
        return names.cell(value)
    if key == "interval" and (value is None or isinstance(value, list)):
        return interval_text(value)
    return score_text(value) if value is None or isinstance(value, float) else value


def reasons_lines(reasons: Iterable[str]) -> Iterable[str]:
    """Yield each reason for a dash once."""
    for reason in sorted({each for each in reasons if each}):
        yield from indented(f"-: {reason}")


def why_not(row: CategoryScore) -> str:
    """Return the note on a row with dashes."""
    return row.reason and f"-: {row.reason}"


def pair_table(of: Report | Comparison, names: ShortNames) -> Iterable[str]:
    """Yield a line per pair, and the reason for undefined scores."""

    def note(row: PairRow) -> str:
        # If no annotator has an interval, the line of the whole says why.
        missing = row.interval_reason if of.intervals.iaa is not None else ""
        return row.pair.reason or (missing and f"no interval: {missing}")

    return table_lines(PAIRS, pair_rows(of), names, note=note)


def unlisted(pairs: int, what: str = "pairs") -> str:
    """Return the line in place of a table of more than `MOST_LISTED` pairs."""
    return f"{what:18} {pairs} pairs of annotators, too many for a text: --format json or csv lists them"


def loss_table(losses: Mapping[Loss, float] | None) -> Iterable[str]:
    """Yield the difference to 1 by cause, largest first; causes without loss are left out."""
    if not losses or not any(losses.values()):
        return
    whole = sum(losses.values())
    yield from ("", f"lost               {whole:.6f}   below perfect agreement, by cause:")
    for cause, share in sorted(losses.items(), key=lambda each: -each[1]):
        if share:
            bar = "#" * round(20 * share / whole)
            yield f"  {cause.display:21} {share:.6f}  {share / whole:4.0%}  {bar}"


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
