"""Texts as masks: faces, glyphs set side by side, lines under each other.

Pillow's font carries no Greek and takes about 50 us a glyph, so glyphs are drawn once at one size, scaled as asked
for, and set side by side here; `^` and `_` raise and lower what follows, up to a space or a closing `~`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.glyphs import HEIGHT, MASTER, Array, master

#: Drawing is this many times larger than the result.
FINE = 2


@dataclass(frozen=True, slots=True)
class Face:
    """The look of a text. size: pixels from line to line; squeeze: width as a share of the font's own."""

    size: float
    bold: bool = False
    slant: bool = False
    squeeze: float = 1.0

    def __post_init__(self) -> None:
        # Halves of a pixel, so that glyphs once scaled serve again.
        object.__setattr__(self, "size", max(0.5, math.floor(self.size * 2 + 0.01) / 2))

    @property
    def cap(self) -> float:
        """Height of a capital letter in pixels."""
        return self.size * 0.72

    def scaled(self, factor: float) -> Face:
        """The same face, larger or smaller."""
        return replace(self, size=self.size * factor)


class _Glyphs(dict[str, tuple[Array, float]]):
    """Glyphs of one face by character: coverage 0..255 in fine pixels, and how far each moves the pen."""

    def __init__(self, face: Face) -> None:
        super().__init__()
        self.face = face

    def __missing__(self, char: str) -> tuple[Array, float]:
        face = self.face
        picture, advance = master(char, face.bold)
        share = face.size * FINE / MASTER
        high = round(HEIGHT * share)
        if face.slant:
            lean = 0.2 * HEIGHT
            size = (picture.width + round(lean), HEIGHT)
            picture = picture.transform(size, Image.Transform.AFFINE, (1, 0.2, -lean, 0, 1, 0))
            scaled = picture.resize((max(1, round(size[0] * share * face.squeeze)), high), Image.Resampling.BOX)
            self[char] = made = (np.asarray(scaled), advance * share * face.squeeze)
            return made
        # Upright glyphs are as wide as they move the pen, so that a text is them side by side.
        wide = max(1, round(advance * share * face.squeeze))
        scaled = picture.resize(
            (wide, high), Image.Resampling.BOX, (1, 0, min(1 + advance, picture.width), HEIGHT)
        )
        self[char] = made = (np.asarray(scaled), float(wide))
        return made


@lru_cache(maxsize=512)
def glyphs_of(face: Face) -> _Glyphs:
    """The glyphs of a face, made as they are requested."""
    return _Glyphs(face)


@lru_cache(maxsize=4096)
def _set(text: str, face: Face) -> Image.Image:
    """Coverage of a line of text at `FINE` times its size; the baseline lies at `1.3 * size` of `1.7 * size`."""
    glyphs = glyphs_of(face)
    if text and not face.slant and "^" not in text and "_" not in text:
        return Image.fromarray(np.concatenate([glyphs[char][0] for char in text], axis=1))
    places: list[tuple[Array, int, int]] = []
    pen, level, size = 0.0, 0.0, face.size
    for char in text:
        if char in "^_":
            glyphs = glyphs_of(face.scaled(0.68))
            drop = (face.size - glyphs.face.size) * FINE * 1.3
            level = (-0.34 if char == "^" else 0.16) * size * FINE + drop
            continue
        if level and char in " ~":
            glyphs, level = glyphs_of(face), 0.0
            if char == "~":
                continue
        glyph, advance = glyphs[char]
        places.append((glyph, round(pen), max(0, round(level))))
        pen += advance
    high = round(HEIGHT * size * FINE / MASTER)
    wide = max((x + glyph.shape[1] for glyph, x, _ in places), default=1)
    line = np.zeros((high, wide), np.uint8)
    for glyph, x, y in places:
        spot = line[y : y + glyph.shape[0], x : x + glyph.shape[1]]
        np.maximum(spot, glyph[: high - y] if y else glyph, out=spot)
    return Image.fromarray(line)


@lru_cache(maxsize=8192)
def measure(text: str, face: Face) -> float:
    """Width of a text in pixels; of its longest line where it has several."""
    return max((_set(line, face).width / FINE for line in text.split("\n")), default=0.0)


@lru_cache(maxsize=4096)
def block_of(text: str, face: Face, side: str) -> tuple[Image.Image, int, int] | None:
    """Coverage of a text of one or more lines cut to its ink, rows of its capitals' top and of its last baseline.

    None if nothing is inked. side: l, m or r, by which lines are set under each other.
    """
    lines = text.split("\n")
    step = face.size * 1.15 * FINE
    masks = [_set(line, face) for line in lines]
    mask = masks[0]
    if len(lines) > 1:
        wide = max(part.width for part in masks)
        mask = Image.new("L", (wide, round(masks[0].height + step * (len(lines) - 1))))
        for place, part in enumerate(masks):
            left = {"l": 0, "m": (wide - part.width) // 2, "r": wide - part.width}[side]
            mask.paste(255, (left, round(place * step)), part)
    box = mask.getbbox()
    if box is None:
        return None
    baseline = face.size * FINE * 1.3
    top, low = round(baseline - face.cap * FINE), round(baseline + step * (len(lines) - 1))
    start = min(box[1], top)
    return mask.crop((0, start, mask.width, max(box[3], low))), top - start, low - start
