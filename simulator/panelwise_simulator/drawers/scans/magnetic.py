"""Heads as magnetic resonance shows them."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.raster.textures import (
    Point,
    chance,
    haze,
    pick,
    reduced,
    streams,
)
from panelwise_simulator.drawers.scans.bodies import Body, finished, scanned
from panelwise_simulator.kinds import Generator

#: Greys by sequence: fluid, grey matter, white matter, fat, muscle, lesion, its halo.
SEQUENCES = {
    "t1": (26, 98, 138, 215, 92, 78, 105),
    "t1c": (26, 92, 120, 205, 100, 235, 84),
    "t2": (245, 142, 92, 178, 62, 210, 190),
    "flair": (16, 118, 86, 120, 62, 215, 190),
    "dwi": (12, 84, 70, 20, 24, 250, 130),
}


def mri_brain(
    rng: Generator,
    width: int,
    height: int,
    *,
    plane: str | None = None,
    sequence: str | None = None,
    lesion: bool | None = None,
) -> Image.Image:
    """A head by magnetic resonance. plane: "axial", "coronal", "sagittal"; sequence: one of `SEQUENCES`; lesion:
    whether there is one. The same state shows the same head in each sequence."""
    size = (width, height)
    width, height = reduced(width, height, 0.7)
    anatomy, scanner, author = streams(rng, 3)
    drawn = pick(anatomy, 0, 1)
    plane = plane or ("axial" if drawn < 0.6 else "coronal" if drawn < 0.8 else "sagittal")
    names = tuple(SEQUENCES)
    drawn_name = names[int(scanner.integers(len(names)))]
    tones = SEQUENCES[sequence or drawn_name]
    sick = chance(anatomy, 0.65)
    sick = sick if lesion is None else lesion
    zoom = pick(scanner, 0.9, 1.12)
    spans = {"axial": (1.9, 2.25), "coronal": (1.95, 2.35), "sagittal": (2.35, 2.35)}
    span = (spans[plane][0] * zoom, spans[plane][1] * zoom)
    body = Body(width, height, span, shift=(pick(scanner, -0.04, 0.04), 0.04))
    body.bend(anatomy, 0.1)
    spot = _side_brain(anatomy, body, tones) if plane == "sagittal" else _brain(anatomy, body, tones, plane)
    extent = pick(anatomy, 0.07, 0.2)
    if sick:
        core, halo = tones[5], tones[6]
        body.oval(*spot, extent * 1.5, extent * 1.4, halo, rng=anatomy, wobble=0.14)
        body.oval(*spot, extent, extent * 0.9, core, rng=anatomy, wobble=0.12)
        if chance(anatomy, 0.45):
            body.oval(*spot, extent * 0.62, extent * 0.55, tones[0] if core > 200 else 40, rng=anatomy, wobble=0.2)
    image = body.done()
    if (sequence or drawn_name) == "dwi":
        small = (max(24, width // 4), max(24, height // 4))
        image = image.resize(small, Image.Resampling.BOX).resize((width, height), Image.Resampling.BICUBIC)
    bias = haze(scanner, width, height, max(width, height) * 0.6).point(
        [round(v * 0.16 + 235) for v in range(256)]
    )
    image = Image.composite(image, Image.new("L", image.size, 0), bias)
    image = scanned(scanner, image, coarse=pick(scanner, 2, 6), fine=pick(scanner, 1, 3), size=1.6)
    return finished(author, image, size, [body.share(*spot)] if sick else [], share=0.5)


def _folds(
    rng: Generator, body: Body, centre: Point, radii: Point, tones: tuple[int, ...], turns: list[float]
) -> None:
    """Folds of a brain's surface: grooves running inwards from an ellipse, in grey matter, filled with fluid."""
    fluid, cortex = tones[0], tones[1]
    stray = (rng.standard_normal((len(turns), 6))).tolist()
    grooves = []
    for angle, (a, b, c, d, e, f) in zip(turns, stray, strict=True):
        depth = 0.2 + 0.06 * a
        points = [
            (centre[0] + radii[0] * r * cos(angle + turn), centre[1] + radii[1] * r * sin(angle + turn))
            for r, turn in (
                (1.0, 0.0),
                (1 - depth * 0.4, 0.05 * b),
                (1 - depth * 0.75, 0.08 * c),
                (1 - depth, 0.12 * d),
            )
        ]
        grooves.append(points)
        if e > -0.2:
            x, y = points[2]
            grooves.append([(x, y), (x + 0.07 * cos(angle + 1.7 * f), y + 0.07 * sin(angle + 1.7 * f))])
    for points in grooves:
        body.stroke(points, cortex, 0.085)
    for points in grooves:
        body.stroke(points, (fluid * 3 + cortex) // 4, 0.022)


def _skull(rng: Generator, body: Body, tones: tuple[int, ...], centre: Point, rx: float, ry: float) -> None:
    fluid, fat, muscle = tones[0], tones[3], tones[4]
    x, y = centre
    body.oval(x, y, rx + 0.13, ry + 0.13, muscle, rng=rng, wobble=0.008)
    body.oval(x, y, rx + 0.115, ry + 0.115, fat)
    body.oval(x, y, rx + 0.075, ry + 0.075, 14)
    body.oval(x, y, rx + 0.05, ry + 0.05, (fat + 40) // 3)
    body.oval(x, y, rx + 0.03, ry + 0.03, 12)
    body.oval(x, y, rx + 0.01, ry + 0.01, fluid)


def _brain(rng: Generator, body: Body, tones: tuple[int, ...], plane: str) -> Point:
    """A brain from above or from the front; returns a place in it."""
    fluid, cortex, white, fat, muscle = tones[:5]
    rx, ry = (pick(rng, 0.68, 0.74), 0.88) if plane == "axial" else (0.76, 0.7)
    centre = (0.0, 0.0) if plane == "axial" else (0.0, -0.28)
    cx, cy = centre
    if plane == "coronal":
        body.oval(0, 0.65, 0.42, 0.75, muscle + 10, square=2.6)
        for side in (-1, 1):
            body.oval(side * 0.36, 0.75, 0.16, 0.6, fat - 20, rng=rng, wobble=0.1)
            body.oval(side * 0.36, 0.72, 0.1, 0.45, muscle, rng=rng, wobble=0.1)
    _skull(rng, body, tones, centre, rx, ry)
    body.oval(cx, cy, rx, ry, cortex, rng=rng, wobble=0.008)
    body.oval(cx, cy, rx - 0.06, ry - 0.06, white, rng=rng, wobble=0.02)
    count = int(rng.integers(26, 34))
    turns = (np.linspace(0, 2 * pi, count, endpoint=False) + rng.standard_normal(count) * 0.06).tolist()
    _folds(rng, body, centre, (rx + 0.01, ry + 0.01), tones, turns)
    level, big = pick(rng, 0, 1), pick(rng, 0.8, 1.35)
    body.stroke([(cx, cy - ry), (cx + 0.01, cy - 0.42)], fluid, 0.026)
    if plane == "axial":
        body.stroke([(cx, cy + 0.38), (cx, cy + ry)], fluid, 0.026)
        for side in (-1, 1):
            body.oval(side * 0.25, 0.0, 0.13, 0.24, cortex, turn=side * 0.25)
            body.oval(side * 0.19, 0.02, 0.05, 0.2, white, turn=side * 0.35)
            body.oval(side * 0.11 * big, -0.24, 0.06 * big, 0.19, fluid, turn=side * -0.35, rng=rng, wobble=0.08)
            body.oval(side * 0.17 * big, 0.3, 0.055 * big, 0.2, fluid, turn=side * 0.4, rng=rng, wobble=0.08)
            body.stroke([(side * 0.6, -0.1), (side * 0.45, 0.02), (side * 0.42, 0.14)], fluid, 0.03)
        body.oval(0, 0.06, 0.03 * big, 0.11, fluid)
        if level < 0.3:
            body.oval(0, 0.5, 0.42, 0.32, cortex, rng=rng, wobble=0.04)
            body.oval(0, 0.36, 0.06, 0.05, fluid)
            body.oval(0, 0.12, 0.18, 0.16, white)
    else:
        for side in (-1, 1):
            body.oval(side * 0.22, cy + 0.12, 0.11, 0.12, cortex, turn=side * 0.25)
            body.oval(side * 0.12 * big, cy - 0.06, 0.05 * big, 0.13, fluid, turn=side * -0.6, rng=rng, wobble=0.1)
            body.stroke([(side * 0.72, cy + 0.2), (side * 0.5, cy + 0.12), (side * 0.42, cy + 0.05)], fluid, 0.03)
        body.oval(0, cy + 0.15, 0.025, 0.1, fluid)
        body.oval(0, cy + 0.52, 0.4, 0.2, cortex, rng=rng, wobble=0.05)
        body.oval(0, cy + 0.4, 0.13, 0.24, white)
    side = 1 if chance(rng, 0.5) else -1
    return (cx + side * pick(rng, 0.2, 0.45), cy + pick(rng, -0.45, 0.4) * ry)


def _side_brain(rng: Generator, body: Body, tones: tuple[int, ...]) -> Point:
    """A head from the side, facing left; returns a place in the brain."""
    fluid, cortex, white, fat, muscle = tones[:5]
    face = [
        (-0.72, -0.35), (-0.86, -0.1), (-0.84, 0.08), (-1.02, 0.3), (-0.86, 0.4),
        (-0.9, 0.52), (-0.84, 0.6), (-0.87, 0.7), (-0.74, 0.86), (-0.4, 0.92),
        (-0.3, 1.5), (0.55, 1.5), (0.62, 0.5), (0.8, 0.0),
    ]  # fmt: skip
    body.shape(face, fat - 15)
    body.shape([(x * 0.93 + 0.03, y * 0.95 + 0.02) for x, y in face], muscle + 8)
    body.oval(-0.62, 0.32, 0.2, 0.1, 10, rng=rng, wobble=0.12)
    body.oval(-0.45, 0.62, 0.26, 0.15, muscle + 25, rng=rng, wobble=0.08)
    body.stroke([(-0.3, 0.42), (-0.16, 0.7), (-0.14, 1.4)], 6, 0.07)
    _skull(rng, body, tones, (0.05, -0.18), 0.86, 0.72)
    body.oval(0.05, -0.2, 0.84, 0.68, cortex, rng=rng, wobble=0.01)
    body.oval(0.05, -0.2, 0.76, 0.6, white, rng=rng, wobble=0.02)
    turns = (np.linspace(pi * 0.93, pi * 2.12, 22) + rng.standard_normal(22) * 0.05).tolist()
    _folds(rng, body, (0.05, -0.2), (0.85, 0.69), tones, turns)
    body.oval(0.0, 0.44, 0.62, 0.18, muscle)
    body.oval(0.02, 0.05, 0.3, 0.12, cortex)
    body.oval(0.48, 0.3, 0.28, 0.19, cortex, rng=rng, wobble=0.03)
    for angle in np.linspace(-2.6, 2.6, 9).tolist():
        reach = (0.48 + 0.27 * cos(angle), 0.3 + 0.18 * sin(angle))
        body.stroke([(0.36, 0.3), reach], (fluid + cortex) // 2, 0.016)
    body.arc(0.05, 0.0, 0.42, 0.24, pi * 1.02, pi * 1.98, white + 12, 0.07)
    body.arc(0.06, 0.04, 0.36, 0.18, pi * 1.1, pi * 1.9, fluid, 0.045)
    body.oval(0.12, 0.28, 0.13, 0.12, white, turn=0.3)
    body.stroke([(0.14, 0.35), (0.2, 0.62), (0.22, 1.5)], white, 0.11)
    body.stroke([(0.29, 0.5), (0.31, 1.5)], fluid, 0.03)
    for step in range(5):
        body.oval(0.06, 0.72 + 0.19 * step, 0.09, 0.075, cortex + 5, square=3)
    return (0.05 + pick(rng, -0.4, 0.4), -0.2 + pick(rng, -0.3, 0.05))
