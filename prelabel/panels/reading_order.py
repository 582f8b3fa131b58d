"""The order in which the panels of a figure are read: a tree of rows and columns, with any nesting."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from panelwise.domain import Box

#: Boxes are separate along a side if they overlap by less than this share of the shorter one. Tried in turn:
#: first as boxes stand when drawn well, then as where some are drawn too large.
OVERLAPS = (0.2, 0.35)

#: If boxes are not separate, those whose tops differ by less are in one row: share of the longest side.
ROW_TOLERANCE = 0.05

#: Log-odds that a figure is read by column: of any figure; for each unit by which its rows are more ragged than
#: its columns (0 to 1); if a clean cut parts its columns only; for each factor e by which rows outnumber columns.
#: Fitted on the true boxes of simulated and real figures for which the two orders differ; then 1.1 less for any
#: figure, as boxes that are found are more ragged than true ones.
BY_COLUMN, RAGGED, CUT, MORE_ROWS = -3.5, 2.8, 2.5, 0.8

#: A cut is clean where boxes overlap by less than this share; boxes of one row share so much of their height.
CLEAN, IN_LINE = 0.03, 0.5

#: Sides of a box as (start, end), for both directions.
_Sides = tuple[tuple[float, float], ...]


def reading_order(boxes: Sequence[Box], *, by_column: bool = False) -> tuple[int, ...]:
    """Positions of the boxes as a reader goes through them: by row and then from left to right.

    Rows that go across all boxes come first, each read for itself. Where there are none, as beside a tall panel,
    columns are read one after the other, columns that have rows in common as one. by_column: the same with rows
    and columns exchanged.
    """
    across = tuple((box.x0, box.x1) for box in boxes)
    down = tuple((box.y0, box.y1) for box in boxes)
    first, second = (across, down) if by_column else (down, across)
    order: list[int] = []
    waiting = [list(range(len(boxes)))] if boxes else []
    while waiting:
        block = waiting.pop()
        parts = _parts(block, first, second)
        if len(parts) == 1:
            order.extend(parts[0] if len(block) == 1 else _by_tops(block, first, second))
        else:
            waiting.extend(reversed(parts))
    return tuple(order)


def column_odds(boxes: Sequence[Box]) -> float:
    """Log-odds that the boxes are read by column rather than by row, from how they stand."""
    across = tuple((box.x0, box.x1) for box in boxes)
    down = tuple((box.y0, box.y1) for box in boxes)
    every = range(len(boxes))
    clean = (len(separated(every, down, CLEAN)) == 1) - (len(separated(every, across, CLEAN)) == 1)
    rows, columns = len(separated(every, down, OVERLAPS[0])), len(separated(every, across, OVERLAPS[0]))
    return BY_COLUMN + RAGGED * (_ragged(down) - _ragged(across)) + CUT * clean + MORE_ROWS * log(rows / columns)


def _ragged(sides: _Sides) -> float:
    """Return the average offset of boxes that stand in one line: share of their size, up to 1."""
    found = []
    for one, (start, end) in enumerate(sides):
        for other_start, other_end in sides[:one]:
            shorter = min(end - start, other_end - other_start)
            if min(end, other_end) - max(start, other_start) > IN_LINE * shorter:
                found.append(min(1.0, (abs(start - other_start) + abs(end - other_end)) / (2 * shorter)))
    return sum(found) / len(found) if found else 0.0


def _parts(block: list[int], first: _Sides, second: _Sides) -> list[list[int]]:
    """The block's rows, or else its columns with those joined that have rows in common; else the block itself."""
    for overlap in OVERLAPS:
        rows = separated(block, first, overlap)
        if len(rows) > 1:
            return rows
        columns = separated(block, second, overlap)
        if len(columns) > 1:
            return _joined(columns, first, overlap)
    return [block]


def _joined(columns: list[list[int]], first: _Sides, overlap: float) -> list[list[int]]:
    """Neighbouring columns that can be read by common rows as one block each, though never all of them."""
    blocks: list[list[int]] = []
    place = 0
    while place < len(columns):
        end = len(columns) if place else len(columns) - 1
        while end > place + 1:
            union = [each for column in columns[place:end] for each in column]
            if len(separated(union, first, overlap)) > 1:
                break
            end -= 1
        end = max(end, place + 1)
        blocks.append([each for column in columns[place:end] for each in column])
        place = end
    return blocks


def separated(block: Sequence[int], sides: _Sides, overlap: float) -> list[list[int]]:
    """The block cut wherever nothing before lies over anything after by more than `overlap` of the shorter one."""
    ranked = sorted(block, key=lambda each: (sides[each][0] + sides[each][1], each))
    # How many pairs that overlap stand on both sides of the cut before each rank, as differences.
    change = [0] * (len(ranked) + 1)
    for rank, one in enumerate(ranked):
        start, end = sides[one]
        for later in range(rank + 1, len(ranked)):
            other_start, other_end = sides[ranked[later]]
            if end - other_start > overlap * min(end - start, other_end - other_start):
                change[rank + 1] += 1
                change[later + 1] -= 1
    parts: list[list[int]] = [[ranked[0]]] if ranked else []
    crossing = 0
    for rank in range(1, len(ranked)):
        crossing += change[rank]
        if crossing == 0:
            parts.append([])
        parts[-1].append(ranked[rank])
    return parts


def _by_tops(block: list[int], first: _Sides, second: _Sides) -> list[int]:
    """By rows of similar tops: for boxes that lie over each other."""
    longest = max(max(sides[each][1] for each in block) for sides in (first, second))
    order: list[int] = []
    row: list[int] = []
    for each in sorted(block, key=lambda place: (first[place][0], second[place][0], place)):
        if row and first[each][0] - first[row[0]][0] >= ROW_TOLERANCE * longest:
            order.extend(sorted(row, key=lambda place: (second[place][0], place)))
            row = []
        row.append(each)
    order.extend(sorted(row, key=lambda place: (second[place][0], place)))
    return order
