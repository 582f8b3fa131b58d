"""Marks on pictures by authors and machines: arrows, asterisks, scale bars, dashed insets, burned-in texts.

All change the image they are given, in place; sizes are in its pixels, places in shares of its sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from panelwise_simulator.drawers.raster.textures import Colour, Face, Point, chance, pick
from panelwise_simulator.kinds import Generator

WHITE, BLACK, YELLOW, RED = (255, 255, 255), (0, 0, 0), (255, 225, 40), (225, 30, 35)
#: Marks are drawn this many times larger than they come out.
FINE = 4


@lru_cache(maxsize=64)
def face(size: int) -> Face:
    """The font that ships with Pillow, `size` pixels high."""
    return ImageFont.load_default(size)


def unit(image: Image.Image) -> float:
    """Return the unit of the marks' sizes: about 1 % of the panel's smaller side, but never illegible."""
    return max(0.7, min(image.size) / 100)


def write(
    image: Image.Image,
    at: Point,
    text: str,
    *,
    fill: Colour = WHITE,
    size: float = 12,
    anchor: str = "la",
    bold: bool = False,
) -> None:
    """Text at `at` (shares of the panel)."""
    place = (at[0] * image.width, at[1] * image.height)
    ImageDraw.Draw(image).text(
        place,
        text,
        fill=fill,
        font=face(max(7, round(size))),
        anchor=anchor,
        stroke_width=int(bold and size >= 12),
    )


def shape(image: Image.Image, points: Sequence[Point], fill: Colour, outline: Colour | None = None) -> None:
    """A filled polygon (pixels) with soft edges; outline: colour of a thin rim."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x0, y0 = int(min(xs)) - 2, int(min(ys)) - 2
    x1, y1 = int(max(xs)) + 3, int(max(ys)) + 3
    mask = Image.new("L", ((x1 - x0) * FINE, (y1 - y0) * FINE))
    draw = ImageDraw.Draw(mask)
    corners = [((x - x0) * FINE, (y - y0) * FINE) for x, y in points]
    if outline is not None:
        draw.line([*corners, corners[0], corners[1]], fill=255, width=2 * FINE)
        draw.polygon(corners, fill=255)
        image.paste(outline, (x0, y0), mask.reduce(FINE))
        draw.rectangle([0, 0, *mask.size], fill=0)
    draw.polygon(corners, fill=255)
    image.paste(fill, (x0, y0), mask.reduce(FINE))


def arrow(
    image: Image.Image,
    tip: Point,
    *,
    heading: float = 0.7,
    length: float | None = None,
    colour: Colour = WHITE,
    style: str = "line",
    outline: Colour | None = None,
) -> None:
    """An arrow whose tip lies at `tip` (shares). heading: where it points, radians from the right, clockwise;
    length in pixels; style: "line" (slim), "block" (broad), "head" (a triangle), "notched" (a dart)."""
    u = unit(image)
    length = length or (13 * u if style in ("line", "block") else 6 * u)
    shaft, head, barb = {
        "line": (0.055, 0.30, 0.13),
        "block": (0.14, 0.45, 0.31),
        "head": (0.0, 1.0, 0.46),
        "notched": (0.0, 1.0, 0.48),
    }[style]
    outlines: dict[str, list[Point]] = {
        "head": [(0, 0), (-1, barb), (-1, -barb)],
        "notched": [(0, 0), (-1, barb), (-0.68, 0), (-1, -barb)],
    }
    body: list[Point] = outlines.get(
        style,
        [(0, 0), (-head, barb), (-head, shaft), (-1, shaft), (-1, -shaft), (-head, -shaft), (-head, -barb)],
    )
    if style == "line":
        # Never thinner than a pixel and a half.
        thin = max(shaft * length, 0.75) / length
        body = [(x, float(np.sign(y)) * thin if abs(y) == shaft else y) for x, y in body]
    cos, sin = float(np.cos(heading)) * length, float(np.sin(heading)) * length
    x, y = tip[0] * image.width, tip[1] * image.height
    shape(image, [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in body], colour, outline)


