"""Whether two annotators drew the same boxes, whatever they marked as text: symmetric, unlike the score.

Boxes are matched one to one, figure by figure, so that the sum of the IoUs is greatest. A match counts at a
threshold that its IoU reaches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from agreement.metrics.iou import Boxes, Vector, box_iou
from agreement.metrics.matching import Indices, best_matches
from agreement.metrics.subfigure_f1 import MIN_IOU

#: The thresholds of COCO's evaluation, .50:.05:.95.
IOU_THRESHOLDS: tuple[float, ...] = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))


@dataclass(frozen=True, slots=True)
class Detection:
    """The boxes of one side against those of the other. gold, other: how many each drew.

    ious: (M,) of the matches, those that overlap at all.
    """

    gold: int
    other: int
    ious: Vector

    def matched(self, threshold: float) -> int:
        """Matches whose IoU is `threshold` or more."""
        return int((self.ious >= threshold).sum())

    def precision(self, threshold: float) -> float | None:
        """Share of the other side's boxes that are matched; None where it drew none."""
        return self.matched(threshold) / self.other if self.other else None

    def recall(self, threshold: float) -> float | None:
        """Share of the gold's boxes that are matched; None where there is none."""
        return self.matched(threshold) / self.gold if self.gold else None

    def f1(self, threshold: float) -> float | None:
        """2 · matched / (gold + other): the same both ways round; None where neither drew a box."""
        drawn = self.gold + self.other
        return 2 * self.matched(threshold) / drawn if drawn else None

    def mean_f1(self) -> float | None:
        """Mean of the F1s at the ten thresholds of `IOU_THRESHOLDS`; None where neither drew a box."""
        scores = [f1 for f1 in map(self.f1, IOU_THRESHOLDS) if f1 is not None]
        return sum(scores) / len(scores) if scores else None

    def mean_iou(self, threshold: float = MIN_IOU) -> float | None:
        """Mean IoU of the matches that count at `threshold`; None where none does."""
        counting = self.ious[self.ious >= threshold]
        return float(counting.mean()) if len(counting) else None


def detect(gold: Boxes, gold_sizes: Indices, other: Boxes, other_sizes: Indices) -> Detection:
    """Match the boxes of F figures one to one.

    gold: (G, 4), other: (P, 4), the boxes of F figures one figure after the other; *_sizes: (F,), how many of them
    each figure has.
    """
    matches, iou = best_matches(gold, gold_sizes, other, other_sizes)
    owners = np.repeat(np.arange(len(gold_sizes)), gold_sizes)
    contested = _contested(matches, owners)
    # Where each box is answered by another one, the best answers together are the best matching.
    settled = iou[(matches >= 0) & ~np.isin(owners, contested)]
    gold_starts, other_starts = np.cumsum(gold_sizes) - gold_sizes, np.cumsum(other_sizes) - other_sizes
    found = [settled]
    for figure in contested.tolist():
        ours = gold[gold_starts[figure] :][: gold_sizes[figure]]
        theirs = other[other_starts[figure] :][: other_sizes[figure]]
        table = box_iou(ours, theirs)
        chosen = table[linear_sum_assignment(table, maximize=True)]
        found.append(chosen[chosen > 0.0])
    return Detection(len(gold), len(other), np.concatenate(found))


def together(detections: Iterable[Detection]) -> Detection:
    """Those of several pairs as one: counts added up, matches one after the other."""
    every = list(detections)
    return Detection(
        sum(each.gold for each in every),
        sum(each.other for each in every),
        np.concatenate([np.zeros(0), *(each.ious for each in every)]),
    )


def _contested(matches: Indices, owners: Indices) -> Indices:
    """The figures in which one box is the best answer to several."""
    answered = np.flatnonzero(matches >= 0)
    _, inverse, counts = np.unique(matches[answered], return_inverse=True, return_counts=True)
    figures: Indices = np.unique(owners[answered[counts[inverse] > 1]])
    return figures
