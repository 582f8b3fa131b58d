"""Shared parts of the texts of reports and comparisons: lines of at most `WIDTH` columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from agreement.pairs.pairwise import PairScore, Passed
from agreement.primitives.settings import Settings
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


def interval_text(interval: Interval | None) -> str:
    """Format an interval as "low to high", a dash if undefined."""
    return "-" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"


def interval_line(interval: Interval | None, intervals: Intervals, settings: Settings) -> str:
    """Format the interval with its method, or the reason why there is none."""
    if interval is None:
        return f"{score_text(None)}   ({intervals.reason})"
    if intervals.method == "linearised":
        return f"{interval_text(interval)}   linearised standard error"
    return f"{interval_text(interval)}   {settings.resamples} resamples of figures, seed {settings.seed}"


def pair_table(pairs: Sequence[PairScore], intervals: Intervals, names: ShortNames) -> Iterable[str]:
    """Yield a line per pair, and the reason for undefined scores."""
    yield f"{'gold':{NAME}} {'predicted':{NAME}} {'score':>8}  {'95% interval':16} {'counted':>8} {'figures':>8}"
    reasons = intervals.reasons or ("",) * len(pairs)
    for pair, interval, why_not in zip(pairs, intervals.pairs, reasons, strict=True):
        yield (
            f"{names.cell(pair.gold)} {names.cell(pair.predicted)} {score_text(pair.score)}  "
            f"{interval_text(interval):16} {pair.counted:8} {len(pair.figures):8}"
        )
        # Where nobody has an interval, the line of the whole says why.
        if pair.reason or (why_not and intervals.iaa is not None):
            yield from indented(pair.reason or f"no interval: {why_not}")


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
        yield from named_lines(f"figures left out of a pair: {why}", figures)


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
