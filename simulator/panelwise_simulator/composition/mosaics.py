"""Mosaics as radiology prints them: pictures stitched together, no letters, a caption that names no panel.

Nothing but the picture says how many panels there are, or where.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from panelwise_simulator.catalogue import SERIES, of_kind
from panelwise_simulator.composition.layouts import Cell
from panelwise_simulator.kinds import Drawer, Generator, Kind

#: Rows and columns, each as often as listed; one of a single panel is among them.
GRIDS = (
    *((1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 2)),
    *((2, 3), (2, 3), (2, 4), (3, 2), (3, 3), (3, 4), (4, 3)),
)
#: Pixels between panels and around them, each as often as listed; what shows there.
SEAMS, MARGINS = (0, 0, 1, 1, 2, 2, 3, 4), (0, 0, 0, 2, 6)
GROUNDS = ((0, 0, 0), (255, 255, 255), (255, 255, 255), (128, 128, 128))
#: Shares of mosaics whose columns are equal, that show two modalities, and that show one body in variants.
EQUAL, TWO_KINDS, ONE_BODY = 0.7, 0.35, 0.4
#: No panel is lower, in pixels.
LOWEST = 70

_CAPTIONS = (
    "Images of the patient at presentation and on follow-up.",
    "Images after treatment. The lesion is seen in all of them.",
    "Imaging from admission to discharge of the patient that the text describes.",
    "Consecutive slices of one examination.",
)


@dataclass(frozen=True, slots=True)
class Mosaic:
    """A mosaic as drawn. labels: A, B, ... in reading order; boxes: one each. layout: rows, columns: "2 x 3"."""

    image: Image.Image
    labels: tuple[str, ...]
    boxes: tuple[Cell, ...]
    caption: str
    layout: str


def mosaic(seed: tuple[int, int]) -> Mosaic:
    """The mosaic of that seed."""
    rng = np.random.default_rng([*seed, 0])
    drawers = of_kind(Kind.RADIOLOGY)
    main = drawers[int(rng.integers(len(drawers)))]
    other = drawers[int(rng.integers(len(drawers)))] if rng.random() < TWO_KINDS else main
    rows, columns = GRIDS[int(rng.integers(len(GRIDS)))]
    seam, margin = (int(rng.choice(choices)) for choices in (SEAMS, MARGINS))
    aspect = float(np.clip(rng.lognormal(0, 0.18), *main.aspect))
    cells, size = _cells(rng, (rows, columns), int(rng.integers(480, 1200)), aspect, seam)
    ground = GROUNDS[int(rng.integers(len(GROUNDS)))]
    canvas = Image.new("RGB", (size[0] + 2 * margin, size[1] + 2 * margin), ground)
    one_body = bool(rng.random() < ONE_BODY)
    boxes = []
    for number, (x0, y0, x1, y1) in enumerate(cells):
        picture = _picture(seed, number, main if number % 2 == 0 else other, (x1 - x0, y1 - y0), one_body)
        canvas.paste(picture, (x0 + margin, y0 + margin))
        boxes.append((x0 + margin, y0 + margin, x1 + margin, y1 + margin))
    if len(boxes) == 1:
        # A figure that is not compound is one box over the whole image.
        boxes = [(0, 0, *canvas.size)]
    labels = tuple(chr(ord("A") + number) for number in range(len(boxes)))
    caption = _CAPTIONS[int(rng.integers(len(_CAPTIONS)))]
    return Mosaic(canvas, labels, tuple(boxes), caption, f"{rows} x {columns}")


def _cells(
    rng: Generator, grid: tuple[int, int], width: int, aspect: float, seam: int
) -> tuple[list[Cell], tuple[int, int]]:
    """Cells in reading order, and the size of all. Rows are equally high, columns equal or unlike in each row."""
    rows, columns = grid
    room = width - seam * (columns - 1)
    high = max(LOWEST, round(room / columns / aspect))
    equal = bool(rng.random() < EQUAL)
    cells = []
    for row in range(rows):
        shares = np.ones(columns) if equal else rng.uniform(0.75, 1.3, columns)
        edges = np.concatenate([[0.0], np.cumsum(shares / shares.sum())]) * room
        top = row * (high + seam)
        cells += [
            (round(edges[column]) + column * seam, top, round(edges[column + 1]) + column * seam, top + high)
            for column in range(columns)
        ]
    return cells, (width, rows * (high + seam) - seam)


def _picture(
    seed: tuple[int, int], number: int, drawer: Drawer, size: tuple[int, int], one_body: bool
) -> Image.Image:
    """One panel. one_body: the next of a series of the drawer's, where it has one that is as long."""
    series = SERIES.get(drawer.name, ()) if one_body else ()
    variants = max(series, key=len, default=())
    if number < len(variants):
        return variants[number](np.random.default_rng([*seed, 1]), *size)
    return drawer.draw(np.random.default_rng([*seed, 2 + number]), *size)
