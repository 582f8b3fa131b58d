"""The score at varying thresholds: box overlap (IoU) and a model's confidence.

The IoU threshold only decides whether the best match counts, so one pass over the boxes serves all thresholds. A
confidence threshold removes boxes, which may change the best match, so each is scored separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.panels import panels_of_corpus
from agreement.columns.people import meetings
from agreement.columns.raw import Submitted
from agreement.columns.scored import NO_SCORES, joined_scores
from agreement.primitives.iou import Vector
from agreement.primitives.rules import MIN_IOU, Common, Mode, nothing_to_count
from agreement.score.detection import IOU_THRESHOLDS, detect
from agreement.score.kernel import Lineup, meet, turned
from agreement.score.matched_panels import MatchedPanels, figure_totals, match_panels

#: From boxes that barely touch to those that nearly coincide, .10:.05:.95.
SWEPT_IOUS: tuple[float, ...] = (*(round(0.1 + 0.05 * step, 2) for step in range(8)), *IOU_THRESHOLDS)
#: Most confidence thresholds.
MAX_CONFIDENCES = 20


@dataclass(frozen=True, slots=True)
class IouPoint:
    """The score at box match threshold `min_iou`; None if no subfigure counts. counted: gold subfigures."""

    min_iou: float
    score: float | None
    counted: int


@dataclass(frozen=True, slots=True)
class ConfidencePoint:
    """A prediction with only the boxes of score `threshold` or more.

    boxes: how many remain. score: the metric; None if no subfigure counts. precision, recall, f1: of the boxes,
    one to one, at the IoU in use; precision is None without boxes, recall without gold boxes, f1 without both.
    """

    threshold: float
    boxes: int
    score: float | None
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class ConfidenceSweep:
    """A prediction at rising thresholds on its scores; the first keeps all. reason: why there are none, or "".

    best_f1: the lowest threshold with the greatest F1 of the boxes; best_score: likewise for the metric. Both are
    chosen on the gold that they are measured on; None if undefined.
    """

    points: tuple[ConfidencePoint, ...]
    best_f1: ConfidencePoint | None
    best_score: ConfidencePoint | None
    reason: str


def iou_sweep(
    gold: Sequence[Submitted], predicted: Sequence[Submitted], *, mode: Mode = Mode.PAPER, common: Common
) -> tuple[IouPoint, ...]:
    """Return the score at each threshold of `SWEPT_IOUS`. gold, predicted: F works each, figure by figure."""
    return _points(match_panels(gold, predicted, mode=mode, common=common), len(gold), mode)


def iaa_sweep(
    work: Corpus, *, mode: Mode = Mode.PAPER, common: Common, strangers: bool = True
) -> tuple[IouPoint, ...]:
    """Return the IAA at each threshold of `SWEPT_IOUS`; counted: over all pairs.

    work, strangers: see `pair_scores`.
    """
    panels = panels_of_corpus(work, mode, common)
    curves = []
    for met in meetings(work, strangers=strangers).values():
        lineup = Lineup(met.one, met.other, np.zeros_like(met.one), 1)
        meeting = meet(panels, lineup)
        for sides, way in ((lineup, meeting), (lineup.turned(), turned(meeting))):
            curves.append(_points(MatchedPanels(panels, sides, way), len(met.figures), mode))
    points = []
    for threshold, own in zip(SWEPT_IOUS, zip(*curves, strict=True), strict=bool(curves)):
        known = [point.score for point in own if point.score is not None]
        mean = sum(known) / len(known) if known else None
        points.append(IouPoint(threshold, mean, sum(point.counted for point in own)))
    return tuple(points)


def _points(sides: MatchedPanels, figures: int, mode: Mode) -> tuple[IouPoint, ...]:
    scores = sides.scores(0.0)
    scored = sides.panels.left_out[scores.golds] < 0
    if_missed = sides.panels.zero_if_missed[scores.golds]
    points = []
    for threshold in SWEPT_IOUS:
        answered = (scores.matches >= 0) & (scores.iou >= threshold)
        counted = int(scored.sum() + (if_missed & ~answered).sum())
        totals = figure_totals(scores, np.where(answered, scores.f1, 0.0), figures)
        points.append(IouPoint(threshold, _mean(totals, counted, figures, mode), counted))
    return tuple(points)


def confidence_sweep(
    gold: Sequence[Submitted],
    predicted: Sequence[Submitted],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common,
) -> ConfidenceSweep:
    """Score the prediction at thresholds on its confidence, at most `MAX_CONFIDENCES` of its distinct scores.

    gold, predicted: F works each, figure by figure.
    """
    confidences = joined_scores(predicted)
    if confidences is None:
        return ConfidenceSweep((), None, None, NO_SCORES)
    if not len(confidences):
        return ConfidenceSweep((), None, None, "it has no box")
    thresholds = _thresholds(confidences)
    if len(thresholds) == 1:
        return ConfidenceSweep((), None, None, f"every score is {thresholds[0]:g}")
    ours, theirs = Corpus.of(gold), Corpus.of(predicted)
    points = tuple(
        _point(ours, theirs.with_panels(confidences >= threshold), threshold, min_iou, mode, common)
        for threshold in thresholds
    )
    by_f1 = [point for point in points if point.f1 is not None]
    by_score = [point for point in points if point.score is not None]
    return ConfidenceSweep(
        points,
        max(by_f1, key=lambda point: point.f1 or 0.0, default=None),
        max(by_score, key=lambda point: point.score or 0.0, default=None),
        "",
    )


def _thresholds(confidences: Vector) -> list[float]:
    """Return the distinct scores, ascending; of many, those at evenly spaced ranks including both ends."""
    values = np.unique(confidences)
    if len(values) > MAX_CONFIDENCES:
        values = values[np.linspace(0, len(values) - 1, MAX_CONFIDENCES).round().astype(np.int64)]
    return [float(value) for value in values]


def _point(
    gold: Corpus, predicted: Corpus, threshold: float, min_iou: float, mode: Mode, common: Common
) -> ConfidencePoint:
    scores = match_panels(gold, predicted, mode=mode, common=common).scores(min_iou)
    totals = figure_totals(scores, scores.f1, len(gold))
    boxes = detect(gold.boxes, gold.panels, predicted.boxes, predicted.panels)
    return ConfidencePoint(
        threshold=threshold,
        boxes=len(predicted.boxes),
        score=_mean(totals, int(scores.counted.sum()), len(predicted), mode),
        precision=boxes.precision(min_iou),
        recall=boxes.recall(min_iou),
        f1=boxes.f1(min_iou),
    )


def _mean(totals: Vector, counted: int, figures: int, mode: Mode) -> float | None:
    if counted:
        return float(totals.sum()) / counted
    return nothing_to_count(mode) if figures else None
