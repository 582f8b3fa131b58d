"""Which predicted box answers to which gold box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agreement.metrics.iou import Boxes, Vector, aligned_iou

#: (N,) int64.
Indices = NDArray[np.int64]


def ranges(starts: Indices, sizes: Indices) -> Indices:
    """The numbers start, start + 1, ... start + size - 1 of each range, one range after the other.

    starts, sizes: (F,); a size may be 0. Returns (sum of sizes,).
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Indices = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes)
    return numbers


def best_matches(gold: Boxes, gold_sizes: Indices, other: Boxes, other_sizes: Indices) -> tuple[Indices, Vector]:
    """For each gold box the box of the same figure in `other` with the largest IoU, and that IoU.

    gold: (G, 4), other: (P, 4), the boxes of F figures one figure after the other; *_sizes: (F,), how many of them
    each figure has. Ties go to the first in stored order. Returns (G,) places in `other`, -1 where no box of that
    figure overlaps at all, and (G,) IoU, there 0. Several gold boxes may be answered by one.
    """
    answers = np.full(len(gold), -1, dtype=np.int64)
    best = np.zeros(len(gold))
    starts = np.cumsum(other_sizes) - other_sizes
    options = np.repeat(other_sizes, gold_sizes)
    compared = np.flatnonzero(options)
    if not len(compared):
        return answers, best
    options = options[compared]
    candidates = ranges(np.repeat(starts, gold_sizes)[compared], options)
    iou = aligned_iou(np.repeat(gold[compared], options, axis=0), other[candidates])
    segments = np.cumsum(options) - options
    best[compared] = np.maximum.reduceat(iou, segments)
    # Places grow within a segment, so the least place that reaches the maximum is the first in stored order.
    reaches = iou == np.repeat(best[compared], options)
    answers[compared] = np.minimum.reduceat(np.where(reaches, candidates, len(other)), segments)
    answers[best <= 0.0] = -1
    return answers, best
