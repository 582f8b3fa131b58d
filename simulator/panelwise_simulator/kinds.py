"""Kinds of panels of simulated figures, and their drawers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from PIL import Image

Generator = np.random.Generator

#: Draws one panel: an RGB image of exactly the width and height asked for, in pixels; the same for the same state
#: of the generator. Works from 48 x 48 pixels up.
Draw = Callable[[Generator, int, int], Image.Image]


class Kind(StrEnum):
    """Families of panels; the panels of one figure mostly come from one or two of them."""

    RADIOLOGY = "radiology"
    HISTOLOGY = "histology"
    MICROSCOPY = "microscopy"
    PHOTOGRAPH = "photograph"
    GEL = "gel"
    PLOT = "plot"
    DIAGRAM = "diagram"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class Drawer:
    """One thing that a panel can show.

    name: what it is ("ct_axial", "box_plot"); captions choose their words by it. aspect: the least and greatest
    width / height in which it looks natural. dark: whether its corners are dark, so that a letter on it is white.
    paper: whether its ground is that of the page (plots, diagrams), so that panels of the kind need no frame.
    """

    name: str
    kind: Kind
    draw: Draw
    aspect: tuple[float, float] = (0.6, 1.8)
    dark: bool = False
    paper: bool = False
