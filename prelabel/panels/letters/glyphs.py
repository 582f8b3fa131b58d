"""Templates of panel letters: small pictures of labels in the forms in which they are printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from prelabel.panels.canvas import Grey

#: Shapes are compared as squares of this many pixels, with any proportions.
SIDE = 16

#: How labels are printed: bare, in brackets, with one bracket.
FORMS = ("{}", "({})", "{})")

#: Size in which templates are drawn, and the strokes they are thickened by.
DRAWN, STROKES = 40, (0, 2)

#: Shapes narrower than this share of their height get a margin of that share.
NARROW, MARGIN = 0.45, 0.12

#: Multiplications of one product of matrices.
SMALL_PRODUCT = 200_000

Shapes = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates of labels. shapes: (T, SIDE * SIDE), each of mean 0 and length 1.

    label: index of each one's label. form: index in FORMS, and whether in capitals, as one number. height,
    proportion: of the printed shape, as a share of the font's size, and width by height.
    """

    shapes: Shapes
    label: NDArray[np.int64]
    form: NDArray[np.int64]
    height: Shapes
    proportion: Shapes


@lru_cache(maxsize=64)
def templates(labels: tuple[str, ...]) -> Templates | None:
    """The templates of labels, as written and in the other case; None if there are none of use."""
    shapes, owners, forms, heights, proportions = [], [], [], [], []
    for place, label in enumerate(labels):
        for text, capital in sorted({(label.upper(), 1), (label.lower(), 0)}):
            for number, shape, height, proportion in _printed(text):
                shapes.append(shape)
                owners.append(place)
                forms.append(2 * number + capital)
                heights.append(height)
                proportions.append(proportion)
    if not shapes:
        return None
    return Templates(
        np.stack(shapes),
        np.array(owners, dtype=np.int64),
        np.array(forms, dtype=np.int64),
        np.array(heights, dtype=np.float32),
        np.array(proportions, dtype=np.float32),
    )


@lru_cache(maxsize=512)
def _printed(text: str) -> tuple[tuple[int, Shapes, float, float], ...]:
    """A label in each form and stroke: the form's index, shape, height by the font's size, width by height."""
    if not 0 < len(text) <= 2 or not text.isascii() or not text.isalnum():
        return ()
    printed = []
    for number, form in enumerate(FORMS):
        masks = [mask for stroke in STROKES if (mask := _drawn(form.format(text), stroke)) is not None]
        # However thick its strokes, a letter of a face and size is as high.
        height = sum(mask.shape[0] for mask in masks) / max(1, len(masks)) / DRAWN
        printed += [(number, shape_of(mask), height, mask.shape[1] / mask.shape[0]) for mask in masks]
    return tuple(printed)


def likenesses(shapes: Shapes, templates: Templates) -> Shapes:
    """Return the similarity of each shape (R, SIDE * SIDE) to each template: (R, T), in [-1, 1]."""
    # Products this small are not spread over threads, which wait for one another where all cores are in use.
    rows = max(1, SMALL_PRODUCT // templates.shapes.size)
    return np.concatenate([shapes[at : at + rows] @ templates.shapes.T for at in range(0, len(shapes), rows)])


def shape_of(mask: NDArray[np.float32]) -> Shapes:
    """A grey mask (height, width), stretched to SIDE x SIDE and normed: (SIDE * SIDE,), mean 0 and length 1."""
    if mask.shape[1] < NARROW * mask.shape[0]:
        # A plain stroke, as "I", has no shape but its outline.
        mask = np.pad(mask, max(1, round(MARGIN * mask.shape[0])))
    down, across = _squeeze(mask.shape[0]), _squeeze(mask.shape[1])
    return _normed(np.asarray(down @ mask @ across.T, dtype=np.float32))


def shapes_of(grey: Grey, rects: NDArray[np.int64], *, light: bool) -> Shapes:
    """The shapes (R, SIDE * SIDE) printed in rectangles (R, 4) of a picture; light: on darker ground."""
    shapes = np.empty((len(rects), SIDE * SIDE), dtype=np.float32)
    for place, (x0, y0, x1, y1) in enumerate(rects.tolist()):
        cut = grey[y0:y1, x0:x1].astype(np.float32)
        # Print is positive and the ground 0, which is what margins are filled with.
        cut = cut - cut.min() if light else cut.max() - cut
        shapes[place] = shape_of(cut)
    return shapes


def _normed(values: Shapes) -> Shapes:
    values = values.ravel()
    values = values - values.sum() / values.size
    return np.asarray(values / max(1e-6, math.sqrt(float(values @ values))), dtype=np.float32)


@lru_cache(maxsize=512)
def _squeeze(size: int) -> Shapes:
    """Weights (SIDE, size) that stretch so many pixels to SIDE: those of bilinear resizing over all pixels."""
    scale = size / SIDE
    reach = max(1.0, scale)
    middles = (np.arange(SIDE)[:, None] + 0.5) * scale
    weights = np.maximum(0.0, 1.0 - np.abs(np.arange(size)[None, :] + 0.5 - middles) / reach)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


def _drawn(text: str, stroke: int) -> NDArray[np.float32] | None:
    """A text in Pillow's own font, cut tight; None if that font cannot be scaled."""
    font = ImageFont.load_default(DRAWN)
    if not isinstance(font, ImageFont.FreeTypeFont):
        return None
    image = Image.new("L", (DRAWN * (len(text) + 2), 2 * DRAWN))
    ImageDraw.Draw(image).text((DRAWN // 2, DRAWN // 2), text, font=font, fill=255, stroke_width=stroke)
    box = image.getbbox()
    return None if box is None else np.asarray(image.crop(box), dtype=np.float32)