def scale_bar(
    image: Image.Image,
    colour: Colour = WHITE,
    *,
    share: float = 0.2,
    text: str = "",
    left: bool = False,
    thick: float = 1.0,
) -> None:
    """A bar in a lower corner, `share` of the panel long; text: written above it."""
    width, height = image.size
    u = unit(image)
    gap, high = max(3, round(4 * u)), max(1, round(1.4 * u * thick))
    long = max(4, round(share * width))
    x0 = gap if left else width - gap - long
    ImageDraw.Draw(image).rectangle([x0, height - gap - high, x0 + long - 1, height - gap - 1], fill=colour)
    size = max(8.0, 5 * u)
    if text and min(width, height) >= 110:
        place = ((x0 + long / 2) / width, (height - gap - high - 2) / height)
        write(image, place, text, fill=colour, size=size, anchor="mb")


def dashed_box(
    image: Image.Image,
    box: tuple[float, float, float, float],
    colour: Colour = WHITE,
    *,
    dash: float = 4,
    width: int = 1,
) -> None:
    """A rectangle (shares of the panel) of dashes `dash` pixels long; 0: an unbroken line."""
    x0, y0, x1, y1 = (round(part * side) for part, side in zip(box, (*image.size, *image.size), strict=True))
    draw = ImageDraw.Draw(image)
    if dash <= 0:
        draw.rectangle([x0, y0, x1, y1], outline=colour, width=width)
        return
    for start in range(x0, x1, max(2, round(2 * dash))):
        for y in (y0, y1):
            draw.line([(start, y), (min(start + dash, x1), y)], fill=colour, width=width)
    for start in range(y0, y1, max(2, round(2 * dash))):
        for x in (x0, x1):
            draw.line([(x, start), (x, min(start + dash, y1))], fill=colour, width=width)


def pointers(rng: Generator, image: Image.Image, targets: Sequence[Point], colours: Sequence[Colour]) -> None:
    """One to three marks of one style (arrows, arrowheads, asterisks, a letter), pointing at `targets`."""
    if min(image.size) < 70 or not targets:
        return
    u = unit(image)
    colour = colours[int(rng.integers(len(colours)))]
    style = ("line", "line", "block", "head", "notched", "asterisk", "letter")[int(rng.integers(7))]
    heading = pick(rng, 0, 6.28)
    stray = 0.0 if chance(rng, 0.5) else 1.2
    outline = BLACK if style == "block" and colour == WHITE and chance(rng, 0.4) else None
    scale = pick(rng, 0.7, 1.25)
    letters = ("T", "V", "N", "L", "M", "S", "G")
    first = int(rng.integers(len(letters)))
    for number, target in enumerate(targets[:3]):
        if style in ("asterisk", "letter"):
            text = "*" if style == "asterisk" else letters[(first + number) % len(letters)]
            write(
                image,
                target,
                text,
                fill=colour,
                size=max(11.0, (10 if text == "*" else 7) * u * scale),
                anchor="mm",
            )
        else:
            length = (14 if style in ("line", "block") else 7) * u * scale
            arrow(
                image,
                target,
                heading=heading + stray * number,
                length=length,
                colour=colour,
                style=style,
                outline=outline,
            )


SCALES = ("10 um", "20 um", "50 um", "100 um", "200 um", "5 um", "25 um", "500 um", "1 mm")


def scaled(
    rng: Generator,
    image: Image.Image,
    colours: Sequence[Colour],
    *,
    share: float = 0.6,
    texts: Sequence[str] = SCALES,
) -> None:
    """In `share` of the calls a scale bar: with or without text, left or right, thin or thick."""
    wanted, worded = chance(rng, share), chance(rng, 0.45)
    colour = colours[int(rng.integers(len(colours)))]
    text = texts[int(rng.integers(len(texts)))] if worded else ""
    long, left, thick = pick(rng, 0.12, 0.3), chance(rng, 0.2), pick(rng, 0.6, 1.7)
    if wanted:
        scale_bar(image, colour, share=long, text=text, left=left, thick=thick)
