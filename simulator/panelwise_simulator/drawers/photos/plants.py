"""Photographs of plants: in pots, leaf by leaf, and as landscapes."""

from __future__ import annotations

from math import pi

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.photos.cameras import mix, photographed, times
from panelwise_simulator.drawers.raster.marks import BLACK, WHITE, YELLOW, pointers, scale_bar, unit, write
from panelwise_simulator.drawers.raster.shapes import Sketch, ring
from panelwise_simulator.drawers.raster.textures import (
    Colour,
    Point,
    blurred,
    chance,
    cloud,
    coloured,
    grey,
    haze,
    palette,
    pick,
    reduced,
    scatter,
    shaded,
    spread,
    stamps,
    streams,
    thinned,
    values,
)
from panelwise_simulator.kinds import Generator

GREENS = ((52, 96, 34), (118, 164, 62))


def _leaf(
    sketch: Sketch, root: Point, angle: float, long: float, wide: float, colour: Colour, droop: float
) -> None:
    """A leaf blade with its midrib."""
    along = np.linspace(0, 1, 9)
    turn = angle + droop * along * along
    xs = root[0] + np.concatenate([[0], np.cumsum(np.cos(turn[:-1]))]) * long / 8
    ys = root[1] + np.concatenate([[0], np.cumsum(np.sin(turn[:-1]))]) * long / 8
    half = wide * np.sin(np.pi * along**0.8) * 0.5
    dx, dy = -np.sin(turn) * half, np.cos(turn) * half
    up = list(zip((xs + dx).tolist(), (ys + dy).tolist(), strict=True))
    down = list(zip((xs - dx).tolist(), (ys - dy).tolist(), strict=True))
    rib = list(zip(xs.tolist(), ys.tolist(), strict=True))
    sketch.polygon([*up, *reversed(rib)], colour)
    sketch.polygon([*down, *reversed(rib)], times(colour, 0.82))
    sketch.line(rib, times(colour, 1.3), max(0.6, wide * 0.05))


