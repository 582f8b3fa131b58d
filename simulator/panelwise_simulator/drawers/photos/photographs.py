"""Photographs: skin, specimens and dishes here, plants and benches from their own modules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import cos, sin

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.photos.benches import apparatus_photo
from panelwise_simulator.drawers.photos.cameras import mix, photographed, times
from panelwise_simulator.drawers.photos.plants import landscape_photo, leaf_photo, plant_photo
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
from panelwise_simulator.kinds import Draw, Drawer, Generator, Kind

# ---- skin -----------------------------------------------------------------------------------------


def skin_photo(rng: Generator, width: int, height: int, *, severity: float | None = None) -> Image.Image:
    """Skin with a change in it: a mole, a rash, a wound. severity: 0 (healed) to 1, by chance where None; the same
    state shows the same place."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    drawn = pick(subject, 0.5, 1.0)
    bad = drawn if severity is None else severity
    tone = (
        mix(subject, (206, 148, 122), (240, 196, 172))
        if chance(subject, 0.75)
        else mix(subject, (158, 108, 80), (180, 126, 96))
    )
    broad = values(haze(subject, width, height, min(width, height) * 0.35))
    fine = values(haze(subject, width, height, max(2.0, min(width, height) / 70)))
    skin = grey(128 + (broad - 128) * 0.35 + (fine - 128) * 0.17)
    image = coloured(skin, palette((0.0, times(tone, 0.55)), (0.5, tone), (1.0, times(tone, 1.22))))
    style = ("mole", "rash", "rash", "wound", "patch", "patch")[int(subject.integers(6))]
    u = min(width, height)
    centre = (pick(subject, 0.35, 0.65) * width, pick(subject, 0.35, 0.65) * height)
    bumps = cloud(subject, width, height, u * pick(subject, 0.06, 0.12), octaves=2)
    ys, xs = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
    if style == "rash":
        spots = np.zeros((height, width), dtype=np.float32)
        extent = pick(subject, 0.012, 0.035) * u
        shapes = stamps(subject, max(1.4, extent), count=8, stretch=0.6, rough=0.35, mottle=0.1)
        near = np.clip(0.7 + 0.5 * bumps, 0, 1) * bad
        scatter(
            spots,
            shapes,
            thinned(spread(subject, width, height, extent * 3.2), near, subject),
            subject,
            least=0.4,
        )
        depth = values(blurred(grey(spots * 255), 2.2)) / 255
    else:
        reach = pick(subject, 0.12, 0.24) * u * (0.55 + 0.45 * bad)
        away = np.sqrt((xs - centre[0]) ** 2 + ((ys - centre[1]) * pick(subject, 0.8, 1.4)) ** 2) / reach
        firm = {"mole": 4.0, "wound": 3.0, "patch": 1.6}[style]
        depth = np.clip((1 + 0.16 * bumps - away) * firm, 0, 1) * min(1.0, 0.15 + bad)
    table = {
        "mole": ((0.0, tone), (0.4, (128, 80, 62)), (1.0, (58, 36, 34))),
        "rash": ((0.0, tone), (0.5, (206, 100, 88)), (1.0, (168, 48, 50))),
        "wound": ((0.0, tone), (0.3, (196, 84, 78)), (0.65, (150, 30, 36)), (1.0, (84, 20, 26))),
        "patch": ((0.0, tone), (0.6, (214, 116, 104)), (1.0, (188, 72, 70))),
    }[style]
    inner = grey(depth * (205 + 40 * bumps))
    mask = grey(np.clip(depth * 2.2, 0, 1) * 235)
    image = Image.composite(coloured(inner, palette(*table)), image, mask)
    if chance(subject, 0.45):
        # What the skin lies on, at one side.
        cloth = (
            mix(subject, (70, 110, 140), (120, 170, 190))
            if chance(subject, 0.6)
            else mix(subject, (190, 190, 190), (235, 235, 230))
        )
        edge = Sketch(width, height)
        low = pick(subject, 0.78, 0.92)
        line = [(x / 8 * width, (low + 0.05 * sin(x * 0.9 + 4 * low)) * height) for x in range(9)]
        edge.polygon([*line, (width, height + 2), (0, height + 2)], 255)
        drape = shaded(
            Image.new("RGB", (width, height), cloth),
            haze(subject, width, height, u * 0.1).point([round(v * 0.4 + 150) for v in range(256)]),
        )
        image.paste(drape, mask=edge.done())
    image = photographed(camera, image, size, rough=3)
    if chance(author, 0.3):
        pointers(author, image, [(centre[0] / width, centre[1] / height)], (BLACK, WHITE, YELLOW))
    return image


# ---- things on a bench ----------------------------------------------------------------------------


