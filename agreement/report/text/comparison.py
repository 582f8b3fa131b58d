"""Comparisons with gold as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from agreement.columns.scored import NO_SCORES
from agreement.models.average_precision import AveragePrecision
from agreement.models.ceiling import Ceiling
from agreement.models.comparison import Comparison, Curves
from agreement.models.ranking import Difference, RankedBy, Ranking
from agreement.models.sweep import ConfidencePoint, ConfidenceSweep, IouPoint
from agreement.pairs.pairwise import PairScore, detailed, mean_losses
from agreement.primitives.settings import Settings
from agreement.report.sections.models import DIFFERENCES, GAPS, POINTS, RANKING
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import (
    MEAN_OF_MEANS,
    NAME,
    NOTHING_COUNTS,
    boxes_lines,
    head,
    indented,
    interval_line,
    joined,
    left_out_text,
    legend_lines,
    loss_table,
    named_lines,
    pair_table,
    passed_lines,
    score_text,
    superseded_lines,
    table_lines,
)
from agreement.score.losses import Loss
from panelwise.runtime import counted


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text: the score and its parts for one, the ranking for several."""
    lines = [*head("Comparison with gold", comparison.settings, None), ""]
    names = ShortNames((name for pair in comparison.pairs for name in (pair.gold, pair.predicted)), NAME)
    if len(comparison.pairs) > 1:
        lines += [*ranking_lines(comparison, names), *_coverage(comparison)]
    else:
        lines += [*_of_one(comparison), *_coverage(comparison), *_parts_of_one(comparison, names)]
    lines += ceiling_lines(comparison.ceiling, names)
    lines += legend_lines((names, ""))
    return joined(lines)


def _of_one(comparison: Comparison) -> Iterable[str]:
    reason = f"   ({comparison.reason})" if comparison.reason else ""
    yield f"score              {score_text(comparison.score)}{reason}"
    if comparison.pairs:
        settings, interval = comparison.settings, comparison.interval
        yield f"  95 % CI          {interval_line(interval, comparison.intervals, settings)}"
    mean = MEAN_OF_MEANS if comparison.macro is not None else f"({comparison.reason or NOTHING_COUNTS})"
    yield f"  per figure       {score_text(comparison.macro)}   {mean}"


def _coverage(comparison: Comparison) -> Iterable[str]:
    """Return what counted and what did not, on both sides."""
    figures = {figure for pair in comparison.pairs for figure in pair.figures}
    several = ", all together" if len(comparison.pairs) > 1 else ""
    yield (
        f"counted            {counted(comparison.counted, 'gold subfigure')}{several}, in {len(figures)} of "
        f"{counted(comparison.gold_figures, 'gold figure')}"
    )
    yield f"gold left out      {left_out_text(comparison.left_out, several=bool(several))}"
    yield from passed_lines(comparison.passed)
    nobody = " of any" if len(comparison.pairs) > 1 else ""
    yield from named_lines(f"gold figures without a prediction{nobody}, left out", comparison.missing)
    yield from named_lines("predicted figures without gold, left out", comparison.surplus)
    yield from superseded_lines(comparison.superseded)


def _parts_of_one(comparison: Comparison, names: ShortNames) -> Iterable[str]:
    yield from loss_table(comparison.losses)
    yield from boxes_lines(comparison.boxes)
    if not comparison.pairs:
        return
    (pair,) = comparison.pairs
    for curves in comparison.curves:
        yield from precision_lines(curves.precision)
        yield from ("", *sweep_table([(pair.predicted, curves.iou)], names))
        yield from confidence_table(curves.confidence, names)
        yield from best_lines([(pair.predicted, curves.confidence)])
    yield from ("", *pair_table(comparison, names))


def ceiling_lines(ceiling: Ceiling | None, names: ShortNames) -> Iterable[str]:
    """One line for each model: the people's agreement, its score, and the gap; nothing without people."""
    if ceiling is None:
        return
    how = {"bootstrap": "bootstrap", "linearised": "linearised standard error"}.get(ceiling.method)
    yield ""
    yield f"human ceiling      IAA of {len(ceiling.people)} annotators on the figures that each one below covers"
    yield from table_lines(GAPS, ceiling.gaps, names)
    if how is not None:
        yield from indented(f"gap: people minus score; intervals by {how} over {ceiling.unit}s")


#: Characters of a column of losses; its head is broken into lines of as many.
_COLUMN = 8
#: Causes that only official-code knows; shown where they are met.
_RARE = (Loss.REPEATED, Loss.NOTHING)


