"""Distribution of a tracer: bodies by emission tomography."""

from __future__ import annotations

from PIL import Image

from panelwise_simulator.drawers.raster.marks import WHITE, pointers
from panelwise_simulator.drawers.raster.textures import (
    chance,
    coloured,
    enlarged,
    palette,
    pick,
    reduced,
    streams,
)
from panelwise_simulator.drawers.scans.bodies import Body, printed, scanned
from panelwise_simulator.drawers.scans.sections import WINDOWS, chest
from panelwise_simulator.kinds import Generator

HOT = palette((0.0, (0, 0, 0)), (0.35, (150, 10, 0)), (0.7, (255, 150, 0)), (1.0, (255, 255, 220)))
RAINBOW = palette(
    (0.0, (0, 0, 0)),
    (0.2, (30, 0, 120)),
    (0.45, (0, 130, 160)),
    (0.62, (60, 200, 40)),
    (0.8, (250, 220, 0)),
    (1.0, (255, 40, 20)),
)


def pet_scan(rng: Generator, width: int, height: int, *, lesion: bool | None = None) -> Image.Image:
    """Uptake of a tracer: a whole body from the front, or a section in which it is laid over a tomogram."""
    size = (width, height)
    width, height = reduced(width, height, 0.6)
    anatomy, scanner, author = streams(rng, 3)
    tall = height > width * 1.15 or chance(anatomy, 0.35)
    sick = chance(anatomy, 0.75)
    sick = sick if lesion is None else lesion
    table = (HOT, HOT, RAINBOW, None)[int(scanner.integers(4))]
    if tall:
        body = Body(width, height, (1.5, 3.1))
        tone = 46
        body.oval(0, -1.25, 0.2, 0.25, tone + 10)
        body.oval(0, -0.45, 0.4, 0.75, tone, square=2.8)
        body.oval(0, 0.55, 0.38, 0.5, tone, square=2.8)
        for side in (-1, 1):
            body.stroke([(side * 0.38, -0.85), (side * 0.55, -0.2), (side * 0.55, 0.5)], tone - 12, 0.15)
            body.stroke([(side * 0.2, 0.8), (side * 0.22, 1.6)], tone - 4, 0.24)
            body.oval(side * 0.2, -0.6, 0.12, 0.28, tone - 20)
            body.oval(side * 0.18, 0.2, 0.07, 0.12, 150)
        body.oval(0, -1.3, 0.15, 0.18, 225)
        body.oval(0.07, -0.42, 0.12, 0.12, 105 + round(pick(anatomy, 0, 90)), rng=anatomy, wobble=0.1)
        body.oval(-0.17, -0.12, 0.2, 0.15, 88, rng=anatomy, wobble=0.1)
        body.oval(0, 0.72, 0.1, 0.09, 250)
        spots = (anatomy.standard_normal((5, 2)) * (0.16, 0.45)).tolist()
        if sick:
            for x, y in spots:
                extent = pick(anatomy, 0.025, 0.07)
                body.oval(x, y - 0.1, extent, extent, 235)
        image = body.done()
    else:
        body = Body(width, height, (2.15, 1.7))
        body.bend(anatomy, 0.1)
        spots = chest(anatomy, body, pick(anatomy, 0, 1), False)
        under = body.done().point(WINDOWS["soft"])
        glow = body.like()
        glow.oval(0.15, -0.15, 0.27, 0.22, round(pick(anatomy, 30, 170)), turn=0.5, rng=anatomy, wobble=0.1)
        glow.oval(0, 0.35, 0.12, 0.1, 70)
        if sick:
            glow.oval(*spots[0], 0.12, 0.1, 245, rng=anatomy, wobble=0.2)
        image = glow.done()
    small = (max(16, width // 7), max(16, height // 7))
    image = image.resize(small, Image.Resampling.BOX).resize((width, height), Image.Resampling.BICUBIC)
    image = scanned(scanner, image, coarse=5, fine=0.5, size=max(2.0, width / 90))
    if tall:
        result = coloured(image, table) if table else image.convert("RGB")
    else:
        heat = coloured(image.copy(), table or HOT)
        strength = image.point([min(255, max(0, (v - 20) * 2)) for v in range(256)])
        result = Image.composite(heat, under.convert("RGB"), strength)
    result = enlarged(result, size)
    printed(author, result)
    if sick and chance(author, 0.4):
        pointers(author, result, [body.share(*spot) for spot in spots[:2]], (WHITE,))
    return result
