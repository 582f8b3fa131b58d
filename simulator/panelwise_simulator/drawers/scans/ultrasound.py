"""Ultrasound pictures, and the console around them."""

from __future__ import annotations

from functools import lru_cache
from math import cos, sin

import numpy as np
from PIL import Image, ImageChops

from panelwise_simulator.drawers.raster.marks import WHITE, YELLOW, pointers, unit, write
from panelwise_simulator.drawers.raster.shapes import Sketch, ring
from panelwise_simulator.drawers.raster.textures import (
    Point,
    chance,
    coloured,
    enlarged,
    grain,
    grey,
    haze,
    palette,
    pick,
    reduced,
    streams,
    values,
)
from panelwise_simulator.kinds import Generator

DOPPLER = palette(
    (0.0, (120, 230, 250)), (0.25, (20, 60, 220)), (0.5, (0, 0, 0)), (0.75, (210, 20, 20)), (1.0, (255, 230, 60))
)


@lru_cache(maxsize=16)
def _sector(width: int, height: int, opening: float, top: float) -> Image.Image:
    """Mask of what a curved probe sees: 255 inside. opening: half its angle, radians; top: share left above."""
    sketch = Sketch(width, height)
    apex = -0.22 * height
    far, near = height * 0.97 - apex, height * top - apex
    angles = np.linspace(-opening, opening, 24).tolist()
    middle = width / 2
    outer = [(middle + far * sin(a), apex + far * cos(a)) for a in angles]
    inner = [(middle + near * sin(a), apex + near * cos(a)) for a in reversed(angles)]
    sketch.polygon([*outer, *inner], 255)
    return sketch.done()