def plant_photo(rng: Generator, width: int, height: int, *, vigour: float | None = None) -> Image.Image:
    """Plants in pots before a plain ground. vigour: 0 (withered) to 1, by chance where None; the same state shows
    the same plants otherwise."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    drawn = pick(subject, 0.3, 1.0)
    strong = drawn if vigour is None else vigour
    ground = ((188, 194, 200), (226, 226, 222), (150, 168, 190), (206, 200, 186))[int(subject.integers(4))]
    sketch = Sketch(width, height, ground)
    table = pick(subject, 0.84, 0.93) * height
    sketch.polygon(
        [(0, table), (width, table), (width, height + 1), (0, height + 1)],
        times(ground, pick(subject, 0.6, 0.85)),
    )
    count = max(1, min(5, round(width / height * pick(subject, 1.0, 2.6))))
    pot = (
        mix(subject, (40, 40, 44), (70, 62, 60))
        if chance(subject, 0.5)
        else mix(subject, (150, 78, 48), (186, 106, 70))
    )
    slot = width / count
    u = min(slot, height)
    style = ("rosette", "grass", "stem")[int(subject.integers(3))]
    fresh, dry = mix(subject, *GREENS), (176, 156, 66)
    for number in range(count):
        mine = max(0.0, min(1.0, strong + pick(subject, -0.15, 0.15)))
        x, base = (number + 0.5) * slot, height * 0.93
        rim, top = u * 0.24, base - u * 0.26
        green = tuple(round(a * mine + b * (1 - mine)) for a, b in zip(fresh, dry, strict=True))
        leaf: Colour = (green[0], green[1], green[2])
        sketch.polygon([(x - rim, top), (x + rim, top), (x + rim * 0.75, base), (x - rim * 0.75, base)], pot)
        sketch.polygon(
            [(x + rim * 0.3, top), (x + rim, top), (x + rim * 0.75, base), (x + rim * 0.3, base)],
            times(pot, 0.75),
        )
        sketch.disc(x, top, rim, rim * 0.22, (58, 42, 32))
        tall = (top - height * 0.06) * (0.45 + 0.5 * mine)
        leaves = int(subject.integers(9, 16))
        for blade in range(leaves):
            share = blade / leaves
            side = 1 if blade % 2 else -1
            shade = times(leaf, pick(subject, 0.75, 1.2))
            sag = (1.2 - mine) * side * pick(subject, 0.3, 1.6)
            if style == "grass":
                angle = -pi / 2 + side * pick(subject, 0.02, 0.5)
                _leaf(
                    sketch,
                    (x + side * rim * 0.3 * share, top),
                    angle,
                    tall * pick(subject, 0.6, 1.05),
                    u * 0.03,
                    shade,
                    sag,
                )
            elif style == "rosette":
                angle = -pi / 2 + side * pick(subject, 0.25, 1.5)
                _leaf(
                    sketch,
                    (x, top),
                    angle,
                    u * pick(subject, 0.25, 0.45) * (0.6 + 0.4 * mine),
                    u * 0.13,
                    shade,
                    sag * 0.6,
                )
            else:
                y = top - tall * share
                if blade == 0:
                    sketch.line(
                        [(x, top), (x + u * 0.02, top - tall * 0.5), (x, top - tall)],
                        times(leaf, 0.7),
                        max(1.0, u * 0.018),
                    )
                angle = -pi / 2 + side * pick(subject, 0.7, 1.3)
                _leaf(sketch, (x, y), angle, u * 0.3 * (1.15 - share), u * 0.12, shade, sag * 0.7)
    image = photographed(camera, sketch.done(), size, rough=4, soft=1.2)
    if chance(author, 0.35) and min(size) >= 100:
        words = (
            ("WT", "mut-1", "mut-2", "OE", "C"),
            ("0", "50", "100", "150", "200"),
            ("CK", "T1", "T2", "T3", "T4"),
        )[int(author.integers(3))]
        for number in range(count):
            write(
                image,
                ((number + 0.5) / count, 0.975),
                words[number],
                fill=BLACK,
                size=max(9.0, 5 * unit(image)),
                anchor="mb",
            )
    return image


def leaf_photo(rng: Generator, width: int, height: int, *, disease: float | None = None) -> Image.Image:
    """A leaf on a plain ground. disease: how spotted it is, 0 to 1, by chance where None."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    drawn = pick(subject, 0.0, 1.0)
    ill = drawn if disease is None else disease
    ground = ((236, 236, 232), (200, 208, 220), (214, 204, 184), (170, 186, 200))[int(subject.integers(4))]
    green = mix(subject, *GREENS)
    u = min(width, height)
    wide_panel = width > height
    long, wide = (width if wide_panel else height) * 0.44, u * pick(subject, 0.2, 0.42)
    lobes, edge = pick(subject, 0, 0.12), int(subject.integers(7, 23))
    along = np.linspace(-1, 1, 60)
    half = wide * np.clip(1 - np.abs(along) ** pick(subject, 1.7, 2.8), 0, None) ** 0.8 * (1 + 0.25 * along)
    half *= 1 + lobes * np.sin(along * edge)
    bend = pick(subject, -0.12, 0.12) * long

    def at(t: float, off: float) -> Point:
        a, b = t * long, off + bend * (1 - t * t)
        return (width / 2 + a, height / 2 + b) if wide_panel else (width / 2 + b, height / 2 - a)

    blade, veins = Sketch(width, height), Sketch(width, height)
    edge_up = [at(t, h) for t, h in zip(along.tolist(), half.tolist(), strict=True)]
    edge_down = [at(t, -h) for t, h in zip(along.tolist(), half.tolist(), strict=True)]
    blade.polygon([*edge_up, *reversed(edge_down)], 255)
    blade.line([at(-1.0, 0.0), at(-1.12, 0.02 * u), at(-1.2, 0.0)], 255, max(1.2, u * 0.018))
    veins.line([at(t, 0) for t in np.linspace(-1, 1, 12).tolist()], 150, max(1.0, u * 0.014))
    for t in np.linspace(-0.85, 0.75, 11).tolist():
        reach = float(np.interp(min(1.0, t + 0.22), along, half))
        for side in (-1, 1):
            veins.line(
                [at(t, 0), at(t + 0.12, side * reach * 0.5), at(t + 0.22, side * reach * 0.96)],
                90,
                max(0.7, u * 0.006),
            )
    mask = blade.done()
    texture = values(haze(subject, width, height, max(2.0, u * 0.05), octaves=2))
    light = grey(128 + (texture - 128) * 0.4 + values(veins.done()) * 0.4)
    leaf = coloured(light, palette((0.0, times(green, 0.6)), (0.5, green), (1.0, times((200, 220, 130), 1.0))))
    spots = np.zeros((height, width), dtype=np.float32)
    extent = max(1.5, pick(subject, 0.015, 0.05) * u)
    shapes = stamps(subject, extent, count=8, stretch=0.6, rough=0.4, mottle=0.15)
    near = np.clip(cloud(subject, width, height, u * 0.2) * 0.5 + 0.4, 0, 1) * ill
    scatter(spots, shapes, thinned(spread(subject, width, height, extent * 3), near, subject), subject)
    lesion = blurred(grey(spots * 255), 1.6)
    rot = coloured(lesion.copy(), palette((0.0, (214, 196, 80)), (0.5, (150, 104, 48)), (1.0, (86, 56, 34))))
    leaf = Image.composite(rot, leaf, lesion)
    backdrop = Image.new("RGB", (width, height), ground)
    shadow = blurred(mask, max(2.0, u * 0.03)).point([255 - round(v * 0.3) for v in range(256)])
    offset = Image.new("L", (width, height), 255)
    offset.paste(shadow, (round(u * 0.012), round(u * 0.016)))
    image = shaded(backdrop, offset)
    image.paste(leaf, mask=mask)
    image = photographed(camera, image, size, rough=3)
    if chance(author, 0.3):
        scale_bar(image, BLACK, share=0.2, text="1 cm" if chance(author, 0.5) else "")
    return image


