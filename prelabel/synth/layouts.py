"""Where the panels of a simulated figure go: rows of cells with gutters, and the style of the panel letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

#: A cell of the canvas in whole pixels: x0, y0, x1, y1.
Cell = tuple[int, int, int, int]


class Lettering(StrEnum):
    """Where a panel's letter stands, and how it is written."""

    ABOVE = "above"  # bold black "A" over the panel's top left corner
    CORNER = "corner"  # white "A" inside the image, top left
    PLATE = "plate"  # black "A" on a white plate inside the image, bottom left
    BELOW = "below"  # "(a)" centred under the panel
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of panels: its height in pixels and the share of the width that each panel takes."""

    height: int
    shares: tuple[float, ...]


def cells_of(
    rows: Sequence[Row], *, width: int, margin: int, gutter: int
) -> tuple[tuple[Cell, ...], tuple[int, int]]:
    """The cells in reading order, and the canvas size (width, height) that they fill, in pixels."""
    cells: list[Cell] = []
    top = margin
    for row in rows:
        free = width - 2 * margin - gutter * (len(row.shares) - 1)
        left = float(margin)
        for share in row.shares:
            across = free * share / sum(row.shares)
            cells.append((round(left), top, round(left + across), top + row.height))
            left += across + gutter
        top += row.height + gutter
    return tuple(cells), (width, top - gutter + margin)


def inner_cell(cell: Cell, lettering: Lettering, *, strip: int) -> Cell:
    """The part of the cell left to the drawing, with a strip of pixels set apart for a letter outside it."""
    x0, y0, x1, y1 = cell
    if lettering is Lettering.ABOVE:
        return x0, y0 + strip, x1, y1
    if lettering is Lettering.BELOW:
        return x0, y0, x1, y1 - strip
    return cell
