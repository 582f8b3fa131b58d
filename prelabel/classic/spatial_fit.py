"""The misfit of a panel's place in the image and the caption's words: "top left", "second row, third"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from panelwise.domain import Box

#: Boxes stand in one row (or column) if they share this much of the shorter one's height (or width).
SHARED = 0.5

#: Or, looked at from the top, if one begins less than this share of the lower one's height below the other.
LIKE_TOPS = 0.3

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_COUNT = {word: place for place, word in enumerate(_ORDINALS)} | {
    f"{place + 1}{ending}": place
    for place in range(20)
    for ending in ("th" if place > 2 else ("st", "nd", "rd")[place],)
}
_WORD = re.compile(r"[a-z]+|\d{1,2}(?:st|nd|rd|th)?")
_PHRASE = re.compile(r"[,;]|\band\b")
_FIRST_ROW, _LAST_ROW = {"top", "upper", "uppermost", "above"}, {"bottom", "lower", "lowermost", "below"}
_FIRST_COLUMN, _LAST_COLUMN = {"left", "leftmost"}, {"right", "rightmost"}
_MIDDLE = {"middle", "center", "centre", "central"}


@dataclass(frozen=True, slots=True)
class Position:
    """A place along one direction: from the start (0, 1, ...), from the end (-1, ...), or the middle (None)."""

    place: int | None

    def misfit(self, place: int, count: int) -> float:
        """Return the misfit of `place` of `count`, from 0 (right) to 1 (at the other end)."""
        if count < 2:
            # "left" of a panel that has no neighbour says nothing; neither does it contradict.
            return 0.3 if self.place is not None else 0.0
        if self.place is None:
            off = abs(place - (count - 1) / 2) - (0.5 if count % 2 == 0 else 0.0)
        else:
            off = abs(place - (self.place if self.place >= 0 else count + self.place))
        return min(1.0, off / (count - 1) + 0.3 * (off > 0))


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of a box in its column and in its row, from 0, and the size of both."""

    row: int
    rows: int
    column: int
    columns: int


def places(boxes: Sequence[Box]) -> tuple[tuple[Placed, ...], ...]:
    """Return each box's places: among those beside it, among those above and below it, and in rows by their tops.

    In a figure of plain rows the two are one.
    """
    by_tops = _by_tops(boxes)
    return tuple((_placed(box, boxes), by_tops[number]) for number, box in enumerate(boxes))


def _by_tops(boxes: Sequence[Box]) -> dict[int, Placed]:
    """Return rows of boxes of similar tops, each from left to right."""
    rows: list[list[int]] = []
    for number in sorted(range(len(boxes)), key=lambda each: (boxes[each].y0, boxes[each].x0)):
        first = boxes[rows[-1][0]] if rows else None
        if first is not None and boxes[number].y0 - first.y0 < LIKE_TOPS * min(boxes[number].height, first.height):
            rows[-1].append(number)
        else:
            rows.append([number])
    found = {}
    for row, members in enumerate(rows):
        for column, number in enumerate(sorted(members, key=lambda each: boxes[each].x0)):
            found[number] = Placed(row, len(rows), column, len(members))
    return found


def _placed(box: Box, boxes: Sequence[Box]) -> Placed:
    beside = [each for each in boxes if _share((box.y0, box.y1), (each.y0, each.y1)) >= SHARED]
    stacked = [each for each in boxes if _share((box.x0, box.x1), (each.x0, each.x1)) >= SHARED]
    return Placed(
        sum(each.y0 + each.y1 < box.y0 + box.y1 for each in stacked),
        len(stacked),
        sum(each.x0 + each.x1 < box.x0 + box.x1 for each in beside),
        len(beside),
    )


def _share(one: tuple[float, float], other: tuple[float, float]) -> float:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared / min(one[1] - one[0], other[1] - other[0])


def read_position(words: str) -> tuple[Position | None, Position | None]:
    """Row and column that the words ask for, None if they say nothing: "upper row, left", "second from right".

    A number or "middle" that names neither tells the column, unless the column is told otherwise.
    """
    row: Position | None = None
    column: Position | None = None
    open_places: list[Position] = []
    for phrase in _PHRASE.split(words.lower()):
        found = _WORD.findall(phrase)
        if "from" in found:
            counted = next((place for place in map(_place, found) if place is not None), Position(0))
            ends = set(found[found.index("from") :])
            from_end = counted.place if counted.place is not None else 0
            if ends & (_FIRST_COLUMN | _LAST_COLUMN):
                column = Position(-1 - from_end) if ends & _LAST_COLUMN else Position(from_end)
            elif ends & (_FIRST_ROW | _LAST_ROW):
                row = Position(-1 - from_end) if ends & _LAST_ROW else Position(from_end)
            continue
        row_here = bool({"row", "rows"} & set(found))
        column_here = bool({"column", "columns"} & set(found))
        for word in found:
            if word in _FIRST_ROW:
                row = Position(0)
            elif word in _LAST_ROW:
                row = Position(-1)
            elif word in _FIRST_COLUMN:
                column = Position(0)
            elif word in _LAST_COLUMN:
                column = Position(-1)
            elif (place := _place(word, numbers=row_here or column_here)) is not None:
                if row_here:
                    row = place
                elif column_here:
                    column = place
                else:
                    open_places.append(place)
    for place in open_places:
        if column is None:
            column = place
        elif row is None:
            row = place
    return row, column


def _place(word: str, *, numbers: bool = False) -> Position | None:
    """The place that an ordinal or "middle" names, or a number beside "row" or "column"; else None."""
    if word in _MIDDLE:
        return Position(None)
    if word in _COUNT:
        return Position(_COUNT[word])
    if word == "last":
        return Position(-1)
    return Position(int(word) - 1) if numbers and word.isdigit() and 0 < int(word) <= 20 else None


def misfit(words: str, placed: Sequence[Placed]) -> float:
    """Return the misfit of a box's better place to the words: 0 (as they say, or none) to 2 (opposite corner)."""
    row, column = read_position(words)
    return min(
        (row.misfit(each.row, each.rows) if row else 0.0)
        + (column.misfit(each.column, each.columns) if column else 0.0)
        for each in placed
    )
