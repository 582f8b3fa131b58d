"""Spans of a caption's tokens: as BIOUL tags and back, as targets of training, and paired with boxes.

BIOUL: Begin, Inside, Outside, Last, Unit (a span of one). No torch is needed here, so that the oracles of
`prelabel evaluate --table` need no weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

import numpy as np

from panelwise.domain import Box

#: The tags, as numbers, and how many there are.
OUTSIDE, BEGIN, INSIDE, LAST, UNIT = range(5)
TAGS = 5

#: Half-open range of token ids, [first, stop), not empty.
TokenSpan = tuple[int, int]

#: What a sequence may begin and end with, (5,), and what may follow what, (5, 5), from row to column.
MAY_BEGIN = np.array([True, True, False, False, True])
MAY_END = np.array([True, False, False, True, True])
MAY_FOLLOW = np.array(
    [
        [True, True, False, False, True],
        [False, False, True, True, False],
        [False, False, True, True, False],
        [True, True, False, False, True],
        [True, True, False, False, True],
    ]
)


def runs(tokens: Iterable[int]) -> list[TokenSpan]:
    """The fewest spans that hold exactly these token ids, in order: one per run of consecutive ids."""
    found: list[TokenSpan] = []
    for token in sorted(set(tokens)):
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def tags_of(spans: Iterable[TokenSpan], count: int) -> list[int]:
    """The tags of a caption of `count` tokens with these spans, which may touch but not overlap.

    Raises ValueError for a span that is empty, leaves the caption or overlaps another.
    """
    tags = [OUTSIDE] * count
    for start, stop in spans:
        if not 0 <= start < stop <= count or any(tags[start:stop]):
            raise ValueError(f"span [{start}, {stop}) of {count} tokens is empty, outside or overlaps another")
        if stop - start == 1:
            tags[start] = UNIT
        else:
            tags[start:stop] = [BEGIN, *[INSIDE] * (stop - start - 2), LAST]
    return tags


def spans_of(tags: Sequence[int]) -> list[TokenSpan]:
    """The spans of tags that obey MAY_BEGIN, MAY_FOLLOW and MAY_END, in order."""
    found: list[TokenSpan] = []
    start = 0
    for place, tag in enumerate(tags):
        if tag in (BEGIN, UNIT):
            start = place
        if tag in (LAST, UNIT):
            found.append((start, place + 1))
    return found


def tokens_of(tags: Sequence[int]) -> frozenset[int]:
    """Ids of the tokens inside spans."""
    return frozenset(place for place, tag in enumerate(tags) if tag != OUTSIDE)


def longest_spans(subcaptions: Iterable[Collection[int]]) -> list[TokenSpan | None]:
    """For each subcaption in turn, its longest run of tokens that overlaps no span chosen before (section 3.2).

    Of runs of one length the first. A run that overlaps is left out as a whole, not cut, as in the authors' code.
    None if a subcaption is empty or all its runs overlap.
    """
    used: set[int] = set()
    chosen: list[TokenSpan | None] = []
    for tokens in subcaptions:
        free = [run for run in runs(tokens) if used.isdisjoint(range(*run))]
        span = max(free, key=lambda each: each[1] - each[0], default=None)
        if span is not None:
            used.update(range(*span))
        chosen.append(span)
    return chosen


T = TypeVar("T")

#: Boxes whose tops differ by less than this many pixels from that of the row's first stand in one row.
_ROW_PIXELS = 50.0


def row_order(boxes: Sequence[Box]) -> tuple[int, ...]:
    """Positions of the boxes by row, then from left to right (appendix C).

    A row takes in what begins less than 50 pixels below its topmost box.
    """
    order: list[int] = []
    row: list[int] = []
    for place in sorted(range(len(boxes)), key=lambda each: (boxes[each].y0, boxes[each].x0)):
        if row and boxes[place].y0 - boxes[row[0]].y0 >= _ROW_PIXELS:
            order += _from_left(row, boxes)
            row = []
        row.append(place)
    return (*order, *_from_left(row, boxes))


def chained_order(boxes: Sequence[Box]) -> tuple[int, ...]:
    """Return the order of `row_order` as the authors' code has it, which differs where rows are not clear.

    A box joins the first row in which any box begins less than 50 pixels above or below it, so that rows creep;
    else its row stands before the first whose boxes all begin below it. The order of the boxes matters.
    """
    rows: list[list[int]] = []
    for place, box in enumerate(boxes):
        near = (row for row in rows if any(abs(boxes[each].y0 - box.y0) < _ROW_PIXELS for each in row))
        if (row := next(near, None)) is not None:
            row.append(place)
            continue
        below = (at for at, row in enumerate(rows) if all(box.y0 < boxes[each].y0 for each in row))
        rows.insert(next(below, len(rows)), [place])
    return tuple(place for row in rows for place in sorted(row, key=lambda each: boxes[each].x0))


#: Positions of boxes in reading order.
Order = Callable[[Sequence[Box]], tuple[int, ...]]


def paired(boxes: Sequence[Box], parts: Sequence[T], nothing: T, *, order: Order = row_order) -> list[T]:
    """For each box, what belongs to it: the parts of the caption in their order, handed out in the boxes' order.

    Boxes beyond the number of parts get the last; parts beyond the number of boxes are left over; without any
    part, every box gets `nothing`.
    """
    given = [nothing] * len(boxes)
    if parts:
        for rank, place in enumerate(order(boxes)):
            given[place] = parts[min(rank, len(parts) - 1)]
    return given


def _from_left(row: list[int], boxes: Sequence[Box]) -> list[int]:
    return sorted(row, key=lambda each: (boxes[each].x0, boxes[each].y0))