def ultrasound(rng: Generator, width: int, height: int, *, doppler: bool | None = None) -> Image.Image:
    """An ultrasound picture, a sector or a straight field. doppler: with flow in colour, by chance where None."""
    size = (width, height)
    width, height = reduced(width, height, 0.8)
    anatomy, scanner, author = streams(rng, 3)
    curved, flow = chance(scanner, 0.65), chance(anatomy, 0.3)
    flow = flow if doppler is None else doppler
    small = Sketch(width, height, round(pick(anatomy, 80, 120)))
    u = min(width, height)
    for _ in range(4):
        y = pick(anatomy, 0.1, 0.9) * height
        xs = np.linspace(-0.1, 1.1, 9)
        bends = y + anatomy.standard_normal(9) * 0.03 * u
        tone = round(pick(anatomy, 130, 220))
        small.line(zip((xs * width).tolist(), bends.tolist(), strict=True), tone, pick(anatomy, 0.01, 0.05) * u)
    spots = []
    for _ in range(int(anatomy.integers(2, 5))):
        x, y, r = (
            pick(anatomy, 0.25, 0.75) * width,
            pick(anatomy, 0.25, 0.7) * height,
            pick(anatomy, 0.06, 0.2) * u,
        )
        tone = (6, 30, 55, 150)[int(anatomy.integers(4))]
        if tone < 20:
            small.polygon([(x - r * 0.9, y), (x + r * 0.9, y), (x + r, y + 2.2 * r), (x - r, y + 2.2 * r)], 165)
        lump = ring(x, y, r * 1.25, r, turn=pick(anatomy, 0, 3), rng=anatomy, wobble=0.1, points=30)
        small.polygon(lump, 175)
        small.polygon([(x + (px - x) * 0.93, y + (py - y) * 0.93) for px, py in lump], tone)
        spots.append((x / width, y / height))
    structure = values(small.done().resize((width // 3 + 1, height // 3 + 1), Image.Resampling.BOX).resize(
        (width, height), Image.Resampling.BICUBIC))  # fmt: skip
    blotch = np.asarray(
        Image.fromarray(anatomy.integers(0, 256, (height // 2 + 1, width // 5 + 1), dtype=np.uint8)).resize(
            (width, height), Image.Resampling.BICUBIC
        ),
        dtype=np.float32,
    )
    broad = values(haze(anatomy, width, height, u * 0.16))
    depth = np.linspace(1.15, pick(scanner, 0.35, 0.8), height, dtype=np.float32)[:, None]
    light = (
        structure
        * (0.25 + blotch * (1.5 / 255))
        * (0.45 + broad * (0.55 / 128))
        * depth
        * pick(scanner, 0.5, 0.95)
    )
    image = grey(light + 5 * np.abs(grain(scanner, width, height)))
    if curved:
        mask = _sector(width, height, round(pick(scanner, 0.5, 0.75), 1), 0.06)
    else:
        mask = Image.new("L", (width, height), 0)
        mask.paste(255, (round(width * 0.12), round(height * 0.07), round(width * 0.88), round(height * 0.96)))
    image = ImageChops.multiply(image, mask)
    cast = pick(scanner, 0, 1)
    if cast < 0.12:
        result = coloured(image, palette((0.0, (0, 0, 0)), (0.5, (140, 110, 70)), (1.0, (255, 245, 220))))
    elif cast < 0.22:
        result = coloured(image, palette((0.0, (0, 0, 0)), (0.5, (70, 120, 150)), (1.0, (225, 250, 255))))
    else:
        result = image.convert("RGB")
    result = enlarged(result, size)
    if flow:
        _flow(anatomy, result, spots[0])
    _console(author, result)
    if chance(author, 0.35):
        pointers(author, result, spots, (WHITE, WHITE, YELLOW))
    return result


def _flow(rng: Generator, image: Image.Image, spot: Point) -> None:
    """Colours of flow within a box around `spot`."""
    width, height = image.size
    x0, y0 = max(0, round((spot[0] - 0.2) * width)), max(0, round((spot[1] - 0.2) * height))
    x1, y1 = min(width, round((spot[0] + 0.2) * width)), min(height, round((spot[1] + 0.22) * height))
    field = haze(rng, x1 - x0, y1 - y0, max(3.0, (x1 - x0) / 7))
    strength = field.point([255 if abs(v - 128) > 46 else 0 for v in range(256)])
    image.paste(coloured(field, DOPPLER), (x0, y0), strength)
    outline = Sketch(x1 - x0, y1 - y0, fine=1)
    outline.line([(0, 0), (x1 - x0 - 1, 0), (x1 - x0 - 1, y1 - y0 - 1), (0, y1 - y0 - 1), (0, 0)], 255, 1)
    image.paste((240, 240, 240), (x0, y0), outline.done())


def _console(rng: Generator, image: Image.Image) -> None:
    """Draw the machine's console beside the picture: a grey wedge, ticks of depth, settings."""
    width, height = image.size
    wedge, ticks, lines = chance(rng, 0.5), chance(rng, 0.6), chance(rng, 0.5)
    words = rng.integers(0, 10, 5).tolist()
    if min(width, height) < 90:
        return
    u = unit(image)
    if wedge:
        long, wide = round(height * 0.3), max(3, round(2.5 * u))
        ramp = Image.linear_gradient("L").rotate(180).resize((wide, long))
        image.paste(ramp.convert("RGB"), (round(2 * u), round(height * 0.16)))
    if ticks:
        for step in range(11):
            y = round(height * (0.08 + 0.085 * step))
            image.paste(WHITE, (width - round((3 if step % 5 == 0 else 2) * u), y, width, y + 1))
    if lines:
        texts = ("FR 24Hz", "Gn 58", "DR 60", "2D", "MI 1.1", "TIs 0.4", "C5-1", "15 cm", "G 54", "LT KID")
        for row, word in enumerate(words):
            at = (0.98, 0.62 + row * 4.6 * u / height)
            write(image, at, texts[word], size=max(8.0, 3.8 * u), anchor="ra", fill=(225, 225, 200))
