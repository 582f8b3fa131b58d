"""Panel-net's geometry in NumPy, for training and prediction: its sizes, its cells, and boxes of its maps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.primitives import box_iou
from panelwise.domain import FormatError
from prelabel.models.sizing import Shape, Sizing

PANEL_NET = "panel-net"
#: Pixels of the longest side, and what sides are multiples of.
LONGEST, STEP = 384, 32
#: Pixels of an image along a side of a cell of the maps.
CELL = 16
#: Largest number of panels that the network knows; a larger count is given as this one, 0 means unknown.
MOST_COUNTED = 41
#: Mean and deviation of colours, in [0, 1].
COLOURS = (127 / 255,) * 3, (128 / 255,) * 3
#: Default of the least score of boxes; how many cells are looked at; IoU over which two boxes are of one panel.
LEAST_SCORE, CANDIDATES, SAME_PANEL = 0.05, 300, 0.5

Floats = npt.NDArray[np.float32]


def panel_net_architecture(longest: int = LONGEST) -> dict[str, Any]:
    """All that is needed to build the network again. longest: pixels of an image's longest side."""
    return {"name": PANEL_NET, "longer": longest, "classes": ["subfigure"]}


def sizing_of(architecture: Mapping[str, Any]) -> Sizing:
    """Return the scaling of images: sides are multiples of STEP, so an image fills its canvas without padding.

    Raises FormatError for an architecture that is incomplete.
    """
    longest = architecture.get("longer")
    if not isinstance(longest, int) or longest < 2 * STEP:
        raise FormatError("the architecture of detector panel-net is incomplete; get a whole copy of its folder")
    return Sizing(longest, longest, STEP, snapped=True)


def middles(high: int, wide: int) -> Floats:
    """(2, h, w): x and y of the middles of cells, in shares of the image."""
    x = (np.arange(wide, dtype=np.float32) + np.float32(0.5)) / np.float32(wide)
    y = (np.arange(high, dtype=np.float32) + np.float32(0.5)) / np.float32(high)
    return np.stack([np.broadcast_to(x, (high, wide)), np.broadcast_to(y[:, None], (high, wide))])


@cache
def cell_places(high: int, wide: int) -> Floats:
    """(4, h, w): middles of cells, and the image's width and height in shares of the longer of them."""
    shape = np.array([wide, high], dtype=np.float32) / np.float32(max(high, wide))
    return np.concatenate([middles(high, wide), np.broadcast_to(shape[:, None, None], (2, high, wide))])


def boxes_in(maps: Floats, shape: Shape, least: float) -> tuple[Floats, Floats]:
    """Boxes (N, 4) in pixels of an image of this (height, width), and their scores (N,), the surest first.

    maps: (8, h, w): whether a cell is the middle of a panel (log-odds), the logarithms of the distances of the
    panel's four sides in shares of the image, and three that are only learnt. least: score from which a cell has a
    box. Of the boxes of one panel only the surest is returned.
    """
    scores = 1 / (1 + np.exp(-maps[0].ravel()))
    best = np.argsort(-scores, kind="stable")[:CANDIDATES]
    best = best[scores[best] >= least]
    away = np.exp(maps[1:5].clip(-6.0, 2.0))
    at = middles(*maps.shape[1:])
    sides = np.array([shape[1], shape[0]] * 2, dtype=np.float32)
    corners = np.concatenate([at - away[:2], at + away[2:]]).reshape(4, -1).T[best] * sides
    corners = corners.clip(0, sides)
    kept = _surest(corners)
    return corners[kept], scores[best][kept]


def _surest(corners: Floats) -> npt.NDArray[np.int64]:
    """Places of the boxes that overlap no surer one by more than SAME_PANEL. corners: (N, 4), surest first."""
    wide = corners.astype(np.float64)
    overlapping = box_iou(wide, wide) > SAME_PANEL
    free, kept = np.ones(len(corners), dtype=bool), []
    for place in range(len(corners)):
        if free[place]:
            kept.append(place)
            free &= ~overlapping[place]
    return np.array(kept, dtype=np.int64)
