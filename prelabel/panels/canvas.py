"""The working picture of a splitter: grey levels, ink on ground, and sums that make any rectangle cheap to ask."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: Longer sides are worked on at this many pixels; a gutter then is seldom thinner than a pixel.
WORKING_SIDE = 1000

#: Grey levels by which a pixel may differ from the ground and still belong to it.
TOLERANCE = 14

#: A coloured ground holds this share of the border, within this many levels of it and this standard deviation.
MOST_OF_BORDER, NEAR, EVEN = 0.55, 18, 6.0

#: Greys darker than this are black.
BLACK = 24

#: A line through a picture is of one grey if its standard deviation is no more than this.
EVEN_LINE = 5.0

#: Greys lighter than this are white; a light ground is lighter than that, and this many levels are one grey.
WHITE, LIGHT, EVEN_GREY = 240, 200, 2

#: This share of a line may be ink and the line still be empty: specks of compression.
SPECKS = 0.002

Grey = NDArray[np.int16]
Mask = NDArray[np.bool_]
#: Sums along a line of the working picture: it has no more pixels than these hold.
Sums = NDArray[np.uint16]

#: x0, y0, x1, y1 in pixels of the working picture, half open.
Rect = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Canvas:
    """One picture, scaled down for work.

    grey: (height, width), 0 to 255. ink: what differs from the ground. ink_across and ink_down: running sums of it
    along rows, (height, width + 1), and along columns, (height + 1, width).
    """

    grey: Grey
    ink: Mask
    ink_across: Sums
    ink_down: Sums
    _spreads: dict[tuple[Rect, int], NDArray[np.float64]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, image: Image.Image) -> Canvas:
        """The canvas of an RGB image of any size."""
        scale = max(image.size) / WORKING_SIDE
        if scale > 1.0:
            size = (max(1, round(image.width / scale)), max(1, round(image.height / scale)))
            image = image.resize(size, Image.Resampling.BOX, reducing_gap=2.0)
        pixels = np.asarray(image)
        ground, tolerance = ground_colour(pixels)
        ink = np.zeros(pixels.shape[:2], dtype=np.bool_)
        for channel in range(3):
            low, high = int(ground[channel] - tolerance), int(ground[channel] + tolerance)
            values = pixels[:, :, channel]
            if low > 0:
                ink |= values < low
            if high < 255:
                ink |= values > high
        grey = np.asarray(image.convert("L"), dtype=np.int16)
        return cls(
            grey,
            ink,
            _running(ink, 1),
            _running(ink, 0),
        )

    def grey_ground(self, rect: Rect, smallest: int) -> int | None:
        """The grey, not black, of most even lines through a rectangle; None without such lines.

        smallest: pixels between a line and the ends.
        """
        lines = np.concatenate([self._even_lines(rect, axis, smallest) for axis in (0, 1)])
        counts = np.bincount(lines, minlength=BLACK + 1)[BLACK:]
        return BLACK + int(counts.argmax()) if counts.any() else None

    def black_border(self, rect: Rect) -> bool:
        """Return whether most of a rectangle's border is black."""
        x0, y0, x1, y1 = rect
        grey = self.grey[y0:y1, x0:x1]
        border = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
        return bool(np.count_nonzero(border < BLACK) >= MOST_OF_BORDER * len(border))

    def on_ground(self, level: int) -> Canvas:
        """The same picture with another grey as its ground."""
        ink = np.abs(self.grey - level) > TOLERANCE if level >= BLACK else self.grey >= BLACK
        return Canvas(self.grey, ink, _running(ink, 1), _running(ink, 0))

    def _even_lines(self, rect: Rect, axis: int, smallest: int) -> NDArray[np.int64]:
        """The greys of lines that are of one grey, so many pixels from both ends or more."""
        x0, y0, x1, y1 = rect
        even = self.spread(rect, axis) <= EVEN_LINE
        even[:smallest] = even[-smallest:] = False
        grey = self.grey[y0:y1, x0:x1]
        lines = grey[even] if axis == 0 else grey[:, even].T
        return np.asarray(np.rint(lines.mean(axis=1)), dtype=np.int64)

    @property
    def whole(self) -> Rect:
        """The rectangle of the whole picture."""
        return 0, 0, self.ink.shape[1], self.ink.shape[0]

    @property
    def longest(self) -> int:
        """The longer side in pixels."""
        return max(self.ink.shape)

    def inked(self, rect: Rect, axis: int) -> NDArray[np.int32]:
        """Count the pixels of ink in each row (axis 0) or each column (axis 1) of a rectangle."""
        x0, y0, x1, y1 = rect
        if axis == 0:
            return np.subtract(self.ink_across[y0:y1, x1], self.ink_across[y0:y1, x0], dtype=np.int32)
        return np.subtract(self.ink_down[y1, x0:x1], self.ink_down[y0, x0:x1], dtype=np.int32)

    def uneven(self, rect: Rect, axis: int) -> NDArray[np.float64]:
        """The share of each row (axis 0) or column (axis 1) of a rectangle that is unlike its middle grey."""
        x0, y0, x1, y1 = rect
        grey = self.grey[y0:y1, x0:x1]
        unlike = np.abs(grey - np.median(grey, axis=1 - axis, keepdims=True)) > TOLERANCE
        return np.asarray(unlike.mean(axis=1 - axis), dtype=np.float64)

    def spread(self, rect: Rect, axis: int) -> NDArray[np.float64]:
        """The standard deviation of the greys of each row (axis 0) or column (axis 1) of a rectangle."""
        if (rect, axis) in self._spreads:
            return self._spreads[rect, axis]
        x0, y0, x1, y1 = rect
        values = self.grey[y0:y1, x0:x1].astype(np.float32)
        lines = "ij,ij->i" if axis == 0 else "ij,ij->j"
        squares = np.einsum(lines, values, values) / values.shape[1 - axis]
        spread = np.sqrt(np.maximum(0.0, squares - values.mean(axis=1 - axis) ** 2))
        self._spreads[rect, axis] = found = np.asarray(spread, dtype=np.float64)
        return found

    def light_ground(self, rect: Rect) -> float:
        """The share of a rectangle that is white, or of the one light grey that most of it is."""
        x0, y0, x1, y1 = rect
        # Every third pixel of every third row tells as much.
        counts = np.bincount(self.grey[y0:y1:3, x0:x1:3].ravel(), minlength=256)
        ground = LIGHT + int(counts[LIGHT:].argmax())
        even = counts[max(0, ground - EVEN_GREY) : ground + EVEN_GREY + 1].sum()
        return float(max(even, counts[WHITE + 1 :].sum()) / max(1, counts.sum()))

    def share(self, rect: Rect) -> float:
        """The share of a rectangle that is ink."""
        x0, y0, x1, y1 = rect
        return float(self.inked(rect, 0).sum()) / max(1, (x1 - x0) * (y1 - y0))

    def tight(self, rect: Rect) -> Rect | None:
        """The rectangle cropped to its ink, specks left out; None if it has none."""
        x0, y0, x1, y1 = rect
        if x1 <= x0 or y1 <= y0:
            return None
        rows = (self.inked(rect, 0) > SPECKS * (x1 - x0)).nonzero()[0]
        if not len(rows):
            return None
        x0, y0, x1, y1 = rect = (x0, y0 + int(rows[0]), x1, y0 + int(rows[-1]) + 1)
        columns = (self.inked(rect, 1) > SPECKS * (y1 - y0)).nonzero()[0]
        if not len(columns):
            return None
        return x0 + int(columns[0]), y0, x0 + int(columns[-1]) + 1, y1