def landscape_photo(rng: Generator, width: int, height: int) -> Image.Image:
    """Open country: sky, hills, fields or water, trees."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    u = min(width, height)
    clouds = values(haze(subject, width, height, u * 0.3, octaves=3))
    rise = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    sky = coloured(
        grey(clouds * pick(subject, 0.5, 0.9) + 90 * rise),
        palette((0.0, (86, 138, 196)), (0.55, (150, 188, 222)), (1.0, (246, 246, 244))),
    )
    horizon = pick(subject, 0.38, 0.6) * height
    sketch = Sketch(width, height, (0, 0, 0))
    mask = Sketch(width, height)
    steps = np.linspace(0, width, 24)
    far = mix(subject, (110, 136, 150), (140, 160, 168))
    near = mix(subject, (86, 104, 44), (164, 158, 96))
    for layer in range(3):
        share = (layer + 1) / 3
        waves = subject.standard_normal(24).cumsum() * 0.012 * height * (1.3 - share)
        line = horizon - height * (0.14 - 0.07 * layer) + waves - waves.mean()
        colour = tuple(round(a * (1 - share) + b * share) for a, b in zip(far, near, strict=True))
        points = [*zip(steps.tolist(), line.tolist(), strict=True), (width, height + 2), (0, height + 2)]
        sketch.polygon(points, (colour[0], colour[1], colour[2]))
        mask.polygon(points, 255)
    if chance(subject, 0.45):
        # A river or a lake.
        x, bend = pick(subject, 0.2, 0.8) * width, pick(subject, -0.3, 0.3) * width
        sketch.polygon(
            [
                (x, horizon + 0.05 * height),
                (x + 0.04 * width, horizon + 0.05 * height),
                (x + bend + 0.35 * width, height + 1),
                (x + bend - 0.3 * width, height + 1),
            ],
            (128, 156, 178),
        )
    elif chance(subject, 0.6):
        for row in range(9):
            x = (row - 1) * width / 7
            sketch.line(
                [(width / 2 + (x - width / 2) * 0.1, horizon + 0.06 * height), (x, height)],
                times(near, 0.8),
                max(1.0, width * 0.008),
            )
    for _ in range(int(subject.integers(3, 14))):
        x, depth = pick(subject, 0, 1) * width, pick(subject, 0, 1)
        y, extent = horizon + depth * depth * 0.3 * height, u * (0.025 + 0.1 * depth * depth)
        for _ in range(4):
            dx, dy = pick(subject, -0.6, 0.6) * extent, pick(subject, -0.5, 0.4) * extent
            tone = times((58, 84, 36), pick(subject, 0.7, 1.25))
            sketch.polygon(
                ring(x + dx, y - extent + dy, extent * 0.7, extent * 0.6, rng=subject, wobble=0.12, points=16),
                tone,
            )
            mask.disc(x + dx, y - extent + dy, extent * 0.6, extent * 0.5, 255)
    land = shaded(
        sketch.done(),
        haze(subject, width, height, max(2.0, u * 0.025), octaves=2).point(
            [round(140 + v * 0.62) if v < 185 else 255 for v in range(256)]
        ),
    )
    sky.paste(land, mask=mask.done())
    image = photographed(camera, sky, size, rough=5)
    if chance(author, 0.2):
        pointers(author, image, [(0.5, horizon / height + 0.1)], (WHITE, YELLOW, (220, 30, 30)))
    return image
