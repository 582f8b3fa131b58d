"""Photographs of instruments on a bench."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.photos.cameras import mix, photographed, times
from panelwise_simulator.drawers.raster.marks import unit, write
from panelwise_simulator.drawers.raster.shapes import Sketch
from panelwise_simulator.drawers.raster.textures import chance, pick, reduced, streams
from panelwise_simulator.kinds import Generator

METALS = (
    (206, 208, 212),
    (232, 232, 228),
    (120, 126, 134),
    (52, 56, 62),
    (38, 70, 120),
    (190, 60, 40),
    (226, 178, 50),
)


def apparatus_photo(rng: Generator, width: int, height: int) -> Image.Image:
    """Instruments, bottles and tubing on a bench."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    wall = mix(subject, (176, 182, 182), (228, 228, 220))
    sketch = Sketch(width, height, wall)
    table = pick(subject, 0.68, 0.8) * height
    sketch.polygon(
        [(0, table), (width, table), (width, height + 1), (0, height + 1)],
        mix(subject, (130, 126, 120), (214, 206, 194)),
    )
    for step in range(int(subject.integers(0, 4))):
        y = height * 0.17 * (step + 1)
        sketch.line([(0, y), (width, y)], times(wall, 0.93), 1)
    tops = []
    count = max(2, round(width / height * pick(subject, 2.2, 4)))
    for number in range(count):
        x = (number + 0.5) * width / count + pick(subject, -0.03, 0.03) * width
        w, h = width / count * pick(subject, 0.3, 0.48), height * pick(subject, 0.2, 0.5)
        base = table + height * pick(subject, 0.03, 0.12)
        tone = METALS[int(subject.integers(len(METALS)))]
        kind = int(subject.integers(4))
        if kind == 0:
            # A bottle with a coloured liquid.
            glass, liquid = (206, 216, 220), mix(subject, (60, 90, 160), (220, 190, 90))
            neck = w * 0.35
            half = [(w * 0.7, base), (w * 0.7, base - h * 0.6), (neck, base - h * 0.8), (neck, base - h)]
            sketch.polygon([(x + dx, y) for dx, y in half] + [(x - dx, y) for dx, y in reversed(half)], glass)
            sketch.polygon(
                [
                    (x - w * 0.64, base - 2),
                    (x + w * 0.64, base - 2),
                    (x + w * 0.64, base - h * 0.4),
                    (x - w * 0.64, base - h * 0.4),
                ],
                liquid,
            )
            sketch.polygon(
                [
                    (x - w * 0.5, base - h * 0.05),
                    (x - w * 0.4, base - h * 0.05),
                    (x - w * 0.4, base - h * 0.6),
                    (x - w * 0.5, base - h * 0.6),
                ],
                (240, 244, 246),
            )
        elif kind == 1:
            # A stand with a clamp and a column.
            sketch.line([(x, base), (x, base - h * 1.5)], (90, 92, 96), max(2.0, width * 0.012))
            sketch.polygon(
                [
                    (x - w * 0.6, base),
                    (x + w * 0.6, base),
                    (x + w * 0.5, base - h * 0.07),
                    (x - w * 0.5, base - h * 0.07),
                ],
                (60, 62, 66),
            )
            sketch.line(
                [(x, base - h * 1.2), (x + w * 0.6, base - h * 1.2)], (110, 112, 118), max(2.0, width * 0.01)
            )
            sketch.polygon(
                [
                    (x + w * 0.45, base - h * 1.4),
                    (x + w * 0.7, base - h * 1.4),
                    (x + w * 0.7, base - h * 0.4),
                    (x + w * 0.45, base - h * 0.4),
                ],
                (212, 220, 224),
            )
        else:
            # A box with a display and knobs.
            side = w * 0.18
            sketch.polygon(
                [(x + w, base), (x + w + side, base - side), (x + w + side, base - h - side), (x + w, base - h)],
                times(tone, 0.6),
            )
            sketch.polygon(
                [
                    (x - w, base - h),
                    (x + w, base - h),
                    (x + w + side, base - h - side),
                    (x - w + side, base - h - side),
                ],
                times(tone, 1.12),
            )
            sketch.polygon([(x - w, base), (x + w, base), (x + w, base - h), (x - w, base - h)], tone)
            lit = ((20, 40, 30), (30, 60, 110), (12, 14, 16))[int(subject.integers(3))]
            sketch.polygon(
                [
                    (x - w * 0.75, base - h * 0.85),
                    (x + w * 0.4, base - h * 0.85),
                    (x + w * 0.4, base - h * 0.5),
                    (x - w * 0.75, base - h * 0.5),
                ],
                lit,
            )
            trace = [
                (x - w * 0.7 + w * 1.05 * t / 9, base - h * (0.67 + 0.1 * pick(subject, -1, 1))) for t in range(10)
            ]
            sketch.line(trace, (120, 240, 160), 1)
            for knob in range(4):
                sketch.disc(x - w * 0.6 + knob * w * 0.4, base - h * 0.25, w * 0.11, w * 0.11, times(tone, 0.55))
        tops.append((x, base - h))
    for first, second in pairwise(tops):
        sag = height * pick(subject, 0.05, 0.3)
        middle = ((first[0] + second[0]) / 2, max(first[1], second[1]) + sag)
        t = np.linspace(0, 1, 12)
        weights = ((1 - t) ** 2, 2 * t * (1 - t), t * t)
        xs, ys = (
            sum(weight * point[axis] for weight, point in zip(weights, (first, middle, second), strict=True))
            for axis in (0, 1)
        )
        curve = list(zip(np.asarray(xs).tolist(), np.asarray(ys).tolist(), strict=True))
        sketch.line(curve, METALS[int(subject.integers(3, 7))], max(1.2, width * 0.007))
    image = photographed(camera, sketch.done(), size, rough=5, soft=1.3)
    if chance(author, 0.45) and min(size) >= 130:
        words = ("Pump", "Detector", "Laser", "Sample", "Camera", "Valve", "Reactor", "Heater")
        word = int(author.integers(len(words)))
        for number, (x, y) in enumerate(tops[:3]):
            place = (min(0.9, max(0.1, x / width)), max(0.05, y / height - 0.07))
            write(
                image,
                place,
                words[(word + number) % len(words)],
                fill=(200, 20, 20),
                size=max(9.0, 4.6 * unit(image)),
                anchor="mm",
            )
    return image
