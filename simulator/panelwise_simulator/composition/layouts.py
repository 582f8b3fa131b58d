"""Layouts of a simulated figure's panels: grids, rows and columns of unequal panels, nested splits.

A layout is a tree of rows and columns whose leaves are panels of a wanted shape. Since the height of every such
tree is a linear function of its width, all panels get exactly their shape, whatever the nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from panelwise_simulator.kinds import Generator

#: A cell of the canvas in whole pixels: x0, y0, x1, y1.
Cell = tuple[int, int, int, int]

#: A panel is at least this many pixels wide and high, and the largest covers at most this many times the smallest.
SMALLEST, UNLIKE = 92, 6.5

#: Least and greatest width / height of a figure with several panels.
FLATTEST = (0.42, 3.6)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A panel: its number from 0, its width / height, and the pixels that its letter takes beside or above it."""

    number: int
    aspect: float
    columns_apart: int = 0
    above: int = 0


@dataclass(frozen=True, slots=True)
class Split:
    """Parts side by side (across) or one below the other, as high or as wide as each other."""

    across: bool
    parts: tuple[Tree, ...]


Tree = Leaf | Split


@dataclass(frozen=True, slots=True)
class Place:
    """A panel's cell, letter included, with its row, its column in that row and the panels in it; from 0."""

    cell: Cell
    row: int
    column: int
    columns: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Cells in the order of the labels, on an area of `width` x `height` pixels.

    name: "row", "column", "grid", "rows", "columns", "spanning" or "nested"; "single" for one panel.
    """

    name: str
    places: tuple[Place, ...]
    rows: int
    width: int
    height: int


def grid(
    leaves: Sequence[Leaf], columns: int, *, width: int, gutter: tuple[int, int], centred: bool = False
) -> Layout:
    """Panels of one size, that of the first leaf; a last row that is not full stands left or in the middle.

    gutter: pixels between columns and between rows. Up to as many columns as leaves.
    """
    first, (between, below) = leaves[0], gutter
    wide = (width - between * (columns - 1)) / columns
    high = (wide - first.columns_apart) / first.aspect + first.above
    cells: list[Cell] = []
    for number in range(len(leaves)):
        row, column = divmod(number, columns)
        free = columns - min(columns, len(leaves) - row * columns)
        x0 = column * (wide + between) + (free * (wide + between) / 2 if centred else 0.0)
        y0 = row * (high + below)
        cells.append((round(x0), round(y0), round(x0 + wide), round(y0 + high)))
    return _layout("grid" if len(leaves) > columns else "row", cells, width)


def justified(name: str, tree: Tree, *, width: int, gutter: tuple[int, int]) -> Layout:
    """Every panel of the tree in its own shape, the whole `width` pixels wide."""
    cells: dict[int, Cell] = {}
    slope, start = _height(tree, gutter)
    _place(tree, (0.0, 0.0, float(width), slope * width + start), gutter, cells)
    return _layout(name, [cells[number] for number in sorted(cells)], width)


def _height(tree: Tree, gutter: tuple[int, int]) -> tuple[float, float]:
    """The height as slope * width + start."""
    if isinstance(tree, Leaf):
        return 1 / tree.aspect, tree.above - tree.columns_apart / tree.aspect
    lines = [_height(part, gutter) for part in tree.parts]
    gaps = gutter[0 if tree.across else 1] * (len(lines) - 1)
    if not tree.across:
        return sum(slope for slope, _ in lines), sum(start for _, start in lines) + gaps
    total = sum(1 / slope for slope, _ in lines)
    return 1 / total, (sum(start / slope for slope, start in lines) - gaps) / total


def _place(
    tree: Tree, area: tuple[float, float, float, float], gutter: tuple[int, int], cells: dict[int, Cell]
) -> None:
    x0, y0, x1, y1 = area
    if isinstance(tree, Leaf):
        cells[tree.number] = (round(x0), round(y0), round(x1), round(y1))
        return
    for part in tree.parts:
        slope, start = _height(part, gutter)
        if tree.across:
            wide = (y1 - y0 - start) / slope
            _place(part, (x0, y0, x0 + wide, y1), gutter, cells)
            x0 += wide + gutter[0]
        else:
            high = slope * (x1 - x0) + start
            _place(part, (x0, y0, x1, y0 + high), gutter, cells)
            y0 += high + gutter[1]


def _layout(name: str, cells: Sequence[Cell], width: int) -> Layout:
    """Rows are told by the upper edges, as a reader would."""
    order = sorted(range(len(cells)), key=lambda number: (cells[number][1], cells[number][0]))
    rows: list[list[int]] = []
    for number in order:
        top = cells[number][1]
        if rows and top - cells[rows[-1][0]][1] < 0.3 * min(
            cells[number][3] - top, cells[rows[-1][0]][3] - cells[rows[-1][0]][1]
        ):
            rows[-1].append(number)
        else:
            rows.append([number])
    places: dict[int, Place] = {}
    for row, members in enumerate(rows):
        for column, number in enumerate(sorted(members, key=lambda each: cells[each][0])):
            places[number] = Place(cells[number], row, column, len(members))
    height = max(cell[3] for cell in cells)
    return Layout(name, tuple(places[number] for number in range(len(cells))), len(rows), width, height)


# ---- trees ----------------------------------------------------------------------------------------


def _row(leaves: Sequence[Tree]) -> Tree:
    return leaves[0] if len(leaves) == 1 else Split(True, tuple(leaves))


def _column(leaves: Sequence[Tree]) -> Tree:
    return leaves[0] if len(leaves) == 1 else Split(False, tuple(leaves))


def _cut(rng: Generator, leaves: Sequence[Leaf], parts: int) -> list[Sequence[Leaf]]:
    """The leaves in `parts` runs of one or more."""
    cuts = sorted(int(cut) for cut in rng.choice(len(leaves) - 1, parts - 1, replace=False) + 1)
    return [leaves[start:end] for start, end in pairwise([0, *cuts, len(leaves)])]


def _rows(rng: Generator, leaves: Sequence[Leaf]) -> Tree:
    count = len(leaves)
    most = max(2, round(count**0.5) + 1)
    return _column([_row(run) for run in _cut(rng, leaves, int(rng.integers(2, min(most, count - 1) + 1)))])


def _columns(rng: Generator, leaves: Sequence[Leaf]) -> Tree:
    count = len(leaves)
    most = max(2, round(count**0.5))
    return _row([_column(run) for run in _cut(rng, leaves, int(rng.integers(2, min(most, count - 1) + 1)))])


def _spanning(rng: Generator, leaves: Sequence[Leaf]) -> Tree:
    """One panel as wide or as high as all others together, before or after them."""
    across, last = bool(rng.random() < 0.5), bool(rng.random() < 0.3)
    big, rest = (leaves[-1], leaves[:-1]) if last else (leaves[0], leaves[1:])
    if len(rest) >= 4 and rng.random() < 0.6:
        half = (len(rest) + 1) // 2
        runs = [rest[:half], rest[half:]]
        inner = _column([_row(run) for run in runs])
    else:
        inner = _column(rest) if across else _row(rest)
    parts = (inner, big) if last else (big, inner)
    return Split(across, parts)


def _nested(rng: Generator, leaves: Sequence[Leaf], across: bool | None = None) -> Tree:
    if len(leaves) == 1:
        return leaves[0]
    if across is None:
        across = bool(rng.random() < 0.4)
    runs = _cut(rng, leaves, int(rng.integers(2, min(3, len(leaves)) + 1)))
    return Split(across, tuple(_nested(rng, run, not across) for run in runs))


_TREES: dict[str, Callable[[Generator, Sequence[Leaf]], Tree]] = {
    "row": lambda _, leaves: _row(leaves),
    "column": lambda _, leaves: _column(leaves),
    "rows": _rows,
    "columns": _columns,
    "spanning": _spanning,
    "nested": _nested,
}


def a_layout(
    rng: Generator, leaves: Sequence[Leaf], name: str, *, width: int, tallest: int, gutter: tuple[int, int]
) -> Layout | None:
    """A layout of that name, or None if no try gave panels of a fair size in a figure of a fair shape.

    name: "grid" or one of the names of trees; from three panels on for those other than "grid", "row", "column".
    tallest: greatest height in pixels; a taller one is made narrower, as low as two thirds of `width`.
    """
    for _ in range(6):
        if name == "grid":
            columns = _columns_of_grid(rng, len(leaves))
            centred = bool(rng.random() < 0.5)
            made = grid(leaves, columns, width=width, gutter=gutter, centred=centred)
            if made.height > tallest:
                made = grid(leaves, columns, width=_narrower(made, tallest), gutter=gutter, centred=centred)
        else:
            tree = _TREES[name](rng, leaves)
            made = justified(name, tree, width=width, gutter=gutter)
            if made.height > tallest:
                made = justified(name, tree, width=_narrower(made, tallest), gutter=gutter)
        if _fair(made, tallest):
            return made
    return None


def _narrower(made: Layout, tallest: int) -> int:
    return max(round(made.width * tallest / made.height), made.width * 2 // 3)


def _columns_of_grid(rng: Generator, count: int) -> int:
    """Mostly such that the last row is full and there are no more rows than columns, or hardly."""
    likely = [columns for columns in range(2, 6) if columns <= count <= columns * 6]
    weights = [(4.0 if count % columns == 0 else 1.0) / (1 + abs(columns - count**0.5) ** 2) for columns in likely]
    if not likely:
        return 1
    return likely[int(rng.choice(len(likely), p=[weight / sum(weights) for weight in weights]))]


def _fair(made: Layout, tallest: int) -> bool:
    if made.height > tallest or not FLATTEST[0] <= made.width / max(1, made.height) <= FLATTEST[1]:
        return False
    sizes = [(x1 - x0, y1 - y0) for x0, y0, x1, y1 in (place.cell for place in made.places)]
    areas = [wide * high for wide, high in sizes]
    return min(min(size) for size in sizes) >= SMALLEST and max(areas) <= UNLIKE * min(areas)
