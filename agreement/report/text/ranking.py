"""Several models or people compared to one gold, as text: the ranking, the differences, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from agreement.columns.scored import NO_SCORES
from agreement.models.comparison import Comparison, Curves
from agreement.models.ranking import Difference, RankedBy, Ranking
from agreement.pairs.pairwise import PairScore, detailed, mean_losses
from agreement.primitives.settings import Settings
from agreement.report.sections.models import DIFFERENCES, RANKING
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, NOTHING_COUNTS, indented, score_text, table_lines
from agreement.report.text.sweep import best_lines, short, sweep_table
from agreement.score.losses import Loss
from panelwise.runtime import counted

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
    yield from table_lines(
        DIFFERENCES,
        differences,
        names,
        note=_ties,
        cells={"95 % CI": _marked},
    )
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
