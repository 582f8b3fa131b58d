"""Finding the panels of a figure without a model: recursive cuts along gutters, as many as the caption asks for.

The background is estimated from the image's border, so gutters may be white, black or any even colour; thin seams
between stitched pictures count as well. Cuts are made surest first until there are as many panels as expected, so
that white space within a plot is cut only where nothing better is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from annotator.domain.geometry import Box

#: Longer sides are worked on at this many pixels; a gutter then is seldom thinner than a pixel.
WORKING_SIDE = 1000

#: Grey levels by which a pixel may differ from the background and still belong to it.
TOLERANCE = 14

#: No panel's side is shorter than this share of an average panel's, were all square.
SMALLEST_SIDE = 0.25

#: The same where the count is unknown, as a share of the image's shorter side.
UNCOUNTED_SIDE = 0.2

#: A coloured background holds this share of the border, its grey levels within this standard deviation.
MOST_OF_BORDER, EVEN = 0.55, 2.5

#: Score of a box that no gutter bounds.
HALVED = 0.1

#: Without a count in the caption, a gutter is cut if it is this share of the image's longer side wide.
SURE_GUTTER = 0.012

Grey = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Split:
    """boxes: in no particular order, pixels of the image given. scores: one each, in [0, 1], higher is surer."""

    boxes: tuple[Box, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A rectangle of the working image, tight around its ink; score: how sure the cuts were that made it."""

    x0: int
    y0: int
    x1: int
    y1: int
    score: float = 1.0

    @property
    def area(self) -> int:
        return (self.x1 - self.x0) * (self.y1 - self.y0)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A cut of one part into two or more. merit: how much like a gutter it looks, 0 or more."""

    parts: tuple[_Part, ...]
    merit: float


def split_image(image: Image.Image, expected: int | None = None) -> Split:
    """The panels of an image of any mode. expected: how many the caption names; None where it does not say.

    One expected panel is the whole image. A transparent image is laid on white.
    """
    whole = Box(0.0, 0.0, float(image.width), float(image.height))
    if expected == 1:
        return Split((whole,), (0.9,))
    rgb = on_white(image)
    scale = max(1.0, max(image.size) / WORKING_SIDE)
    if scale > 1.0:
        size = (max(1, round(image.width / scale)), max(1, round(image.height / scale)))
        rgb = rgb.resize(size, Image.Resampling.BOX)
    pixels = np.asarray(rgb, dtype=np.float32)
    ink = ink_mask(pixels)
    grey = pixels.mean(axis=2)
    parts = _Splitter(grey, ink, expected).split()
    if len(parts) < 2:
        return Split((whole,), (0.5 if expected else 0.7,))
    across, down = image.width / pixels.shape[1], image.height / pixels.shape[0]
    boxes, scores = [], []
    for part in parts:
        box = Box(part.x0 * across, part.y0 * down, part.x1 * across, part.y1 * down)
        boxes.append(box.clamped(float(image.width), float(image.height)))
        fit = 1.0 if expected is None or expected == len(parts) else 0.6
        scores.append(round(float(np.clip(part.score * fit, 0.05, 0.99)), 3))
    return Split(tuple(boxes), tuple(scores))


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


def ink_mask(pixels: NDArray[np.float32]) -> Mask:
    """Which pixels (height, width) of an RGB image differ from its background.

    The background is the border's most frequent colour, if it holds most of the border and is even; otherwise
    white.
    """
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    coarse = (border // 16).astype(np.int64)
    codes = coarse[:, 0] * 256 + coarse[:, 1] * 16 + coarse[:, 2]
    values, counts = np.unique(codes, return_counts=True)
    top = int(counts.argmax())
    colour = np.full(3, 255.0, dtype=np.float32)
    ground = border[codes == values[top]]
    even = counts[top] >= MOST_OF_BORDER * len(border) and float(ground.std(axis=0).max()) < EVEN
    if even and not _dark_picture(pixels, ground):
        colour = np.median(ground, axis=0)
    mask: Mask = np.abs(pixels - colour).max(axis=2) > TOLERANCE
    return mask


def _dark_picture(pixels: NDArray[np.float32], ground: NDArray[np.float32]) -> bool:
    """Whether a dark border belongs to pictures set on white: white lines then run through the whole image."""
    if float(ground.mean()) > 100:
        return False
    light = pixels.min(axis=2) > 238
    inner = slice(5, -5)
    return bool(light.mean(axis=0)[inner].max(initial=0) > 0.97 or light.mean(axis=1)[inner].max(initial=0) > 0.97)


class _Splitter:
    """One image: finds cuts of a part, and applies the best until the count fits."""

    def __init__(self, grey: Grey, ink: Mask, expected: int | None) -> None:
        self.grey = grey
        self.ink = ink
        self.expected = expected
        height, width = ink.shape
        self.longest = max(height, width)
        self.smallest = self._smallest(expected)

    def _smallest(self, expected: int | None) -> float:
        """The least side of a panel in pixels: strips of text and legends are thinner than that."""
        height, width = self.ink.shape
        if expected is None:
            return max(4.0, UNCOUNTED_SIDE * min(height, width))
        return max(4.0, SMALLEST_SIDE * math.sqrt(height * width / expected))

    def split(self) -> list[_Part]:
        """The parts, never none; fewer than expected only where the image is too small for them."""
        expected = self.expected
        height, width = self.ink.shape
        start = self._tight(_Part(0, 0, width, height)) or _Part(0, 0, width, height)
        parts = [start]
        cuts = {start: self._best_cut(start)}
        while True:
            options = [(cut.merit, part) for part, cut in cuts.items() if cut is not None]
            if not options:
                break
            if expected is not None and len(parts) >= expected:
                break
            room = None if expected is None else expected - len(parts) + 1
            merit, part = self._choose(options, cuts, room)
            if expected is None and merit < SURE_GUTTER * self.longest:
                break
            cut = cuts.pop(part)
            if cut is None:
                break
            chosen = cut.parts if room is None else self._fitting(cut.parts, room)
            parts.remove(part)
            for piece in chosen:
                piece = replace(piece, score=min(part.score, self._score(cut.merit)))
                parts.append(piece)
                cuts[piece] = self._best_cut(piece)
        return self._filled_up(parts)

    def _filled_up(self, parts: list[_Part]) -> list[_Part]:
        """Where no gutter is left, the largest part is halved until the count fits: a box to drag beats none."""
        while self.expected is not None and len(parts) < self.expected:
            part = max(parts, key=lambda each: each.area)
            wide, high = part.x1 - part.x0, part.y1 - part.y0
            if max(wide, high) < 2:
                break
            if wide >= high:
                middle = part.x0 + wide // 2
                halves = (replace(part, x1=middle, score=HALVED), replace(part, x0=middle, score=HALVED))
            else:
                middle = part.y0 + high // 2
                halves = (replace(part, y1=middle, score=HALVED), replace(part, y0=middle, score=HALVED))
            parts.remove(part)
            parts.extend(halves)
        return parts

    def _choose(
        self, options: list[tuple[float, _Part]], cuts: dict[_Part, _Cut | None], room: int | None
    ) -> tuple[float, _Part]:
        """The cut of greatest merit; one that would give too many parts comes after those that do not."""

        def rank(option: tuple[float, _Part]) -> tuple[float, int]:
            merit, part = option
            cut = cuts[part]
            over = room is not None and cut is not None and len(cut.parts) > room
            # Large parts are cut before small ones: panels of a figure are mostly of like size.
            return (merit * (part.area**0.5) * (0.5 if over else 1.0), part.area)

        return max(options, key=rank)

    def _score(self, merit: float) -> float:
        return float(min(0.97, 0.55 + 0.42 * merit / (0.03 * self.longest)))

    @staticmethod
    def _fitting(parts: Sequence[_Part], room: int) -> list[_Part]:
        """The parts, neighbours joined until there are `room` of them: the narrowest gap between goes first."""
        result = list(parts)
        while len(result) > room and len(result) > 1:
            gaps = [
                (max(b.x0 - a.x1, b.y0 - a.y1) + 0.05 * min(a.area, b.area) ** 0.5, place)
                for place, (a, b) in enumerate(pairwise(result))
            ]
            _, place = min(gaps)
            a, b = result[place], result[place + 1]
            result[place : place + 2] = [
                _Part(min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1), min(a.score, b.score))
            ]
        return result

    def _tight(self, part: _Part) -> _Part | None:
        """The part cropped to its ink; None where it has none."""
        ink = self.ink[part.y0 : part.y1, part.x0 : part.x1]
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        if not len(rows):
            return None
        return _Part(
            part.x0 + int(columns[0]),
            part.y0 + int(rows[0]),
            part.x0 + int(columns[-1]) + 1,
            part.y0 + int(rows[-1]) + 1,
            part.score,
        )

    def _best_cut(self, part: _Part) -> _Cut | None:
        """The better of the cuts across and down; seams are looked for where no gutter is."""
        cuts = [cut for axis in (0, 1) if (cut := self._gutter_cut(part, axis)) is not None]
        if not cuts:
            cuts = [cut for axis in (0, 1) if (cut := self._seam_cut(part, axis)) is not None]
        return max(cuts, key=lambda cut: cut.merit, default=None)

    def _gutter_cut(self, part: _Part, axis: int) -> _Cut | None:
        """Cut at every empty band about as wide as the widest. axis 0: bands of rows, 1: bands of columns."""
        ink = self.ink[part.y0 : part.y1, part.x0 : part.x1]
        filled = ink.mean(axis=1 - axis) > 0.002
        edges = np.flatnonzero(np.diff(filled.astype(np.int8)))
        # Bands of background between two of ink: from each falling edge to the next rising one.
        starts = [int(edge) + 1 for edge in edges if filled[edge]]
        bands = [(start, int(stop) + 1) for start in starts for stop in edges[edges >= start][:1]]
        bands = self._wide_enough(bands, len(filled))
        if not bands:
            return None
        widest = max(stop - start for start, stop in bands)
        chosen = [band for band in bands if band[1] - band[0] >= 0.55 * widest]
        return self._pieces(part, axis, chosen, float(widest))

    def _wide_enough(self, bands: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
        """Bands that leave no part too small, the wider first where they compete."""
        kept: list[tuple[int, int]] = []
        for band in sorted(bands, key=lambda each: each[0] - each[1]):
            marks = sorted([(0, 0), *kept, band, (length, length)])
            if all(b[0] - a[1] >= self.smallest for a, b in pairwise(marks)):
                kept.append(band)
        return sorted(kept)

    def _pieces(self, part: _Part, axis: int, bands: Sequence[tuple[int, int]], merit: float) -> _Cut | None:
        marks = [(0, 0), *bands, (10**9, 10**9)]
        pieces = []
        for (_, start), (stop, _) in pairwise(marks):
            if axis == 0:
                piece = _Part(part.x0, part.y0 + start, part.x1, min(part.y1, part.y0 + stop))
            else:
                piece = _Part(part.x0 + start, part.y0, min(part.x1, part.x0 + stop), part.y1)
            tight = self._tight(piece)
            if tight is not None:
                pieces.append(tight)
        return _Cut(tuple(pieces), merit) if len(pieces) > 1 else None

    def _seam_cut(self, part: _Part, axis: int) -> _Cut | None:
        """Cut where two pictures were stitched: a straight edge over the whole breadth of a full part."""
        ink = self.ink[part.y0 : part.y1, part.x0 : part.x1]
        if ink.mean() < 0.75:
            return None
        grey = self.grey[part.y0 : part.y1, part.x0 : part.x1]
        step = np.abs(np.diff(grey, axis=axis))
        # The share of the breadth over which neighbours differ plainly.
        share = (step > 22).mean(axis=1 - axis)
        margin = max(int(self.smallest), int(0.15 * len(share)))
        inner = share[margin:-margin]
        # A seam stands out: in noise and fine texture, neighbours differ everywhere.
        if not len(inner) or float(inner.max()) < max(0.62, float(np.median(inner)) + 0.3):
            return None
        peak = margin + int(inner.argmax())
        return self._pieces(part, axis, [(peak, peak + 1)], 0.004 * self.longest * float(inner.max()))
