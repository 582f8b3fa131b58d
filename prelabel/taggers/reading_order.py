"""The paper's way from spans to boxes for a tagger that does not see the boxes: both in reading order, paired.

Plain Python, so that the oracles of `prelabel evaluate --table` need no weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from panelwise.domain import Box

T = TypeVar("T")

#: Boxes whose tops differ by less than this many pixels from that of the row's first stand in one row.
ROW_PIXELS = 50.0


def row_order(boxes: Sequence[Box], *, tolerance: float = ROW_PIXELS) -> tuple[int, ...]:
    """Positions of the boxes by row, then from left to right (appendix C).

    tolerance: pixels; a row takes in what begins less than this below its topmost box.
    """
    order: list[int] = []
    row: list[int] = []
    for place in sorted(range(len(boxes)), key=lambda each: (boxes[each].y0, boxes[each].x0)):
        if row and boxes[place].y0 - boxes[row[0]].y0 >= tolerance:
            order += _from_left(row, boxes)
            row = []
        row.append(place)
    return (*order, *_from_left(row, boxes))


def paired(boxes: Sequence[Box], parts: Sequence[T], nothing: T, *, tolerance: float = ROW_PIXELS) -> list[T]:
    """For each box, what belongs to it: the parts of the caption in their order, handed out in `row_order`.

    Boxes beyond the number of parts get the last; parts beyond the number of boxes are left over; without any
    part, every box gets `nothing`.
    """
    given = [nothing] * len(boxes)
    if parts:
        for rank, place in enumerate(row_order(boxes, tolerance=tolerance)):
            given[place] = parts[min(rank, len(parts) - 1)]
    return given


def _from_left(row: list[int], boxes: Sequence[Box]) -> list[int]:
    return sorted(row, key=lambda each: (boxes[each].x0, boxes[each].y0))
