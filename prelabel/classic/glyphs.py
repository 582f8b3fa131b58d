"""What panel letters look like: small pictures of labels in the forms in which they are printed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

#: Shapes are compared as squares of so many pixels, whatever their proportions.
SIDE = 16

#: How labels are printed: bare, in brackets, with one bracket.
FORMS = ("{}", "({})", "{})")

#: Size in which templates are drawn, and the strokes they are thickened by.
DRAWN, STROKES = 40, (0, 2)

#: Shapes narrower than this share of their height get a margin of that share.
NARROW, MARGIN = 0.45, 0.12

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
    """The templates of labels, as written and in the other case; None where there are none of use."""
    shapes, owners, forms, heights, proportions = [], [], [], [], []
    for place, label in enumerate(labels):
        for text, capital in {(label.upper(), 1), (label.lower(), 0)}:
            if not 0 < len(text) <= 2 or not text.isascii() or not text.isalnum():
                continue
            for number, form in enumerate(FORMS):
                for stroke in STROKES:
                    mask = _drawn(form.format(text), stroke)
                    if mask is None:
                        continue
                    shapes.append(shape_of(mask))
                    owners.append(place)
                    forms.append(2 * number + capital)
                    heights.append(mask.shape[0] / DRAWN)
                    proportions.append(mask.shape[1] / mask.shape[0])
    if not shapes:
        return None
    return Templates(
        np.stack(shapes),
        np.array(owners, dtype=np.int64),
        np.array(forms, dtype=np.int64),
        np.array(heights, dtype=np.float32),
        np.array(proportions, dtype=np.float32),
    )


def shape_of(mask: NDArray[np.float32]) -> Shapes:
    """A grey mask (height, width), stretched to SIDE x SIDE and normed: (SIDE * SIDE,), mean 0 and length 1."""
    if mask.shape[1] < NARROW * mask.shape[0]:
        # A plain stroke, as "I", has no shape but its outline.
        mask = np.pad(mask, max(1, round(MARGIN * mask.shape[0])))
    small = Image.fromarray(mask).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
    values = np.asarray(small, dtype=np.float32).ravel()
    values = values - values.mean()
    return np.asarray(values / max(1e-6, float(np.linalg.norm(values))), dtype=np.float32)


def _drawn(text: str, stroke: int) -> NDArray[np.float32] | None:
    """A text in Pillow's own font, cut tight; None where that font cannot be scaled."""
    font = ImageFont.load_default(DRAWN)
    if not isinstance(font, ImageFont.FreeTypeFont):
        return None
    image = Image.new("L", (DRAWN * (len(text) + 2), 2 * DRAWN))
    ImageDraw.Draw(image).text((DRAWN // 2, DRAWN // 2), text, font=font, fill=255, stroke_width=stroke)
    box = image.getbbox()
    return None if box is None else np.asarray(image.crop(box), dtype=np.float32)