def _lump(
    rng: Generator, image: Image.Image, centre: Point, radii: Point, tone: Colour, *, wet: float = 0.5
) -> None:
    """A shaded, glistening body of flesh or stone, in place."""
    rx, ry = radii
    box = (
        max(0, int(centre[0] - rx * 1.4)),
        max(0, int(centre[1] - ry * 1.4)),
        min(image.width, int(centre[0] + rx * 1.4) + 2),
        min(image.height, int(centre[1] + ry * 1.4) + 2),
    )
    w, h = box[2] - box[0], box[3] - box[1]
    if w < 4 or h < 4:
        return
    sketch = Sketch(w, h)
    x, y = centre[0] - box[0], centre[1] - box[1]
    sketch.polygon(ring(x, y, rx, ry, turn=pick(rng, -0.3, 0.3), rng=rng, wobble=0.09, points=48), 255)
    mask = sketch.done()
    ys, xs = (np.arange(h, dtype=np.float32)[:, None] - y) / ry, (np.arange(w, dtype=np.float32)[None, :] - x) / rx
    dome = np.sqrt(np.clip(1.25 - xs * xs - ys * ys, 0, None))
    rough = cloud(rng, w, h, max(2.0, min(rx, ry) * 0.22), octaves=3)
    light = 150 * dome - 34 * xs - 42 * ys + 20 * rough
    glints = np.clip((rough - 1.5) * 300, 0, 255) * wet * (dome > 0.4)
    body = coloured(grey(light), palette((0.0, times(tone, 0.2)), (0.55, tone), (1.0, times(tone, 1.55))))
    body = Image.composite(Image.new("RGB", (w, h), (255, 246, 240)), body, grey(glints))
    image.paste(body, box[:2], mask)


