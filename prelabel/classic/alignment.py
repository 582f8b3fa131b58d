"""Pairing boxes with labels: both in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.domain.geometry import Box

#: Boxes whose tops differ by less stand in one row: pixels, of an image whose longer side is REFERENCE_SIDE.
ROW_TOLERANCE, REFERENCE_SIDE = 50.0, 1000.0


def reading_order(boxes: Sequence[Box], *, width: float, height: float) -> tuple[int, ...]:
    """Positions of the boxes by row, then from left to right. width, height: of the image, in pixels.

    A row takes in what begins less than ROW_TOLERANCE below its first box, scaled with the image.
    """
    tolerance = ROW_TOLERANCE * max(width, height) / REFERENCE_SIDE
    order = sorted(range(len(boxes)), key=lambda place: (boxes[place].y0, boxes[place].x0, place))
    result: list[int] = []
    row: list[int] = []
    for place in order:
        if row and boxes[place].y0 - boxes[row[0]].y0 >= tolerance:
            result.extend(sorted(row, key=lambda each: (boxes[each].x0, each)))
            row = []
        row.append(place)
    result.extend(sorted(row, key=lambda each: (boxes[each].x0, each)))
    return tuple(result)


def align(
    boxes: Sequence[Box], labels: Sequence[str], *, width: float, height: float
) -> tuple[tuple[int, str, str | None], ...]:
    """In reading order: position of the box, the label it gets, and the caption's label whose text it takes.

    Without labels in the caption the boxes are numbered from 1 and take no text. Where boxes are left over after
    the last label, they take the last one's text and a label of their own ("c2"); where there are
    twice, three times, ... as many boxes as labels, each takes two, three, ... ("a1", "a2"). Labels left over go
    unused.
    """
    order = reading_order(boxes, width=width, height=height)
    if not labels:
        return tuple((place, str(number), None) for number, place in enumerate(order, start=1))
    if len(boxes) > len(labels) and len(boxes) % len(labels) == 0:
        each = len(boxes) // len(labels)
        names = [f"{label}{number}" for label in labels for number in range(1, each + 1)]
        names = list(dict.fromkeys(names))
        if len(names) == len(boxes):
            sources = [label for label in labels for _ in range(each)]
            return tuple(zip(order, names, sources, strict=True))
    result: list[tuple[int, str, str | None]] = []
    used = set(labels)
    for rank, place in enumerate(order):
        if rank < len(labels):
            result.append((place, labels[rank], labels[rank]))
            continue
        number = 2
        while f"{labels[-1]}{number}" in used:
            number += 1
        used.add(f"{labels[-1]}{number}")
        result.append((place, f"{labels[-1]}{number}", labels[-1]))
    return tuple(result)
