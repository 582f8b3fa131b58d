"""Sections through the trunk and the head as computed tomography shows them."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.raster.shapes import branches
from panelwise_simulator.drawers.raster.textures import Point, chance, pick, reduced, streams
from panelwise_simulator.drawers.scans.bodies import Body, finished, scanned, window
from panelwise_simulator.kinds import Generator

# Greys that tissues are drawn in before a window is laid over them, and the windows.
AIR, LUNG, FAT, WATER, MUSCLE, ORGAN, VESSEL, MARROW, BONE = 0, 24, 88, 108, 122, 131, 165, 172, 232
WINDOWS = {
    "soft": window((60, 0), (88, 48), (108, 92), (122, 118), (131, 140), (165, 222), (185, 250), (255, 255)),
    "lung": window((0, 4), (18, 40), (30, 78), (60, 190), (85, 248), (255, 255)),
    "bone": window((0, 0), (88, 40), (125, 78), (165, 118), (232, 225), (255, 255)),
    "dim": window((70, 0), (88, 22), (122, 78), (131, 96), (165, 175), (232, 255), (255, 255)),
}


def _vertebra(body: Body, x: float, y: float, size: float) -> None:
    body.oval(x, y + 0.95 * size, 0.3 * size, 0.75 * size, BONE - 20)
    for side in (-1, 1):
        body.oval(x + side * 0.85 * size, y + 0.55 * size, 0.75 * size, 0.2 * size, BONE - 25, turn=side * 0.35)
    body.oval(x, y, size, 0.78 * size, BONE, square=2.3)
    body.oval(x, y, 0.86 * size, 0.64 * size, MARROW + 8)
    body.oval(x, y + 0.98 * size, 0.42 * size, 0.36 * size, BONE)
    body.oval(x, y + 0.98 * size, 0.31 * size, 0.26 * size, WATER + 6)


def _ribs(rng: Generator, body: Body, rx: float, ry: float, count: int) -> None:
    for angle in (np.linspace(0, 2 * pi, count, endpoint=False) + pick(rng, 0, 0.5)).tolist():
        if abs(angle % (2 * pi) - 1.5 * pi) < 0.5 or abs(angle % (2 * pi) - 0.5 * pi) < 0.35:
            continue
        long = pick(rng, 0.07, 0.19)
        body.arc(0, 0, rx, ry, angle - long, angle + long, BONE, 0.055, square=2.3)
        body.arc(0, 0, rx, ry, angle - long * 0.8, angle + long * 0.8, MARROW, 0.024, square=2.3)


def chest(rng: Generator, body: Body, level: float, lesion: bool) -> list[Point]:
    """A section across the chest; returns where its lesion is."""
    deep, fat = pick(rng, 0.62, 0.76), pick(rng, 0.03, 0.1)
    if chance(rng, 0.3):
        for side in (-1, 1):
            body.oval(side * 0.45, -deep + 0.08, pick(rng, 0.28, 0.36), pick(rng, 0.2, 0.3), FAT, turn=side * 0.2)
    body.oval(0, 0, 1.0, deep, FAT, square=2.5, rng=rng, wobble=0.012)
    body.oval(0, 0.01, 1 - fat, deep - fat, MUSCLE, square=2.5)
    inner = deep - fat - 0.1
    for side in (-1, 1):
        if level > 0.45:
            body.stroke([(side * 0.52, 0.8 * inner), (side * 0.74, 0.3 * inner), (side * 0.82, 0.12)], BONE, 0.04)
        body.oval(side * 0.86, 0.05, 0.03, 0.2, FAT, turn=side * 0.12)
    _ribs(rng, body, 0.85 - fat / 2, inner + 0.02, 15)
    lungs, air = body.like(), body.like(LUNG)
    width = 0.36 - 0.04 * abs(level - 0.5)
    for side in (-1, 1):
        lungs.oval(
            side * 0.415, 0.02, width, inner - 0.06, 255, square=2.5, turn=-side * 0.08, rng=rng, wobble=0.03
        )
        for _ in range(3):
            start = (side * 0.16, pick(rng, -0.12, 0.16))
            heading = (0 if side > 0 else pi) + pick(rng, -0.9, 0.9)
            for points, thick in branches(rng, start, heading, pick(rng, 0.18, 0.3), 0.042, depth=4, spread=0.7):
                air.stroke(points, MUSCLE if thick > 0.012 else 70, thick)
        for x, y, r in zip(*rng.random((3, 9)).tolist(), strict=True):
            dot = (side * (0.2 + 0.45 * x), (y - 0.45) * 1.5 * inner)
            air.oval(*dot, 0.008 + 0.016 * r, 0.008 + 0.016 * r, MUSCLE - 20)
    side = 1 if chance(rng, 0.5) else -1
    spot = (side * pick(rng, 0.3, 0.56), pick(rng, -0.3, 0.35) * inner / 0.5)
    style, size = rng.random(), pick(rng, 0.03, 0.09)
    if lesion:
        if style < 0.55:
            air.oval(*spot, size, size * pick(rng, 0.75, 1), ORGAN, rng=rng, wobble=0.12)
        elif style < 0.8:
            for dx, dy in (rng.standard_normal((9, 2)) * 0.1).tolist():
                air.oval(spot[0] + dx, spot[1] + dy, pick(rng, 0.03, 0.1), 0.06, 58, rng=rng, wobble=0.3)
        else:
            air.oval(side * 0.42, inner * 0.75, 0.4, inner * pick(rng, 0.3, 0.5), WATER + 8)
            spot = (side * 0.45, inner * 0.6)
    body.canvas.paste(air.canvas, mask=lungs.canvas)
    body.oval(0, -0.05, 0.15, inner - 0.1, FAT + 12, square=2.6)
    if level < 0.55:
        tilt = pick(rng, 0.3, 0.7)
        body.oval(0.14, -0.16, pick(rng, 0.3, 0.37), pick(rng, 0.24, 0.3), ORGAN, turn=tilt, rng=rng, wobble=0.05)
        bright = VESSEL if chance(rng, 0.6) else ORGAN + 4
        for x, y, r in ((0.2, -0.14, 0.15), (0.03, -0.22, 0.13), (0.05, 0.0, 0.12), (-0.09, -0.12, 0.1)):
            body.oval(x, y, r, r * 0.8, bright, turn=tilt, rng=rng, wobble=0.1)
    else:
        bright = VESSEL + 6 if chance(rng, 0.7) else ORGAN
        body.oval(-0.08, -0.14, 0.1, 0.1, bright)
        body.oval(0.06, -0.16, 0.2, 0.08, bright, turn=0.5)
        body.oval(-0.17, -0.07, 0.05, 0.055, bright)
        for side in (-1, 1):
            body.oval(side * 0.09, 0.06, 0.04, 0.035, AIR)
            body.oval(side * 0.19, 0.03, 0.09, 0.045, bright - 6, turn=side * 0.3)
    body.oval(0.13, inner * 0.52, 0.075, 0.075, bright)
    body.oval(0.03, inner * 0.42, 0.045, 0.035, MUSCLE)
    body.oval(0, -inner - 0.03, 0.12, 0.03, BONE - 30)
    _vertebra(body, 0, inner * 0.78, 0.14)
    return [spot]


def _abdomen(rng: Generator, body: Body, level: float, lesion: bool) -> list[Point]:
    """A section across the belly; returns where its lesion is."""
    deep, fat = pick(rng, 0.62, 0.78), pick(rng, 0.04, 0.2)
    body.oval(0, 0, 1.0, deep, FAT, square=2.4, rng=rng, wobble=0.012)
    body.oval(0, 0.02, 1 - fat, deep - fat, MUSCLE, square=2.4)
    inner = deep - fat - 0.07
    wide = 1 - fat - 0.07
    if level > 0.3:
        _ribs(rng, body, wide + 0.02, inner + 0.02, 14)
    body.oval(0, -0.02, wide - 0.02, inner - 0.03, FAT + 3, square=2.4)
    tone, bright = ORGAN + round(pick(rng, -4, 8)), VESSEL + round(pick(rng, -20, 12))
    if level > 0.3:
        body.oval(-0.42 * wide, -0.08, 0.52 * wide, inner * 0.8, tone, turn=-0.3, rng=rng, wobble=0.07)
        for points, thick in branches(rng, (-0.15, 0.0), pi + 0.2, 0.24, 0.035, depth=3, spread=0.7):
            body.stroke(points, (tone + bright) // 2, thick)
        body.oval(0.68 * wide, 0.12, 0.16, 0.3, tone + 3, turn=0.25, rng=rng, wobble=0.06)
        body.oval(0.34 * wide, -0.25, 0.27, 0.2, WATER, turn=-0.4, rng=rng, wobble=0.08)
        body.oval(0.36 * wide, -0.34, 0.2, 0.07, AIR)
    for _ in range(int(rng.integers(8, 13)) if level <= 0.3 else int(rng.integers(3, 6))):
        x, y = pick(rng, -0.7, 0.75) * wide, pick(rng, -0.85, 0.1) * inner
        if level > 0.3:
            x, y = abs(x) * 0.9, abs(y) * 0.4
        r = pick(rng, 0.07, 0.14)
        body.oval(x, y, r * 1.2, r, MUSCLE, turn=pick(rng, 0, 3), rng=rng, wobble=0.15)
        body.oval(x, y, r * 0.9, r * 0.7, (WATER, VESSEL, AIR, ORGAN)[int(rng.integers(4))], rng=rng, wobble=0.2)
    for side in (-1, 1):
        if level < 0.75:
            x, y = side * 0.46 * wide, inner * 0.36
            body.oval(x, y, 0.15, 0.2, bright - 12, turn=-side * 0.3, rng=rng, wobble=0.04)
            body.oval(x - side * 0.05, y, 0.06, 0.1, FAT, turn=-side * 0.3, rng=rng, wobble=0.15)
        body.oval(side * 0.24, inner * 0.68, 0.12, 0.13, MUSCLE, rng=rng, wobble=0.05)
        body.oval(side * 0.3, inner + 0.0, 0.24, 0.1, MUSCLE - 2)
    body.oval(0.05, inner * 0.28, 0.07, 0.07, bright)
    body.oval(-0.11, inner * 0.28, 0.085, 0.06, bright - 15)
    _vertebra(body, 0, inner * 0.62, 0.16)
    spot = (pick(rng, -0.6, -0.25) * wide, pick(rng, -0.3, 0.2)) if level > 0.3 else (pick(rng, -0.4, 0.4), -0.1)
    size = pick(rng, 0.06, 0.16)
    if lesion:
        core = (WATER, WATER + 6, bright, tone + 14)[int(rng.integers(4))]
        body.oval(*spot, size, size * 0.9, core, rng=rng, wobble=0.1)
        if chance(rng, 0.4):
            body.oval(*spot, size * 0.7, size * 0.6, WATER, rng=rng, wobble=0.1)
    return [spot]


def _pelvis(rng: Generator, body: Body, level: float, lesion: bool) -> list[Point]:
    """A section across the pelvis; returns where its lesion is."""
    deep, fat = pick(rng, 0.56, 0.66), pick(rng, 0.05, 0.14)
    body.oval(0, 0, 1.0, deep, FAT, square=2.7, rng=rng, wobble=0.012)
    for side in (-1, 1):
        body.oval(side * 0.5, 0.26, 0.42 - fat / 2, 0.26, MUSCLE, turn=side * -0.35, rng=rng, wobble=0.06)
        body.oval(side * 0.6, -0.2, 0.26, 0.16, MUSCLE, turn=side * 0.7, rng=rng, wobble=0.06)
        body.oval(side * 0.33, -deep + 0.19, 0.26, 0.05, MUSCLE, turn=side * 0.08)
    body.oval(0, -0.1, 0.5, 0.36, FAT + 5)
    bright = VESSEL if chance(rng, 0.5) else ORGAN
    for side in (-1, 1):
        points = [(side * 0.66, -0.3), (side * 0.6, -0.1), (side * 0.42, 0.12), (side * 0.26, 0.3)]
        body.stroke(points, BONE + 10, 0.1)
        body.stroke(points, MARROW + 5, 0.045)
        body.oval(side * 0.38, -0.12, 0.13, 0.14, MUSCLE)
        body.oval(side * 0.27, -0.02, 0.05, 0.05, bright)
        body.oval(side * 0.26, 0.08, 0.05, 0.045, bright - 6)
    for _ in range(int(rng.integers(4, 9))):
        x, y, r = pick(rng, -0.36, 0.36), pick(rng, -0.36, 0.08), pick(rng, 0.06, 0.13)
        body.oval(x, y, r * 1.2, r, MUSCLE, turn=pick(rng, 0, 3), rng=rng, wobble=0.15)
        body.oval(x, y, r * 0.9, r * 0.6, (WATER, VESSEL, AIR)[int(rng.integers(3))], rng=rng, wobble=0.2)
    body.shape([(-0.22, 0.2), (0.22, 0.2), (0.16, 0.36), (0, 0.47), (-0.16, 0.36)], BONE)
    body.shape([(-0.17, 0.23), (0.17, 0.23), (0.11, 0.34), (0, 0.42), (-0.11, 0.34)], MARROW)
    spot, size = (pick(rng, -0.2, 0.2), pick(rng, -0.28, -0.05)), pick(rng, 0.1, 0.17)
    if lesion:
        body.oval(*spot, size, size * 0.9, bright + 8, rng=rng, wobble=0.06)
        body.oval(*spot, size * 0.82, size * 0.74, WATER + 2, rng=rng, wobble=0.06)
    return [spot]


def _head(rng: Generator, body: Body, level: float, lesion: bool) -> list[Point]:
    """A section across the head; returns where its lesion is."""
    narrow = pick(rng, 0.78, 0.86)
    body.oval(0, 0, narrow * 0.8, 0.8, MUSCLE - 8, rng=rng, wobble=0.01)
    body.oval(0, 0, narrow * 0.765, 0.765, 255)
    body.oval(0, 0, narrow * 0.7, 0.7, WATER + 6)
    body.oval(0, 0, narrow * 0.69, 0.69, ORGAN - 3, rng=rng, wobble=0.012)
    for side in (-1, 1):
        body.oval(side * 0.11, -0.2, 0.05, 0.17, WATER - 2, turn=side * -0.3)
        body.oval(side * 0.15, 0.2, 0.05, 0.16, WATER - 2, turn=side * 0.35)
        body.oval(side * 0.2, -0.02, 0.1, 0.16, ORGAN + 3, turn=side * 0.2)
        for angle in np.linspace(0.3, 2.8, 9).tolist():
            x, y = sin(angle) * narrow * 0.69 * side, cos(angle) * 0.69
            body.stroke([(x, y), (x * 0.86, y * 0.88 + 0.02)], WATER + 4, 0.014)
    body.stroke([(0, -0.68), (0.005, -0.3)], WATER + 12, 0.014)
    body.stroke([(0, 0.3), (0, 0.68)], WATER + 14, 0.016)
    spot, size = (pick(rng, -0.35, 0.35), pick(rng, -0.4, 0.4)), pick(rng, 0.08, 0.2)
    if lesion:
        body.oval(*spot, size * 1.35, size * 1.25, WATER + 9, rng=rng, wobble=0.12)
        body.oval(*spot, size, size * 0.85, (ORGAN + 22, WATER + 2)[int(rng.integers(2))], rng=rng, wobble=0.15)
    return [spot]


#: What a level along the body (0 to 1) shows: least level, drawing, units across and down.
Region = Callable[[Generator, Body, float, bool], list[Point]]
REGIONS: tuple[tuple[float, Region, tuple[float, float]], ...] = (
    (0.9, _head, (1.85, 1.75)),
    (0.5, chest, (2.15, 1.75)),
    (0.2, _abdomen, (2.15, 1.75)),
    (0.0, _pelvis, (2.15, 1.55)),
)  # fmt: skip


def ct_axial(
    rng: Generator,
    width: int,
    height: int,
    *,
    level: float | None = None,
    window: str | None = None,
    nodule: bool | None = None,
) -> Image.Image:
    """A section across the body by computed tomography.

    level: 0 (pelvis) over 0.2 (belly) and 0.5 (chest) to 0.9 (head); window: "soft", "lung", "bone", "dim";
    nodule: True for a lesion with a pointer, False for none. All by chance where None.
    """
    size = (width, height)
    width, height = reduced(width, height, 0.7)
    anatomy, scanner, author = streams(rng, 3)
    drawn_level, drawn_lesion = pick(anatomy, 0, 1), chance(anatomy, 0.65)
    level = drawn_level if level is None else level
    least, region, span = next(entry for entry in REGIONS if level >= entry[0])
    lesion = drawn_lesion if nodule is None else nodule
    zoom = pick(scanner, 0.88, 1.12)
    span = (span[0] * zoom, span[1] * zoom)
    shown = window or (
        "lung" if region is chest and chance(scanner, 0.4) else "dim" if chance(scanner, 0.2) else "soft"
    )
    body = Body(width, height, span, shift=(pick(scanner, -0.05, 0.05), pick(scanner, -0.06, 0.03)))
    if chance(scanner, 0.6) and region is not _head:
        for offset in (0.0, pick(scanner, 0.05, 0.12)):
            body.arc(0, -0.75, 1.6, 1.58 + offset, pi / 2 - 0.55, pi / 2 + 0.55, FAT + 14, 0.018)
    body.bend(anatomy, 0.09)
    targets = region(anatomy, body, (level - least) / 0.35, lesion)
    table = WINDOWS[shown]
    image = scanned(scanner, body.done(), coarse=pick(scanner, 1, 4), fine=pick(scanner, 0.5, 2), table=table)
    places = [body.share(*target) for target in targets] if lesion else []
    return finished(author, image, size, places, pointed=True if nodule else None)


def ct_coronal(
    rng: Generator, width: int, height: int, *, window: str | None = None, nodule: bool | None = None
) -> Image.Image:
    """A section of the trunk, seen from the front, by computed tomography; keywords as of `ct_axial`."""
    size = (width, height)
    width, height = reduced(width, height, 0.7)
    anatomy, scanner, author = streams(rng, 3)
    body = Body(width, height, (pick(scanner, 1.75, 2.1), pick(scanner, 2.0, 2.4)))
    lesion = chance(anatomy, 0.6) if nodule is None else nodule
    body.bend(anatomy, 0.12)
    fat = pick(anatomy, 0.03, 0.12)
    wide = pick(anatomy, 0.74, 0.84)
    outline = [
        (-0.2, -1.4),
        (-0.2, -0.98),
        (-0.5, -0.9),
        (-wide - 0.1, -0.72),
        (-wide, -0.2),
        (-wide, 0.4),
        (-wide + 0.05, 1.4),
    ]
    body.shape([*outline, *((-x, y) for x, y in reversed(outline))], FAT)
    body.shape(
        [(x * (1 - fat), y) for x, y in outline] + [(-x * (1 - fat), y) for x, y in reversed(outline)], MUSCLE
    )
    inside = wide - fat - 0.06
    body.oval(0, 0.72, inside, 0.75, FAT + 4, square=3)
    for side in (-1, 1):
        body.stroke([(side * 0.1, -0.86), (side * 0.4, -0.83), (side * 0.72, -0.78)], BONE - 10, 0.04)
        body.oval(side * (wide - 0.02), -0.68, 0.1, 0.11, BONE - 20)
        for step in range(9):
            y = -0.72 + 0.15 * step
            out = inside * min(1.0, 0.62 + 0.1 * step) + 0.04
            body.oval(side * out, y, 0.05, 0.026, BONE, turn=side * 0.7)
            body.oval(side * out, y, 0.03, 0.012, MARROW, turn=side * 0.7)
    lungs, air = body.like(), body.like(LUNG)
    for side in (-1, 1):
        base = 0.16 if side < 0 else 0.22
        points = [(0.08, -0.6), (0.2, -0.76), (0.36, -0.7), (0.5, -0.45), (inside, -0.05), (inside, base + 0.1),
                  (0.5, base - 0.07), (0.3, base - 0.1), (0.1, base), (0.12, -0.2)]  # fmt: skip
        lungs.shape([(side * x, y) for x, y in points], 255)
        for heading in (-1.1, 0.0, 1.1):
            angle = heading if side > 0 else pi - heading
            trunk = branches(
                anatomy, (side * 0.1, -0.3), angle, pick(anatomy, 0.22, 0.32), 0.034, depth=4, spread=0.6
            )
            for line, thick in trunk:
                air.stroke(line, VESSEL - 20 if thick > 0.015 else 72, thick)
    side = 1 if chance(anatomy, 0.5) else -1
    spot, extent = (side * pick(anatomy, 0.28, 0.48), pick(anatomy, -0.55, 0.0)), pick(anatomy, 0.03, 0.09)
    if lesion:
        air.oval(*spot, extent, extent * 0.85, ORGAN, rng=anatomy, wobble=0.12)
    body.canvas.paste(air.canvas, mask=lungs.canvas)
    bright = VESSEL if chance(anatomy, 0.7) else ORGAN
    body.oval(0, -0.5, 0.13, 0.4, FAT + 15)
    body.oval(0.09, -0.52, 0.07, 0.12, bright)
    body.oval(0.12, -0.08, 0.27, 0.26, ORGAN, turn=0.6, rng=anatomy, wobble=0.05)
    body.oval(0.12, -0.04, 0.17, 0.16, bright, turn=0.6, rng=anatomy, wobble=0.1)
    body.stroke([(0, -1.2), (0, -0.5)], AIR, 0.055)
    for side in (-1, 1):
        body.stroke([(0, -0.52), (side * 0.12, -0.38)], AIR, 0.035)
    body.oval(-0.3, 0.36, 0.4, 0.3, ORGAN + 4, turn=-0.25, rng=anatomy, wobble=0.06)
    body.oval(0.46, 0.34, 0.13, 0.2, ORGAN + 6, turn=0.3, rng=anatomy, wobble=0.05)
    body.oval(0.22, 0.34, 0.17, 0.16, WATER, rng=anatomy, wobble=0.12)
    body.oval(0.24, 0.27, 0.12, 0.06, AIR)
    for side in (-1, 1):
        body.oval(side * 0.34, 0.72, 0.1, 0.19, bright - 10, turn=side * 0.2, rng=anatomy, wobble=0.04)
    for _ in range(9):
        x, y, r = pick(anatomy, -0.5, 0.5), pick(anatomy, 0.72, 1.2), pick(anatomy, 0.06, 0.11)
        body.oval(x, y, r * 1.2, r, MUSCLE, rng=anatomy, wobble=0.15)
        body.oval(x, y, r * 0.9, r * 0.6, (WATER, VESSEL, AIR)[int(anatomy.integers(3))], rng=anatomy, wobble=0.2)
    table = WINDOWS[window or ("lung" if chance(scanner, 0.25) else "soft")]
    image = scanned(scanner, body.done(), coarse=pick(scanner, 1, 4), fine=pick(scanner, 0.5, 2), table=table)
    return finished(author, image, size, [body.share(*spot)] if lesion else [], pointed=True if nodule else None)