def _running(values: Mask, axis: int) -> Sums:
    """Running sums along an axis, from 0."""
    shape = list(values.shape)
    shape[axis] += 1
    sums = np.zeros(shape, dtype=np.uint16)
    np.cumsum(values, axis=axis, dtype=np.uint16, out=sums[1:] if axis == 0 else sums[:, 1:])
    return sums


def on_white(image: Image.Image) -> Image.Image:
    """The image as RGB: 16-bit grey is stretched to 8 bits, transparency laid on white."""
    if image.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
        values = np.nan_to_num(np.asarray(image, dtype=np.float64))
        low, high = float(values.min()), float(values.max())
        scaled = (values - low) / (high - low) * 255 if high > low else np.full(values.shape, 255.0)
        return Image.fromarray(scaled.astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        clear = image.convert("RGBA")
        ground = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(ground, clear).convert("RGB")
    return image.convert("RGB")


def ground_colour(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
    """The colour (3,) that an RGB picture (height, width, 3) lies on, and how far pixels may be from it.

    It is the border's middle colour, if most of the border is like it and even; otherwise white.
    """
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]]).astype(np.int16)
    middle = np.median(border, axis=0)
    near = np.abs(border - middle).max(axis=1) <= NEAR
    ground = border[near]
    even = near.mean() >= MOST_OF_BORDER and float(ground.std(axis=0).max()) < EVEN
    if even and not _dark_picture(pixels, ground):
        return np.asarray(np.median(ground, axis=0), dtype=np.float32), TOLERANCE + float(ground.std(axis=0).max())
    return np.full(3, 255.0, dtype=np.float32), float(TOLERANCE)


def _dark_picture(pixels: NDArray[np.uint8], ground: NDArray[np.int16]) -> bool:
    """Return whether a dark border is part of pictures set on white: white lines run through the whole image."""
    if float(ground.mean()) > 100:
        return False
    light = pixels.min(axis=2) > 225
    inner = slice(5, -5)
    return bool(light.mean(axis=0)[inner].max(initial=0) > 0.95 or light.mean(axis=1)[inner].max(initial=0) > 0.95)
