"""Glyphs of the font that ships with Pillow, drawn once each, and those that it lacks, made of others."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Array = np.ndarray[Any, np.dtype[Any]]

#: Size at which every glyph is drawn, in pixels from line to line.
MASTER = 64

#: The baseline of a master, from its top; a master is `HEIGHT` pixels high.
BASELINE, HEIGHT = round(1.3 * MASTER), round(1.7 * MASTER)

_X_HEIGHT, _CAP, _STEM = round(0.52 * MASTER), round(0.72 * MASTER), round(0.085 * MASTER)

#: Shown by another glyph of the font.
_ALIKE = {"×": "x", "χ": "x", "κ": "k", "γ": "y"}


@lru_cache(maxsize=2)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


@lru_cache(maxsize=1024)
def master(char: str, bold: bool) -> tuple[Image.Image, float]:
    """Coverage of one glyph at the size `MASTER` with its baseline at `BASELINE`, and how far it moves the pen."""
    made = _MADE.get(char)
    if made is not None:
        return made(bold)
    return _plain(_ALIKE.get(char, char), bold)


def _plain(char: str, bold: bool) -> tuple[Image.Image, float]:
    font = _font(MASTER)
    advance = float(font.getlength(char)) + (2.5 if bold else 0.0)
    picture = Image.new("L", (max(1, round(advance)) + 4, HEIGHT))
    ImageDraw.Draw(picture).text(
        (2, BASELINE), char, fill=255, font=font, anchor="ls", stroke_width=2 if bold else 0, stroke_fill=255
    )
    return picture, advance


def _stem(bold: bool) -> int:
    return _STEM + (4 if bold else 0)


def _minus(bold: bool) -> tuple[Image.Image, float]:
    wide = round(0.56 * MASTER)
    picture = Image.new("L", (wide, HEIGHT))
    middle = BASELINE - round(0.34 * MASTER)
    ImageDraw.Draw(picture).rectangle([4, middle - 2, wide - 5, middle - 2 + _stem(bold) - 1], fill=255)
    return picture, float(wide)


def _micro(bold: bool) -> tuple[Image.Image, float]:
    picture, advance = _plain("u", bold)
    box = picture.getbbox()
    left = box[0] if box else 4
    ImageDraw.Draw(picture).rectangle(
        [left, BASELINE - _X_HEIGHT // 2, left + _stem(bold) - 1, BASELINE + round(0.2 * MASTER)], fill=255
    )
    return picture, advance


def _delta(bold: bool) -> tuple[Image.Image, float]:
    wide = round(0.7 * MASTER)
    picture = Image.new("L", (wide, HEIGHT))
    corners = [(wide / 2, BASELINE - _CAP + 2), (wide - 5, BASELINE - 3), (5, BASELINE - 3)]
    ImageDraw.Draw(picture).line([*corners, corners[0], corners[1]], fill=255, width=_stem(bold), joint="curve")
    return picture, float(wide)


def _lambda(bold: bool) -> tuple[Image.Image, float]:
    letter, advance = _plain("y", bold)
    picture = Image.new("L", letter.size)
    picture.paste(letter.crop((0, BASELINE - _CAP, letter.width, BASELINE + _CAP)).transpose(
        Image.Transpose.FLIP_TOP_BOTTOM), (0, BASELINE - _CAP - round(0.53 * MASTER)))  # fmt: skip
    return picture, advance


def _barred(bold: bool) -> tuple[Image.Image, float]:
    picture, advance = _plain("0", bold)
    middle = BASELINE - _CAP // 2
    ImageDraw.Draw(picture).rectangle([10, middle - 2, picture.width - 11, middle + 2], fill=255)
    return picture, advance


def _sigma(bold: bool) -> tuple[Image.Image, float]:
    picture, advance = _plain("o", bold)
    top = BASELINE - _X_HEIGHT
    ImageDraw.Draw(picture).rectangle(
        [picture.width // 2, top, picture.width - 1, top + _stem(bold) - 1], fill=255
    )
    return picture, advance


def _alpha(bold: bool) -> tuple[Image.Image, float]:
    wide, stem = round(0.62 * MASTER), _stem(bold)
    picture = Image.new("L", (wide, HEIGHT))
    pen = ImageDraw.Draw(picture)
    top = BASELINE - _X_HEIGHT
    pen.ellipse([3, top, wide * 0.76, BASELINE], outline=255, width=stem)
    pen.line([(wide * 0.9, top), (wide * 0.68, BASELINE - _X_HEIGHT * 0.4), (wide * 0.94, BASELINE - 2)],
             fill=255, width=stem, joint="curve")  # fmt: skip
    return picture, float(wide)


def _beta(bold: bool) -> tuple[Image.Image, float]:
    letter, advance = _plain("B", bold)
    picture = letter.resize((round(letter.width * 0.85), HEIGHT))
    box = picture.getbbox()
    left = box[0] if box else 4
    ImageDraw.Draw(picture).rectangle(
        [left, BASELINE - 4, left + _stem(bold) - 1, BASELINE + round(0.2 * MASTER)], fill=255
    )
    return picture, advance * 0.85


def _ring(bold: bool) -> tuple[Image.Image, float]:
    letter, advance = _plain("A", bold)
    middle, top = letter.width // 2, BASELINE - _CAP
    ImageDraw.Draw(letter).ellipse([middle - 7, top - 15, middle + 7, top - 1], outline=255, width=4)
    return letter, advance


def _at_least(bold: bool) -> tuple[Image.Image, float]:
    sign, advance = _plain(">", bold)
    picture = Image.new("L", sign.size)
    picture.paste(sign, (0, -6))
    ImageDraw.Draw(picture).rectangle([6, BASELINE - _stem(bold), sign.width - 7, BASELINE - 1], fill=255)
    return picture, advance


_MADE = {
    "−": _minus,
    "–": _minus,
    "β": _beta,
    "Å": _ring,
    "µ": _micro,
    "μ": _micro,
    "Δ": _delta,
    "λ": _lambda,
    "θ": _barred,
    "σ": _sigma,
    "α": _alpha,
    "≥": _at_least,
}
