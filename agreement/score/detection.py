"""Detection agreement: whether two annotators drew the same boxes, regardless of text. Symmetric.

Boxes are matched one to one in each figure, maximising the sum of the IoUs. A match counts at a threshold that its
IoU reaches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import fsum

import numpy as np

from agreement.primitives.iou import Boxes, Matrix, Vector, boxes_of
from agreement.primitives.matching import Indices, Overlaps, best_matches, overlaps
from agreement.primitives.rules import MIN_IOU
from agreement.primitives.token_sets import starts_of
from panelwise.domain import Subfigure

#: The thresholds of COCO's evaluation, .50:.05:.95.
IOU_THRESHOLDS: tuple[float, ...] = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
#: Boxes of a side up to which all assignments are tried: 120 of 5 to 5.
_FEW = 5


@dataclass(frozen=True, slots=True)
class Detection:
    """The one-to-one box matches of two sides. gold, other: number of boxes of each side.

    ious: (M,) of the matches, all above 0.
    """

    gold: int
    other: int
    ious: Vector

    def matched(self, threshold: float) -> int:
        """Return the number of matches with an IoU of at least `threshold`."""
        return int((self.ious >= threshold).sum())

    def precision(self, threshold: float) -> float | None:
        """Return the share of the other side's boxes that are matched; None if it has no boxes."""
        return self.matched(threshold) / self.other if self.other else None

    def recall(self, threshold: float) -> float | None:
        """Return the share of the gold's boxes that are matched; None if it has no boxes."""
        return self.matched(threshold) / self.gold if self.gold else None

    def f1(self, threshold: float) -> float | None:
        """Return 2 · matched / (gold + other), which is symmetric; None if neither side has boxes."""
        drawn = self.gold + self.other
        return 2 * self.matched(threshold) / drawn if drawn else None

    def mean_f1(self) -> float | None:
        """Mean F1 over the ten thresholds of `IOU_THRESHOLDS`; None if neither side has boxes."""
        scores = [f1 for f1 in map(self.f1, IOU_THRESHOLDS) if f1 is not None]
        return sum(scores) / len(scores) if scores else None

    def mean_iou(self, threshold: float = MIN_IOU) -> float | None:
        """Return the mean IoU of the matches that count at `threshold`; None without any."""
        counting = self.ious[self.ious >= threshold]
        return float(counting.mean()) if len(counting) else None


def detect(gold: Boxes, gold_sizes: Indices, other: Boxes, other_sizes: Indices) -> Detection:
    """Match the boxes of F figures one to one.

    gold: (G, 4), other: (P, 4), concatenated by figure; *_sizes: (F,) boxes per figure.
    """
    matches = best_matching(overlaps(gold, gold_sizes, other, other_sizes), gold_sizes, other_sizes)
    return Detection(len(gold), len(other), matches.iou)


def best_matching(found: Overlaps, gold_sizes: Indices, other_sizes: Indices) -> Overlaps:
    """Return the one-to-one matchings of F figures of the greatest sum.

    found: overlaps, or any similarity above 0 in the place of an IoU. *_sizes: (F,) boxes per figure.
    """
    owners = np.repeat(np.arange(len(gold_sizes)), gold_sizes)
    matched, contested = match_mutual_best(found, owners, int(other_sizes.sum()))
    whose = np.flatnonzero(np.isin(owners[found.one], contested))
    part = Overlaps(found.one[whose], found.other[whose], found.iou[whose])
    rest = match_by_assignment(part, gold_sizes, other_sizes)
    return Overlaps(
        np.concatenate([found.one[matched], rest.one]),
        np.concatenate([found.other[matched], rest.other]),
        np.concatenate([found.iou[matched], rest.iou]),
    )


def match_mutual_best(found: Overlaps, owners: Indices, others: int) -> tuple[Indices, Indices]:
    """Return the one-to-one matches of figures where they are certain, and the figures where they are not.

    owners: (G,) figure of each gold box. others: number of boxes of the other side. Returns (M,) indices in
    `found` and figure numbers, both ascending.

    Mutual best matches are paired. No other matching has as large a sum if no other overlap reaches half the sum
    of the IoUs that its two boxes have in their matches (0 if unmatched): the halves are dual prices that only the
    matches pay in full (linear programming duality).
    """
    golds = len(owners)
    answers, _ = best_matches(found.one, found.other, found.iou, golds)
    returned, _ = best_matches(found.other, found.one, found.iou, others)
    mutual = (answers[found.one] == found.other) & (returned[found.other] == found.one)
    ours, theirs = np.zeros(golds), np.zeros(others)
    ours[found.one[mutual]] = theirs[found.other[mutual]] = found.iou[mutual] / 2
    doubtful = ~mutual & (found.iou >= ours[found.one] + theirs[found.other])
    figures = owners[found.one]
    contested: Indices = np.unique(figures[doubtful])
    settled = mutual
    if len(contested):
        settled = mutual & ~np.isin(figures, contested)
    return np.flatnonzero(settled), contested