def ranking_lines(comparison: Comparison, names: ShortNames) -> Iterable[str]:
    """Yield the ranking and the tables on each, best first, with an empty line at the end."""
    found = comparison.ranking
    yield from table_lines(RANKING, found.rows, names)
    yield from _how(found, comparison.settings)
    yield from _narrowest(found, comparison.pairs)
    if found.differences:
        yield from ("", *_differences(found.differences, names))
    pairs = {pair.predicted: pair for pair in comparison.pairs}
    ordered = [pairs[row.name] for row in found.rows]
    curves = dict(zip((pair.predicted for pair in comparison.pairs), comparison.curves, strict=False))
    yield from ("", *_losses([pair for pair in ordered if pair.score is not None], names))
    yield from ("", *_boxes([pair for pair in ordered if pair.figures], curves, names))
    if curves:
        swept = [(row.name, curves[row.name]) for row in found.rows if row.score is not None]
        yield from ("", *sweep_table(((name, each.iou) for name, each in swept), names))
        best = list(best_lines((name, each.confidence) for name, each in swept))
        if best:
            yield from ("", "thresholds on the models' scores", *best)
    if len({pair.figures for pair in ordered}) > 1:
        yield from ("", *indented("losses, boxes and thresholds: over the figures that each covers"))
    yield ""


def _narrowest(found: Ranking, pairs: Sequence[PairScore]) -> Iterable[str]:
    """Say which one reduces the common figures most, if the others have more in common without it."""
    scored = [pair for pair in pairs if pair.score is not None]
    if len(scored) < 3:
        return
    fewest = min(scored, key=lambda pair: (len(pair.figures), pair.predicted))
    others = [set(pair.figures) for pair in scored if pair is not fewest]
    shared = len(set.intersection(*others))
    if shared > found.figures:
        yield from indented(
            f"{fewest.predicted} covers the fewest; without it the others share {counted(shared, 'gold figure')}"
        )


def _how(found: Ranking, settings: Settings) -> Iterable[str]:
    """Say on which figures the ranking is based, and how the intervals were computed."""
    over = f"score: over {counted(found.figures, 'gold figure')} that all cover"
    if found.by is RankedBy.OWN:
        over = "score: over the figures that each covers, as nothing counts in those that all cover"
    made = {
        "": "no intervals",
        "linearised": f"intervals by the linearised standard error over {found.unit}s",
    }.get(found.method, f"intervals from {settings.resamples} resamples of {found.unit}s, seed {settings.seed}")
    yield from indented(f"{over}; {made}; figures: those of the gold that it covers; own score: over these")


def _marked(each: Difference) -> str:
    ends = "-" if each.interval is None else "{:+.4f} to {:+.4f}".format(*each.interval)
    return f"{'*' if each.certain else ' '} {ends:18}"


def _ties(each: Difference) -> str:
    often = "all" if each.tied == 1.0 else f"{each.tied or 0.0:.1%} of the"
    return f"ties: no difference in {often} resamples" if each.tied else ""


def _differences(differences: Sequence[Difference], names: ShortNames) -> Iterable[str]:
    yield from table_lines(DIFFERENCES, differences, names, note=_ties, cells={"95 % CI": _marked})
    yield from indented(
        "first minus second, over the figures that both cover, resampled together; flips: share of the resamples "
        "in which the second is ahead"
    )
    if len(differences) > 1:
        yield from indented(
            f"of {len(differences)} intervals one may leave out 0 by chance; those marked * do so when all are "
            "widened to hold together with 95% (Bonferroni)"
        )
    if any(each.difference is not None and each.difference < 0.0 for each in differences):
        yield from indented("below 0: over the figures that these two cover, the order is the other way round")


def _losses(pairs: Sequence[PairScore], names: ShortNames) -> Iterable[str]:
    """Yield each one's loss by cause, on the figures that it covers."""
    if not pairs:
        yield f"{'lost':18} {score_text(None)}   ({NOTHING_COUNTS})"
        return
    shares = {pair.predicted: mean_losses([pair]) or {} for pair in pairs}
    causes = [cause for cause in Loss if cause not in _RARE or any(own.get(cause) for own in shares.values())]
    heads = [wrap(cause.display, _COLUMN) for cause in causes]
    lines = max(map(len, heads))
    for line in range(lines):
        left = f"{'lost to':{NAME}} {'all':>7}" if line == lines - 1 else " " * (NAME + 8)
        cells = (head[line - lines + len(head)] if line >= lines - len(head) else "" for head in heads)
        yield left + "".join(f" {cell:>{_COLUMN}}" for cell in cells)
    for name, own in shares.items():
        cells = (f" {own.get(cause, 0.0):{_COLUMN}.4f}" for cause in causes)
        yield f"{names.cell(name)} {sum(own.values()):7.4f}" + "".join(cells)


