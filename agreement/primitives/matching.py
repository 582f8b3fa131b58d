"""Which predicted box answers to which gold box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.iou import Boxes, Vector

#: (N,) int64.
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """The boxes of two sides that overlap at all. one, other: (O,) places, ascending; iou: (O,), above 0."""

    one: Indices
    other: Indices
    iou: Vector


def ranges(starts: Indices, sizes: Indices) -> Indices:
    """The numbers start, start + 1, ... start + size - 1 of each range, one range after the other.

    starts, sizes: (F,); a size may be 0. Returns (sum of sizes,).
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Indices = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - sizes), sizes)
    return numbers


def overlaps(one: Boxes, one_sizes: Indices, other: Boxes, other_sizes: Indices) -> Overlaps:
    """The boxes of one figure that overlap, and their IoU, of F figures.

    one: (N, 4), other: (M, 4), the boxes of F figures one figure after the other; *_sizes: (F,), how many of them
    each figure has. Both sides see the same IoU.
    """
    options = np.repeat(other_sizes, one_sizes)
    left = np.repeat(np.arange(len(one)), options)
    right = ranges(np.repeat(np.cumsum(other_sizes) - other_sizes, one_sizes), options)
    a, b = np.ascontiguousarray(one.T), np.ascontiguousarray(other.T)
    width = np.minimum(a[2][left], b[2][right]) - np.maximum(a[0][left], b[0][right])
    # Most boxes of a figure stand apart; what follows looks at the others alone.
    beside = np.flatnonzero(width > 0.0)
    left, right, width = left[beside], right[beside], width[beside]
    height = np.minimum(a[3][left], b[3][right]) - np.maximum(a[1][left], b[1][right])
    above = np.flatnonzero(height > 0.0)
    left, right = left[above], right[above]
    shared = width[above] * height[above]
    union = ((a[2] - a[0]) * (a[3] - a[1]))[left] + ((b[2] - b[0]) * (b[3] - b[1]))[right] - shared
    some = np.flatnonzero(shared > 0.0)
    if len(some) < len(shared):
        # Slivers whose area is too small for a number share nothing.
        left, right, shared, union = left[some], right[some], shared[some], union[some]
    return Overlaps(left, right, shared / union)


def best_answers(queries: Indices, answering: Indices, iou: Vector, number: int) -> tuple[Indices, Vector]:
    """For each of `number` boxes the one that overlaps it most, -1 for none, and that IoU, there 0.

    asking, answering: (O,) places of overlapping boxes; for each asking box the answering ones ascend, and of
    equal ones the first is taken: ties go to the first in stored order. iou: (O,). Several may be answered by one.
    """
    best = np.zeros(number)
    left = np.arange(len(queries))
    while len(left):
        # Of several values given to one place one stays; those that are above it have another turn.
        best[queries[left]] = iou[left]
        left = left[iou[left] > best[queries[left]]]
    answers = np.full(number, -1, dtype=np.int64)
    reached = np.flatnonzero(iou == best[queries])[::-1]
    # Of several values given to one place the last one stays, so the first comes last.
    answers[queries[reached]] = answering[reached]
    return answers, best