def match_by_assignment(found: Overlaps, gold_sizes: Indices, other_sizes: Indices) -> Overlaps:
    """Return the overlaps that form the one-to-one matchings of the greatest sum, figures ascending.

    found: overlaps of F figures, concatenated. *_sizes: (F,) boxes per figure.
    """
    own = [_best_of_stars(found)]
    rest = np.flatnonzero(~np.isin(found.one, own[0].one) & ~np.isin(found.other, own[0].other))
    found = Overlaps(found.one[rest], found.other[rest], found.iou[rest])
    figures = np.repeat(np.arange(len(gold_sizes)), gold_sizes)[found.one]
    gold_starts, other_starts = starts_of(gold_sizes)[figures], starts_of(other_sizes)[figures]
    rows, columns = found.one - gold_starts, found.other - other_starts
    heads = np.flatnonzero(np.diff(figures, prepend=-1)).tolist()
    for begin, end in pairwise([*heads, len(figures)]):
        part, figure = slice(begin, end), figures[begin]
        table = np.zeros((gold_sizes[figure], other_sizes[figure]))
        table[rows[part], columns[part]] = found.iou[part]
        ours, theirs = _assigned(table)
        some = table[ours, theirs] > 0.0
        ours, theirs = ours[some], theirs[some]
        own.append(Overlaps(ours + gold_starts[begin], theirs + other_starts[begin], table[ours, theirs]))
    one, other, iou = (np.concatenate([getattr(each, name) for each in own]) for name in ("one", "other", "iou"))
    order = np.argsort(one)
    return Overlaps(one[order], other[order], iou[order])


def _best_of_stars(found: Overlaps) -> Overlaps:
    """Return the best overlap of each box all of whose partners overlap no other: nothing competes for them."""
    chosen = []
    for box, partner in ((found.one, found.other), (found.other, found.one)):
        size = int(box.max(initial=-1)) + 1
        rivals = np.bincount(partner)[partner] > 1
        star = np.bincount(box[rivals], minlength=size)[box] == 0
        best, _ = best_matches(box, partner, found.iou, size)
        chosen.append(star & (best[box] == partner))
    some = np.flatnonzero(chosen[0] | chosen[1])
    return Overlaps(found.one[some], found.other[some], found.iou[some])


def _assigned(table: Matrix) -> tuple[Indices, Indices]:
    """Return rows and columns of the assignment with the greatest sum; what overlaps nothing is left out."""
    ours: list[int] = []
    theirs: list[int] = []
    left = np.flatnonzero(table.any(axis=1)).tolist()
    while left:
        # Boxes that hang together by their overlaps are assigned apart from others.
        rows, columns = np.array(left[:1]), np.flatnonzero(table[left[0]])
        while len(more := np.flatnonzero(table[:, columns].any(axis=1))) > len(rows):
            rows = more
            columns = np.flatnonzero(table[rows].any(axis=0))
        part = table[np.ix_(rows, columns)]
        if max(part.shape) > _FEW:
            # A fifth of a second to import, which few figures need.
            from scipy.optimize import linear_sum_assignment

            one, other = linear_sum_assignment(part, maximize=True)
        else:
            one, other = _tried(part) if len(rows) <= len(columns) else _tried(part.T)[::-1]
        ours += rows[one].tolist()
        theirs += columns[other].tolist()
        left = [row for row in left if row not in rows]
    order = np.argsort(np.array(ours, dtype=np.int64))
    return np.array(ours, dtype=np.int64)[order], np.array(theirs, dtype=np.int64)[order]


def _tried(table: Matrix) -> tuple[Indices, Indices]:
    """Try all assignments. table: no more rows than columns."""
    values = table.tolist()
    every = permutations(range(table.shape[1]), len(values))
    best = max(every, key=lambda chosen: fsum(row[column] for row, column in zip(values, chosen, strict=True)))
    return np.arange(len(values)), np.array(best, dtype=np.int64)


def paired(gold: Boxes, other: Boxes) -> Overlaps:
    """Return the one-to-one matching of one figure's boxes with the greatest sum. gold: (G, 4), other: (P, 4)."""
    sizes, other_sizes = np.array([len(gold)]), np.array([len(other)])
    return match_by_assignment(overlaps(gold, sizes, other, other_sizes), sizes, other_sizes)


def detect_subfigures(gold: Iterable[Subfigure], other: Iterable[Subfigure]) -> Detection:
    """Match the boxes of one figure's subfigures one to one; see `detect`."""
    ours, theirs = boxes_of(gold), boxes_of(other)
    return detect(ours, np.array([len(ours)]), theirs, np.array([len(theirs)]))


def together(detections: Iterable[Detection]) -> Detection:
    """Pool the detections of several pairs: counts are added, matches concatenated."""
    every = list(detections)
    return Detection(
        sum(each.gold for each in every),
        sum(each.other for each in every),
        np.concatenate([np.zeros(0), *(each.ious for each in every)]),
    )
