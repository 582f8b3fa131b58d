"""Vessels: filled with contrast, or at the back of the eye."""

from __future__ import annotations

from math import pi

from PIL import Image, ImageChops, ImageFilter

from panelwise_simulator.drawers.raster.marks import BLACK, WHITE, YELLOW, pointers
from panelwise_simulator.drawers.raster.shapes import branches
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
    shaded,
    streams,
    values,
    vignette,
)
from panelwise_simulator.drawers.scans.bodies import Body, printed, scanned
from panelwise_simulator.kinds import Generator


def angiogram(rng: Generator, width: int, height: int, *, phase: float = 1.0) -> Image.Image:
    """Dark vessels on grey, as filled with contrast. phase: how far they have filled, 0 (none) to 1; the same
    state gives the same vessels."""
    size = (width, height)
    width, height = reduced(width, height, 0.75)
    anatomy, scanner, author = streams(rng, 3)
    ground = values(haze(anatomy, width, height, max(width, height) * 0.3)) * pick(anatomy, 0.1, 0.3)
    ground += pick(anatomy, 150, 195) - ground.mean()
    body = Body(width, height, (2.0, 2.0))
    side = 1 if chance(anatomy, 0.5) else -1
    start = (-side * pick(anatomy, 0.5, 0.95), pick(anatomy, -0.2, 0.9))
    heading = (0.0 if side > 0 else pi) + pick(anatomy, -0.6, 0.1) * side
    long, thick = pick(anatomy, 0.4, 0.62), pick(anatomy, 0.05, 0.1)
    wind = pick(anatomy, 0.12, 0.3)
    ends: list[Point] = []
    for turn in (0.0, pick(anatomy, -0.9, -0.3)):
        tree = branches(anatomy, start, heading + turn, long, thick, depth=6, spread=0.75, wind=wind)
        shown = tree[: max(1, round(len(tree) * phase))]
        for points, wide in reversed(shown):
            body.stroke(points, round(min(200, 70 + 2200 * wide)), max(0.008, wide))
        ends.extend(points[-1] for points, _ in tree[3:7])
    if chance(anatomy, 0.6):
        body.stroke(
            [(start[0] - side * 0.6, start[1] + 0.9), (start[0] - side * 0.1, start[1] + 0.3), start], 90, 0.03
        )
    if chance(anatomy, 0.35):
        body.oval(*ends[0], 0.09, 0.08, 175, rng=anatomy, wobble=0.15)
    vessels = values(body.done())
    bones = body.like()
    bones.arc(0.1, 0.3, pick(anatomy, 0.9, 1.2), 1.1, pi * 1.05, pi * 1.95, 34, 0.07)
    for step in range(5):
        bones.stroke([(-1.2, -0.7 + 0.4 * step), (0.2, -0.5 + 0.4 * step), (1.2, -0.8 + 0.4 * step)], 14, 0.1)
    veil = values(bones.done()) if chance(anatomy, 0.6) else 0.0
    light = grey(ground - vessels * pick(scanner, 0.6, 0.8) + veil)
    image = scanned(scanner, light, coarse=pick(scanner, 2, 5), fine=pick(scanner, 1, 3))
    result = enlarged(image, size).convert("RGB")
    printed(author, result, colours=(WHITE, BLACK))
    if chance(author, 0.5):
        pointers(author, result, [body.share(*end) for end in ends[:2]], (BLACK, BLACK, WHITE))
    return result


def fundus(rng: Generator, width: int, height: int, *, mode: str | None = None) -> Image.Image:
    """The back of an eye. mode: "colour", "angiography" (bright vessels on grey), "red_free"; the same state shows
    the same eye in each."""
    size = (width, height)
    width, height = reduced(width, height, 0.75)
    anatomy, scanner, author = streams(rng, 3)
    drawn = pick(scanner, 0, 1)
    mode = mode or ("colour" if drawn < 0.72 else "angiography" if drawn < 0.87 else "red_free")
    side = 1 if chance(anatomy, 0.5) else -1
    body = Body(width, height, (2.1, 2.1))
    disc = (side * pick(anatomy, 0.36, 0.5), pick(anatomy, -0.05, 0.05))
    for up in (-1, 1):
        for inward in (-1, 1):
            heading = up * pi / 2 + inward * side * up * pick(anatomy, 0.3, 0.75)
            tree = branches(
                anatomy, disc, heading, pick(anatomy, 0.38, 0.5), pick(anatomy, 0.035, 0.05), depth=6, spread=0.7
            )
            for points, thick in reversed(tree):
                body.stroke(points, 190 if thick > 0.02 else 140, max(0.008, thick))
    vessels = body.done()
    ground = haze(anatomy, width, height, min(width, height) * 0.09, octaves=2)
    macula = (disc[0] - side * 0.62, disc[1] + 0.06)
    spots = body.like()
    spots.oval(*macula, 0.2, 0.18, 60)
    dark = spots.done().filter(ImageFilter.BoxBlur(max(1, 0.09 * body.unit)))
    glow = body.like()
    glow.oval(*disc, 0.15, 0.17, 150, rng=anatomy, wobble=0.03)
    glow.oval(disc[0] - side * 0.02, disc[1], 0.07, 0.08, 235)
    sick, flecks = chance(anatomy, 0.55), anatomy.standard_normal((30, 3))
    if sick:
        for dx, dy, r in flecks.tolist():
            extent = 0.012 + 0.012 * abs(r)
            glow.oval(macula[0] + 0.3 * dx, macula[1] + 0.25 * dy, extent, extent, round(pick(anatomy, 90, 180)))
    bright = glow.done()
    level = values(ground) * 0.28 + 72 - 0.5 * values(dark)
    seen = values(bright)
    lines = values(vessels)
    if mode == "angiography":
        image = grey(level * 0.55 + 0.85 * lines + 0.6 * seen + 4 * grain(scanner, width, height)).convert("RGB")
    else:
        light = grey(level * 1.35 - 0.26 * lines + 0.75 * seen + 3 * grain(scanner, width, height))
        hue = pick(scanner, -14, 14)
        table = palette(
            (0.0, (8, 0, 0)),
            (0.3, (120, 34, 8)),
            (0.55, (206, round(88 + hue), 34)),
            (0.8, (245, 186, 96)),
            (1.0, (255, 248, 205)),
        )
        image = coloured(light, table) if mode == "colour" else light.convert("RGB")
    mask = Body(width, height, (2.1, 2.1))
    mask.oval(0, 0, 1.0, 1.0, 255)
    image = enlarged(shaded(image, ImageChops.multiply(mask.done(), vignette(width, height, 0.35))), size)
    if chance(author, 0.3):
        pointers(author, image, [body.share(*macula)], (WHITE, BLACK, YELLOW))
    return image
