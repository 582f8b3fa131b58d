"""Random changes of training figures: mirrored, turned, stretched, framed, and other colours; boxes follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFilter, ImageOps

if TYPE_CHECKING:
    from prelabel.models.sizing import Shape

Corners = npt.NDArray[np.float32]

#: How often each change is made.
_MIRRORED, _FLIPPED, _TRANSPOSED, _STRETCHED, _FRAMED = 0.3, 0.1, 0.12, 0.2, 0.15
_GREY, _INVERTED, _BLURRED, _CONTRASTED = 0.15, 0.06, 0.1, 0.15
#: Widest margin added on a side, as a share of the image's longer side.
_MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Change:
    """A change of an image and its boxes, drawn without looking at them.

    stretch: factor of the width. margins: added left, above, right and below, as shares of the longer side; white
    or, if `own_ground`, of the first pixel's colour. blur: radius in pixels. contrast: factor and summand of the
    colours.
    """

    mirrored: bool
    flipped: bool
    transposed: bool
    stretch: float
    margins: tuple[float, float, float, float]
    own_ground: bool
    grey: bool
    inverted: bool
    blur: float
    contrast: tuple[float, float]

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Change:
        """Draw a change; most figures get none or one."""

        def happens(chance: float) -> bool:
            return bool(rng.random() < chance)

        left, above, right, below = (float(each) for each in rng.uniform(0, _MARGIN, 4))
        return cls(
            mirrored=happens(_MIRRORED),
            flipped=happens(_FLIPPED),
            transposed=happens(_TRANSPOSED),
            stretch=float(rng.uniform(0.75, 1.33)) if happens(_STRETCHED) else 1.0,
            margins=(left, above, right, below) if happens(_FRAMED) else (0.0, 0.0, 0.0, 0.0),
            own_ground=happens(0.5),
            grey=happens(_GREY),
            inverted=happens(_INVERTED),
            blur=float(rng.uniform(0.4, 1.2)) if happens(_BLURRED) else 0.0,
            contrast=(float(rng.uniform(0.7, 1.2)), float(rng.uniform(-15, 25)))
            if happens(_CONTRASTED)
            else (1.0, 0.0),
        )

    def size(self, width: int, height: int) -> Shape:
        """Return the width and height of a changed image."""
        across, down = self._turned(width, height)
        left, above, right, below = self._frame(across, down)
        return across + left + right, down + above + below

    def image(self, image: Image.Image) -> Image.Image:
        """Return the changed image, RGB."""
        if self.mirrored:
            image = ImageOps.mirror(image)
        if self.flipped:
            image = ImageOps.flip(image)
        if self.transposed:
            image = image.transpose(Image.Transpose.TRANSPOSE)
        image = image.convert("L").convert("RGB") if self.grey else image.convert("RGB")
        if self.inverted:
            image = ImageOps.invert(image)
        if self.stretch != 1.0:
            image = image.resize((max(1, round(image.width * self.stretch)), image.height))
        frame = self._frame(*image.size)
        if any(frame):
            red, green, blue = np.asarray(image)[0, 0].tolist() if self.own_ground else (255, 255, 255)
            image = ImageOps.expand(image, frame, (red, green, blue))
        if self.blur:
            image = image.filter(ImageFilter.GaussianBlur(self.blur))
        factor, summand = self.contrast
        if (factor, summand) != (1.0, 0.0):
            image = image.point([int(np.clip(value * factor + summand, 0, 255)) for value in range(256)] * 3)
        return image

    def boxes(self, boxes: Corners, width: int, height: int) -> Corners:
        """Return the boxes (M, 4) of an image of this size, in pixels, as corners in the changed image.

        A box over the whole image is one over the whole changed image.
        """
        x0, y0, x1, y1 = boxes.T
        if self.mirrored:
            x0, x1 = width - x1, width - x0
        if self.flipped:
            y0, y1 = height - y1, height - y0
        if self.transposed:
            x0, y0, x1, y1 = y0, x0, y1, x1
        across, down = self._turned(width, height)
        stretch = across / (height if self.transposed else width)
        changed = np.stack([x0 * stretch, y0, x1 * stretch, y1], axis=1)
        left, above, _, _ = self._frame(across, down)
        whole = (changed <= 1).all(axis=1, where=[True, True, False, False]) & (
            (changed >= np.array([0, 0, across - 1, down - 1])).all(axis=1)
        )
        changed = changed + np.array([left, above, left, above])
        changed[whole] = (0, 0, *self.size(width, height))
        found: Corners = changed.astype(np.float32)
        return found

    def _turned(self, width: int, height: int) -> Shape:
        """Return the size before margins."""
        across, down = (height, width) if self.transposed else (width, height)
        return (max(1, round(across * self.stretch)) if self.stretch != 1.0 else across), down

    def _frame(self, width: int, height: int) -> tuple[int, int, int, int]:
        left, above, right, below = (round(share * max(width, height)) for share in self.margins)
        return left, above, right, below
