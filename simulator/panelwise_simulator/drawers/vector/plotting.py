"""Ground that plots of all kinds share: one or several axes on a panel, titles, insets, colours of groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, cast

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, Region, begin, text_scale
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.sheet import WHITE, Colour, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import Face
from panelwise_simulator.drawers.vector.words import TITLES
from panelwise_simulator.kinds import Draw, Generator

#: Draws one plot into a region of a sheet.
Inner = Callable[[Generator, Sheet, Region, Style], None]


class StyledDraw(Protocol):
    """A `Draw` that also takes the look."""

    def __call__(self, rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
        """As `Draw`; style: the look, by default one by chance."""


def in_style(draw: Draw, style: Style) -> Draw:
    """A drawer of this package's plots, diagrams or maps, with its look settled beforehand."""
    return partial(cast(StyledDraw, draw), style=style)


def plotted(
    rng: Generator, width: int, height: int, style: Style | None, inner: Inner, *, many: float = 0.08
) -> Image.Image:
    """One plot over the whole panel or, in a share of `many` cases where there is room, two to four small ones."""
    sheet, style, region = begin(rng, width, height, style)
    for part in parts(rng, region, many):
        inner(rng, sheet, part, style)
    return sheet.done()


def parts(rng: Generator, region: Region, many: float) -> list[Region]:
    """The region whole or, in a share of `many` cases, cut in two to four."""
    width, height = region[2] - region[0], region[3] - region[1]
    if not chance(rng, many) or min(width, height) < 170:
        return [region]
    columns = 1 if width < 260 else int(rng.integers(1, 4)) if width > 480 else int(rng.integers(1, 3))
    rows = 1 if height < 260 else int(rng.integers(1, 3))
    if columns * rows == 1:
        columns, rows = (2, 1) if width > height and width > 260 else (1, 2) if height > 260 else (1, 1)
    gap = 8.0
    wide, high = (width - gap * (columns - 1)) / columns, (height - gap * (rows - 1)) / rows
    return [
        (
            region[0] + column * (wide + gap),
            region[1] + row * (high + gap),
            region[0] + column * (wide + gap) + wide,
            region[1] + row * (high + gap) + high,
        )
        for row in range(rows)
        for column in range(columns)
    ]


def a_title(rng: Generator, style: Style) -> str:
    """A title of a plot, or none, as often as the style has them."""
    return pick(rng, TITLES) if chance(rng, style.titles) else ""


def inset(axes: Axes, share: float = 0.4) -> Region | None:
    """The region of small axes within the free corner, on white; None if there is no room."""
    x0, y0, x1, y1 = axes.frame
    wide, high = (x1 - x0) * share, (y1 - y0) * share
    if min(wide, high) < 60:
        return None
    left = x0 + 8 if axes.free[1] == "l" else x1 - wide - 6
    top = y0 + 5 if axes.free[0] == "u" else y1 - high - 6
    region = (left, top, left + wide, top + high)
    axes.sheet.rectangle(*region, WHITE)
    return region


def inset_size(region: Region) -> float:
    """Factor on the texts of small axes within others."""
    return max(0.62, text_scale(region) * 0.9)


def smooth(rng: Generator, count: int, knots: int) -> Array:
    """A smooth random line of `count` values, standard deviation about 1, from that many random knots."""
    values = rng.normal(0.0, 1.0, knots + 3)
    at = np.linspace(1.0, knots + 1.0 - 1e-6, count)
    left = at.astype(int)
    t = at - left
    a, b, c, d = values[left - 1], values[left], values[left + 1], values[left + 2]
    # Catmull-Rom.
    line = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    return np.asarray(line)


def colour_bar(
    sheet: Sheet, table: Array, region: Region, texts: tuple[str, ...], face: Face, ink: Colour
) -> None:
    """An upright colour bar with texts from top to bottom to its right."""
    x0, y0, x1, y1 = region
    sheet.picture(table[::-1][:, None, :], x0, y0, x1, y1, smooth=True)
    sheet.rectangle(x0, y0, x1, y1, None, ink, 0.6)
    for place, text in enumerate(texts):
        y = y0 + (y1 - y0) * place / max(1, len(texts) - 1)
        y = min(max(y, y0 + face.cap / 2), y1 - face.cap / 2)
        sheet.text(x1 + 3, y, text, face, ink, "lm")
