"""Arrangements of composed figures: those of simulated ones, tables of small panels, lines that do not align."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from panelwise_simulator.composition.layouts import Cell, Layout, Leaf, Place, a_layout, grid, justified
from panelwise_simulator.kinds import Generator

SINGLE, TABLE, RAGGED, BRICKS = "single", "table", "ragged", "bricks"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The frequency of an arrangement, and its least and greatest number of panels."""

    weight: float
    least: int
    most: int


#: Every arrangement by name. rows, columns: lines of different number, each as long as the figure. ragged: lines
#: of different length. bricks: every other line moved by half a panel. spanning: one panel beside a pile.
ARRANGEMENTS: Mapping[str, Arrangement] = MappingProxyType(
    {
        SINGLE: Arrangement(15, 1, 1),
        "row": Arrangement(12, 2, 6),
        "column": Arrangement(6, 2, 5),
        "grid": Arrangement(18, 3, 12),
        TABLE: Arrangement(13, 6, 40),
        "rows": Arrangement(10, 3, 16),
        "columns": Arrangement(5, 3, 12),
        "spanning": Arrangement(8, 3, 9),
        "nested": Arrangement(7, 4, 12),
        RAGGED: Arrangement(5, 3, 16),
        BRICKS: Arrangement(3, 5, 14),
    }
)

#: Greatest height in pixels, and as a multiple of the width.
_TALLEST, _UPRIGHT = 1500, 1.7

#: Width / height that lines of different length are not to exceed.
_FLATTEST = 3.0


def an_arrangement(rng: Generator) -> tuple[str, int]:
    """The name of an arrangement and its number of panels; small numbers are met most."""
    names = list(ARRANGEMENTS)
    weights = [ARRANGEMENTS[name].weight for name in names]
    name = names[int(rng.choice(len(names), p=[weight / sum(weights) for weight in weights]))]
    bounds = ARRANGEMENTS[name]
    low, high = bounds.least, bounds.most
    return name, min(high, low + int((high - low + 1) * float(rng.random()) ** 2.2))


def arrange(rng: Generator, name: str, leaves: Sequence[Leaf], width: int, gutter: tuple[int, int]) -> Layout:
    """A layout of that arrangement; of the nearest that gives panels of fair size where it gives none.

    gutter: pixels between columns and between rows.
    """
    tallest = min(_TALLEST, round(width * _UPRIGHT))
    if name == SINGLE or len(leaves) == 1:
        return justified(SINGLE, leaves[0], width=width, gutter=gutter)
    if name == TABLE:
        return _table(rng, leaves, width, gutter)
    if name in (RAGGED, BRICKS):
        return _ragged(rng, name, leaves, width, gutter)
    for tried in (name, "rows", "grid"):
        if tried == "rows" and len(leaves) < 3:
            continue
        made = a_layout(rng, leaves, tried, width=width, tallest=tallest, gutter=gutter)
        if made is not None:
            return made
    return _table(rng, leaves, width, gutter)


def _table(rng: Generator, leaves: Sequence[Leaf], width: int, gutter: tuple[int, int]) -> Layout:
    """A grid of up to ten columns: full where a full one is of a fair shape."""
    count = len(leaves)
    shapes = [
        (
            abs(math.log(columns * leaves[0].aspect / -(-count // columns) / 1.3)) + 0.5 * (count % columns > 0),
            columns,
        )
        for columns in range(1, min(10, count) + 1)
    ]
    likely = [columns for _, columns in sorted(shapes)[:3]]
    columns = likely[min(len(likely) - 1, int(3 * float(rng.random()) ** 2))]
    made = grid(leaves, columns, width=width, gutter=gutter, centred=bool(rng.random() < 0.3))
    if made.height > _TALLEST:
        made = grid(leaves, columns, width=max(320, width * _TALLEST // made.height), gutter=gutter)
    return made


def _ragged(rng: Generator, name: str, leaves: Sequence[Leaf], width: int, gutter: tuple[int, int]) -> Layout:
    """Rows of one height whose panels keep their shape; none is stretched to the width of the figure."""
    count = len(leaves)
    wide = sum(leaf.aspect for leaf in leaves)
    fewest = max(2, round((wide / _FLATTEST) ** 0.5))
    lines = min(count, int(rng.integers(fewest, max(fewest, round(count**0.5)) + 1)))
    if name == BRICKS or lines == count:
        cuts = [round(count * line / lines) for line in range(lines + 1)]
    else:
        middle = rng.choice(count - 1, lines - 1, replace=False) + 1
        cuts = [0, *sorted(int(cut) for cut in middle), count]
    runs = [leaves[start:end] for start, end in pairwise(cuts)]
    shares = [sum(leaf.aspect for leaf in run) for run in runs]
    longest = max(range(lines), key=lambda line: shares[line])
    gaps = gutter[0] * (len(runs[longest]) - 1) + sum(leaf.columns_apart for leaf in runs[longest])
    step = 0.5 if name == BRICKS else 0.0
    most = shares[longest] + step * leaves[0].aspect
    high = max(60.0, min((width - gaps) / most, (_TALLEST / lines) - leaves[0].above))
    align = 0.0 if name == BRICKS else float(rng.choice([0.0, 0.0, 0.5, 1.0]))
    lengths = [
        sum(leaf.aspect * high + leaf.columns_apart for leaf in run) + gutter[0] * (len(run) - 1) for run in runs
    ]
    places, top = [], 0
    for row, run in enumerate(runs):
        left = align * (max(lengths) - lengths[row]) + (row % 2) * step * leaves[0].aspect * high
        tall = round(high) + max(leaf.above for leaf in run)
        for column, leaf in enumerate(run):
            right = left + leaf.aspect * high + leaf.columns_apart
            cell: Cell = (round(left), top, round(right), top + tall)
            places.append(Place(cell, row, column, len(run)))
            left = right + gutter[0]
        top += tall + gutter[1]
    return Layout(name, tuple(places), lines, max(place.cell[2] for place in places), top - gutter[1])
