"""Scores at other thresholds, and average precision, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.columns.scored import NO_SCORES
from agreement.models.average_precision import AveragePrecision
from agreement.models.sweep import ConfidencePoint, ConfidenceSweep, IouPoint
from agreement.report.sections.models import POINTS
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, NOTHING_COUNTS, indented, score_text, table_lines

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