def _boxes(pairs: Sequence[PairScore], curves: dict[str, Curves], names: ShortNames) -> Iterable[str]:
    """Yield each one's scores of boxes, matched to the gold's, and average precision if boxes have scores."""
    if not pairs:
        yield f"{'boxes':18} {score_text(None)}   (no figure that both sides accepted in the same version)"
        return
    # People's work has no scores, and no column for them.
    scored = any(each.precision.ap is not None for each in curves.values())
    head = f"{'boxes':{NAME}} {'P .50':>6} {'R .50':>6} {'F1 .50':>6} {'F1 .75':>6} {'F1 mean':>7} {'IoU':>6}"
    yield head + (f" {'AP':>6} {'AP50':>6}" if scored else "")
    reasons = []
    for pair in pairs:
        boxes = detailed(pair).detection
        numbers = (boxes.precision(0.5), boxes.recall(0.5), boxes.f1(0.5), boxes.f1(0.75))
        found = curves[pair.predicted].precision if pair.predicted in curves else None
        ap, ap50 = (found.ap, found.ap50) if found is not None else (None, None)
        yield (
            f"{names.cell(pair.predicted)} "
            + " ".join(f"{short(number):>6}" for number in numbers)
            + f" {short(boxes.mean_f1()):>7} {short(boxes.mean_iou()):>6}"
            + (f" {short(ap):>6} {short(ap50):>6}" if scored else "")
        )
        if found is not None and found.reason and found.reason != NO_SCORES:
            reasons.append(f"{pair.predicted}: {found.reason}")
    for reason in reasons:
        yield from indented(f"AP of {reason}")


#: The IoUs that fit in a line; JSON has all.
SHOWN_IOUS = (0.1, 0.3, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
#: Thresholds on scores shown; JSON has all.
SHOWN_CONFIDENCES = 8
CHOSEN_HERE = "a threshold chosen here is chosen on this gold; report the score that it has on other figures"


def precision_lines(found: AveragePrecision) -> Iterable[str]:
    """Yield COCO's average precision, or why it is undefined; nothing for work without scores."""
    if found.reason:
        if found.reason != NO_SCORES:
            yield from ("", f"COCO AP            {score_text(None)}   ({found.reason})")
        return
    yield from ("", f"COCO AP            {score_text(found.ap)}   mean over IoU .50:.05:.95")
    yield f"  AP50 {score_text(found.ap50)}, AP75 {score_text(found.ap75)}, AR {score_text(found.ar)}"
    if found.without_area:
        yield f"  gold boxes without area, left out: {found.without_area}"


def sweep_table(rows: Iterable[tuple[str, Sequence[IouPoint]]], names: ShortNames) -> Iterable[str]:
    """Yield each one's score by box match threshold, or why there is none."""
    rows = [(name, points) for name, points in rows if any(point.score is not None for point in points)]
    if not rows:
        yield f"{'score by min IoU':18} {score_text(None)}   ({NOTHING_COUNTS})"
        return
    yield f"{'score by min IoU':{NAME}} " + " ".join(f"{threshold:.2f}"[1:].rjust(4) for threshold in SHOWN_IOUS)
    for name, points in rows:
        at = {point.min_iou: point.score for point in points}
        yield f"{names.cell(name)} " + " ".join(f"{short(at[threshold]):>4}" for threshold in SHOWN_IOUS)


def confidence_table(sweep: ConfidenceSweep, names: ShortNames) -> Iterable[str]:
    """Yield the thresholds on scores, thinned for reading; nothing if there are none."""
    if sweep.points:
        yield ""
        yield from table_lines(POINTS, _thinned(sweep.points), names)


def best_lines(sweeps: Iterable[tuple[str, ConfidenceSweep]]) -> Iterable[str]:
    """Yield each one's best thresholds on scores, and a caution about choosing them here."""
    swept = [(name, sweep, sweep.best_f1) for name, sweep in sweeps if sweep.best_f1 is not None]
    for name, sweep, best in swept:
        first = sweep.points[0]
        told = f"the boxes' F1 is highest {_where(best, first, best.f1, first.f1)}"
        if sweep.best_score is not None:
            told += f", the score {_where(sweep.best_score, first, sweep.best_score.score, first.score)}"
        yield from indented(f"{name}: {told}")
    if swept:
        yield from indented(CHOSEN_HERE)


def short(value: float | None) -> str:
    """Format a number from 0 to 1 in four characters: .532, 1.00; a dash if undefined."""
    if value is None:
        return "-"
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0") else text[:4]


def _where(point: ConfidencePoint, first: ConfidencePoint, value: float | None, of_all: float | None) -> str:
    if point.threshold == first.threshold:
        return f"with all kept ({score_text(value)})"
    return f"from {point.threshold:.4f} on ({score_text(value)}; all kept: {score_text(of_all)})"


def _thinned(points: Sequence[ConfidencePoint]) -> Sequence[ConfidencePoint]:
    if len(points) <= SHOWN_CONFIDENCES:
        return points
    last = SHOWN_CONFIDENCES - 1
    return [points[round(place * (len(points) - 1) / last)] for place in range(SHOWN_CONFIDENCES)]
