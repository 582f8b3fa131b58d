"""Match predicted boxes to gold boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.iou import Boxes, Vector

#: (N,) int64.
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """The boxes of two sides with an IoU above 0. one, other: (O,) indices, ascending; iou: (O,)."""

    one: Indices
    other: Indices
    iou: Vector


def ranges(starts: Indices, sizes: Indices) -> Indices:
    """Return start, start + 1, ... start + size - 1 of each range, concatenated.

    starts, sizes: (F,); a size may be 0. Returns (sum of sizes,).
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Indices = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes)
    return numbers


def overlaps(one: Boxes, one_sizes: Indices, other: Boxes, other_sizes: Indices) -> Overlaps:
    """Find the boxes that overlap within each of F figures, and their IoU.

    one: (N, 4), other: (M, 4), concatenated by figure; *_sizes: (F,) boxes per figure. The IoU is symmetric.
    """
    options = np.repeat(other_sizes, one_sizes)
    left = np.repeat(np.arange(len(one)), options)
    right = ranges(np.repeat(np.cumsum(other_sizes) - other_sizes, one_sizes), options)
    a, b = np.ascontiguousarray(one.T), np.ascontiguousarray(other.T)
    width = np.minimum(a[2][left], b[2][right]) - np.maximum(a[0][left], b[0][right])
    # Most boxes of a figure overlap no other; only the others are examined below.
    beside = np.flatnonzero(width > 0.0)
    left, right, width = left[beside], right[beside], width[beside]
    height = np.minimum(a[3][left], b[3][right]) - np.maximum(a[1][left], b[1][right])
    above = np.flatnonzero(height > 0.0)
    left, right = left[above], right[above]
    shared = width[above] * height[above]
    union = ((a[2] - a[0]) * (a[3] - a[1]))[left] + ((b[2] - b[0]) * (b[3] - b[1]))[right] - shared
    some = np.flatnonzero(shared > 0.0)
    if len(some) < len(shared):
        # Slivers whose area underflows have no intersection.
        left, right, shared, union = left[some], right[some], shared[some], union[some]
    return Overlaps(left, right, shared / union)


def best_matches(queries: Indices, answering: Indices, iou: Vector, number: int) -> tuple[Indices, Vector]:
    """Return the best match of each of `number` boxes, -1 for none, and its IoU, 0 for none.

    queries, answering: (O,) indices of overlapping boxes; those of one query ascend. iou: (O,). Of equal IoUs the
    first in stored order wins. A box may be the best match of several.
    """
    best = np.zeros(number)
    left = np.arange(len(queries))
    while len(left):
        # Of several values assigned to one index one remains; those above it are assigned again.
        best[queries[left]] = iou[left]
        left = left[iou[left] > best[queries[left]]]
    answers = np.full(number, -1, dtype=np.int64)
    reached = np.flatnonzero(iou == best[queries])[::-1]
    # Of several values assigned to one index the last one remains, so the first comes last.
    answers[queries[reached]] = answering[reached]
    return answers, best