def _ruler(image: Image.Image, colour: Colour, ink: Colour) -> None:
    """A ruler along the bottom."""
    width, height = image.size
    u = unit(image)
    top = round(height - 9 * u)
    image.paste(colour, (round(width * 0.06), top, round(width * 0.94), round(height - 2 * u)))
    step = width * 0.88 / 50
    for tick in range(51):
        x = round(width * 0.06 + tick * step)
        long = round((4 if tick % 10 == 0 else 3 if tick % 5 == 0 else 2) * u)
        image.paste(ink, (x, top, x + 1, top + max(2, long)))
        if tick % 10 == 0 and tick and min(image.size) >= 150:
            write(
                image,
                (x / width, (top + 4 * u) / height),
                str(tick // 10),
                fill=ink,
                size=max(7.0, 3.2 * u),
                anchor="ma",
            )


TONES = (
    (128, 44, 40),
    (176, 96, 78),
    (150, 106, 66),
    (198, 160, 130),
    (120, 112, 96),
    (92, 60, 40),
    (170, 70, 70),
)


def specimen_photo(rng: Generator, width: int, height: int) -> Image.Image:
    """Specimens on black: an organ, a row of excised tumours, finds, mostly with a ruler."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    ground = mix(subject, (4, 4, 6), (26, 30, 40))
    image = Image.new("RGB", (width, height), ground)
    tone = TONES[int(subject.integers(len(TONES)))]
    style = int(subject.integers(3))
    if style == 0:
        extent = pick(subject, 0.26, 0.36)
        _lump(subject, image, (width / 2, height * 0.46), (extent * width, extent * height), tone)
        if chance(subject, 0.5):
            spot = (width * pick(subject, 0.4, 0.6), height * pick(subject, 0.36, 0.55))
            _lump(
                subject,
                image,
                spot,
                (extent * width * 0.35, extent * height * 0.35),
                TONES[int(subject.integers(len(TONES)))],
            )
    else:
        rows, columns = (2 if style == 1 else 1), int(subject.integers(3, 7))
        for row in range(rows):
            for column in range(columns):
                extent = min(width / columns, height / (rows + 0.6)) * pick(subject, 0.2, 0.42)
                if rows == 2:
                    extent *= 1.0 if row == 0 else 0.68
                place = ((column + 0.5) * width / columns, height * (0.46 if rows == 1 else 0.28 + 0.36 * row))
                stretch = pick(subject, 0.75, 1.3)
                _lump(
                    subject,
                    image,
                    place,
                    (extent * stretch, extent / stretch),
                    times(tone, pick(subject, 0.8, 1.2)),
                )
    image = photographed(camera, image, size, rough=3)
    mark = pick(author, 0, 1)
    if mark < 0.45 and min(size) >= 80:
        _ruler(image, (236, 232, 214), BLACK)
    elif mark < 0.8:
        scale_bar(image, WHITE, share=pick(author, 0.15, 0.3), text="1 cm" if chance(author, 0.5) else "")
    return image


def petri_dish(rng: Generator, width: int, height: int, *, growth: float | None = None) -> Image.Image:
    """A dish of agar on black. growth: how many colonies, 0 to 1, by chance where None."""
    size = (width, height)
    width, height = reduced(width, height, 0.62)
    subject, camera, author = streams(rng, 3)
    drawn = pick(subject, 0.1, 1.0)
    much = drawn if growth is None else growth
    image = Image.new("RGB", (width, height), mix(subject, (6, 6, 8), (30, 30, 34)))
    u = min(width, height)
    x, y, r = width / 2, height / 2, u * 0.46
    agar = ((214, 196, 150), (150, 40, 40), (220, 214, 196), (196, 206, 170), (120, 90, 130), (60, 62, 58))[
        int(subject.integers(6))
    ]
    sketch = Sketch(width, height, image.getpixel((0, 0)))  # type: ignore[arg-type]
    sketch.disc(x, y, r, r, (150, 152, 156))
    sketch.disc(x, y, r * 0.975, r * 0.975, times(agar, 0.72))
    sketch.disc(x, y, r * 0.93, r * 0.93, agar)
    image = sketch.done()
    inside = Sketch(width, height)
    inside.disc(x, y, r * 0.9, r * 0.9, 255)
    within = values(inside.done()) / 255
    colonies = np.zeros((height, width), dtype=np.float32)
    pale = agar[0] + agar[1] + agar[2] < 400 or chance(subject, 0.4)
    growing: Colour = (
        mix(subject, (232, 226, 206), (250, 246, 232)) if pale else mix(subject, (90, 60, 30), (160, 70, 60))
    )
    if chance(subject, 0.3):
        # A lawn with clear rings round discs.
        lawn = 0.5 * within
        ys, xs = np.arange(height, dtype=np.float32)[:, None], np.arange(width, dtype=np.float32)[None, :]
        discs = []
        for number in range(int(subject.integers(3, 7))):
            angle = number * 1.15 + pick(subject, -0.2, 0.2)
            dx, dy = x + r * 0.55 * cos(angle), y + r * 0.55 * sin(angle)
            reach = r * (0.1 + 0.16 * pick(subject, 0, 1) * (1.2 - much * 0.6))
            lawn = lawn * np.clip((np.sqrt((xs - dx) ** 2 + (ys - dy) ** 2) - reach) / 2, 0, 1)
            discs.append((dx, dy))
        image = Image.composite(Image.new("RGB", image.size, growing), image, grey(lawn * 255))
        small = Sketch(width, height)
        for dx, dy in discs:
            small.disc(dx, dy, r * 0.055, r * 0.055, 255)
        image.paste((244, 244, 240), mask=small.done())
    else:
        extent = max(1.3, pick(subject, 0.01, 0.035) * u)
        places = subject.random((2, round(4 + 360 * much * much * (0.02 * u / extent)))) * np.array(
            [[width], [height]]
        )
        scatter(
            colonies,
            stamps(subject, extent, count=8, stretch=0.9, rough=0.4, mottle=0.05),
            thinned(places, within, subject),
            subject,
            least=0.8,
        )
        mask = grey(colonies * 235)
        image = Image.composite(Image.new("RGB", image.size, growing), image, mask)
    image = photographed(camera, image, size, rough=3)
    if chance(author, 0.3):
        pointers(author, image, [(0.5 + pick(author, -0.2, 0.2), 0.5)], (BLACK, WHITE, YELLOW))
    return image


DRAWERS: tuple[Drawer, ...] = (
    Drawer("skin_photo", Kind.PHOTOGRAPH, skin_photo, (0.6, 1.7)),
    Drawer("plant_photo", Kind.PHOTOGRAPH, plant_photo, (0.6, 1.8)),
    Drawer("specimen_photo", Kind.PHOTOGRAPH, specimen_photo, (0.7, 1.8), dark=True),
    Drawer("petri_dish", Kind.PHOTOGRAPH, petri_dish, (0.85, 1.3), dark=True),
    Drawer("apparatus_photo", Kind.PHOTOGRAPH, apparatus_photo, (0.7, 1.8)),
    Drawer("landscape_photo", Kind.PHOTOGRAPH, landscape_photo, (0.9, 2.2)),
    Drawer("leaf_photo", Kind.PHOTOGRAPH, leaf_photo, (0.5, 2.0)),
)

#: Sets of drawings that show one subject in variants when each starts from the same state, by drawer.
SERIES: Mapping[str, tuple[tuple[Draw, ...], ...]] = {
    "skin_photo": (
        tuple(partial(skin_photo, severity=bad) for bad in (1.0, 0.15)),
        tuple(partial(skin_photo, severity=bad) for bad in (1.0, 0.6, 0.3, 0.0)),
    ),
    "plant_photo": (tuple(partial(plant_photo, vigour=vigour) for vigour in (1.0, 0.25)),),
    "leaf_photo": (tuple(partial(leaf_photo, disease=ill) for ill in (0.0, 0.4, 1.0)),),
    "petri_dish": (tuple(partial(petri_dish, growth=growth) for growth in (1.0, 0.45, 0.1)),),
}
