"""Schematic drawings of set-ups, cells, animals' treatment and layered materials."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Region, begin, text_scale
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, Point, Sheet, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import Face
from panelwise_simulator.kinds import Generator


def schematic(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A drawing of an optical bench, a layered device, a cell or a treated animal, with its parts named."""
    sheet, style, region = begin(rng, width, height, style)
    face = style.tick_face(text_scale(region))
    inner = pick(rng, (_bench, _layers, _cell, _animal))
    inner(rng, sheet, region, style, face)
    return sheet.done()


def _named(sheet: Sheet, spot: Point, at: Point, text: str, face: Face, anchor: str = "lm") -> None:
    """A name with a thin line to the part that it names; left out on small panels."""
    if min(sheet.width, sheet.height) < 100:
        return
    sheet.line([spot, at], BLACK, 0.7)
    sheet.text(at[0] + (2 if anchor[0] == "l" else -2), at[1], text, face, BLACK, anchor)


def _bench(rng: Generator, sheet: Sheet, region: Region, style: Style, face: Face) -> None:
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    texts = min(wide, tall) >= 95
    beam: Colour = pick(rng, ((230, 30, 30), (40, 160, 60), (60, 90, 220)))
    row, count = y0 + tall * 0.68, int(rng.integers(3, 6))
    sheet.rectangle(x0, row - tall * 0.09, x0 + wide * 0.18, row + tall * 0.09, (90, 90, 90), BLACK, 0.8, radius=3)
    sheet.line([(x0 + wide * 0.18, row), (x1 - wide * 0.06, row)], beam, 2.0)
    parts = ("Lens", "Mirror", "Galvo", "Filter", "Pockets cell", "Objective", "Shutter", "λ/2")
    for place in range(count):
        x = x0 + wide * (0.28 + 0.58 * place / count)
        kind = pick(rng, ("lens", "lens", "mirror", "box"))
        if kind == "lens":
            sheet.ellipse(x, row, 4, tall * 0.11, (190, 220, 245), (70, 110, 170), 1.0)
        elif kind == "mirror":
            sheet.line([(x - 8, row + 10), (x + 8, row - 10)], (60, 60, 60), 3.0)
            sheet.line([(x, row), (x, y0 + tall * 0.2)], beam, 2.0)
            sheet.rectangle(x - 14, y0 + tall * 0.08, x + 14, y0 + tall * 0.2, style.stroke(2), BLACK, 0.8)
            if texts:
                sheet.text(x, y0 + tall * 0.07, pick(rng, ("PMT", "CCD", "APD", "SLM")), face, BLACK, "mb")
        else:
            sheet.rectangle(x - 9, row - 11, x + 9, row + 11, mix(style.stroke(place), 0.6), BLACK, 0.8)
        if texts:
            sheet.text(
                x, row + tall * 0.12 + (face.size * 1.2 if place % 2 else 0), pick(rng, parts), face, BLACK, "mt"
            )
    sheet.rectangle(x1 - wide * 0.07, row - tall * 0.14, x1, row + tall * 0.14, (200, 200, 200), BLACK, 0.8)
    if texts:
        sheet.text(x0 + wide * 0.09, row, "Laser", face, WHITE)
        sheet.text(x1 - 1, row - tall * 0.15, pick(rng, ("Sample", "Camera", "Screen")), face, BLACK, "rb")


def _layers(rng: Generator, sheet: Sheet, region: Region, style: Style, face: Face) -> None:
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    texts = min(wide, tall) >= 95
    count = int(rng.integers(3, 7))
    names_of = pick(
        rng,
        (
            ("Glass", "ITO", "PEDOT", "Perovskite", "PCBM", "Ag"),
            ("Si", "SiO_2", "Graphene", "HfO_2", "Al", "Au"),
            ("Bedrock", "Clay", "Sand", "Silt", "Peat", "Litter"),
        ),
    )
    body = wide * (0.66 if texts else 0.94)
    lean = min(body * 0.25, tall * 0.25)
    high = (tall - lean - 4) / count
    for place in range(count):
        top = y1 - 1 - (place + 1) * high
        colour = mix(style.stroke(place), float(rng.uniform(0.45, 0.9)))
        front = [(x0, top), (x0 + body - lean, top), (x0 + body - lean, top + high), (x0, top + high)]
        side = [
            (x0 + body - lean, top),
            (x0 + body, top - lean),
            (x0 + body, top + high - lean),
            (x0 + body - lean, top + high),
        ]
        sheet.polygon(front, colour, BLACK, 0.7)
        sheet.polygon(side, mix(colour, 0.75, BLACK), BLACK, 0.7)
        if place == count - 1:
            sheet.polygon(
                [(x0, top), (x0 + lean, top - lean), (x0 + body, top - lean), (x0 + body - lean, top)],
                mix(colour, 0.7),
                BLACK,
                0.7,
            )
        if texts:
            _named(
                sheet,
                (x0 + body, top + high / 2 - lean / 2),
                (x0 + body + 10, top + high / 2 - lean / 2),
                names_of[place],
                face,
            )
    if chance(rng, 0.6):
        for place in range(3):
            x = x0 + body * (0.3 + 0.2 * place)
            sheet.arrow((x - 6, y0), (x, y0 + lean * 0.75), pick(rng, ((240, 170, 0), (220, 40, 40))), 1.5, 4.0)


def _cell(rng: Generator, sheet: Sheet, region: Region, style: Style, face: Face) -> None:
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    texts = min(wide, tall) >= 100
    x, y = x0 + wide * (0.42 if texts else 0.5), (y0 + y1) / 2
    rx, ry = wide * (0.4 if texts else 0.48), tall * 0.47
    body = mix(style.stroke(0), 0.22)
    turns = np.linspace(0, 2 * math.pi, 60)
    wobble = 1 + 0.03 * np.sin(turns * 3 + float(rng.uniform(0, 6))) - 0.02
    outline = list(
        zip((x + np.cos(turns) * rx * wobble).tolist(), (y + np.sin(turns) * ry * wobble).tolist(), strict=True)
    )
    sheet.polygon(outline, body, mix(style.stroke(0), 0.9), 2.0)
    nx, ny = x - rx * 0.2, y + ry * float(rng.uniform(-0.2, 0.2))
    sheet.ellipse(nx, ny, rx * 0.34, ry * 0.36, mix(style.stroke(1), 0.5), mix(style.stroke(1), 0.9), 1.5)
    sheet.ellipse(nx + rx * 0.06, ny, rx * 0.1, ry * 0.1, mix(style.stroke(1), 0.85))
    for _ in range(int(rng.integers(3, 8))):
        angle, away = float(rng.uniform(-1.1, 1.4)), float(rng.uniform(0.5, 0.8))
        mx, my = x + math.cos(angle) * rx * away, y + math.sin(angle) * ry * away
        sheet.ellipse(mx, my, rx * 0.1, ry * 0.06, mix(style.stroke(2), 0.7), BLACK, 0.7)
        sheet.line(
            [
                (mx - rx * 0.06, my),
                (mx - rx * 0.02, my - ry * 0.03),
                (mx + rx * 0.02, my + ry * 0.03),
                (mx + rx * 0.06, my),
            ],
            BLACK,
            0.6,
        )
    for _ in range(int(rng.integers(8, 30))):
        angle, away = float(rng.uniform(0, 6.28)), float(rng.uniform(0.4, 0.88))
        sheet.marker(x + math.cos(angle) * rx * away, y + math.sin(angle) * ry * away, 1.8, style.stroke(3))
    for place in range(4):
        sheet.line(
            [
                (x + rx * 0.25 + place * 4, y - ry * 0.5),
                (x + rx * 0.15 + place * 4, y - ry * 0.35),
                (x + rx * 0.25 + place * 4, y - ry * 0.2),
            ],
            mix(style.stroke(4), 0.9),
            1.5,
        )
    if texts:
        column = x0 + wide * 0.84
        for place, (name, spot) in enumerate(
            (
                ("Membrane", (x + rx * 0.6, y - ry * 0.78)),
                ("Golgi", (x + rx * 0.3, y - ry * 0.35)),
                ("Nucleus", (nx + rx * 0.3, ny)),
                ("Vesicle", (x + rx * 0.5, y + ry * 0.6)),
            )
        ):
            _named(sheet, spot, (column, y0 + tall * (0.12 + 0.24 * place)), name, face)


def _animal(rng: Generator, sheet: Sheet, region: Region, style: Style, face: Face) -> None:
    x0, y0, x1, y1 = region
    wide, tall = x1 - x0, y1 - y0
    texts = min(wide, tall) >= 95
    mice = 1 if wide < tall * 1.3 else int(rng.integers(1, 3))
    fur: Colour = pick(rng, ((90, 90, 90), (225, 225, 225), (160, 125, 95), (60, 60, 60)))
    slot = wide / (mice + 1 if wide > tall * 1.2 else mice)
    for place in range(mice):
        x, y = x0 + slot * (place + 0.5), y0 + tall * 0.55
        r = min(slot * 0.36, tall * 0.34)
        tail = [
            (x - r * (0.8 + 0.5 * t), y + r * (0.25 + 0.3 * math.sin(t * 4)))
            for t in np.linspace(0, 0.95, 12).tolist()
        ]
        sheet.line(tail, (220, 160, 160), 2.0)
        sheet.ellipse(x, y, r, r * 0.58, fur, BLACK, 1.0)
        sheet.ellipse(x + r * 0.95, y - r * 0.05, r * 0.4, r * 0.3, fur, BLACK, 1.0)
        sheet.ellipse(x + r * 0.75, y - r * 0.32, r * 0.18, r * 0.2, (235, 180, 180), BLACK, 1.0)
        sheet.marker(x + r * 1.1, y - r * 0.1, max(1.2, r * 0.045), BLACK)
        for foot in (-0.5, 0.5):
            sheet.ellipse(x + foot * r, y + r * 0.56, r * 0.16, r * 0.08, (235, 180, 180), BLACK, 0.8)
        needle = (x + r * 0.1, y - r * 0.5)
        sheet.line([needle, (needle[0] + r * 0.3, needle[1] - r * 0.45)], (100, 100, 100), 1.0)
        sheet.line(
            [(needle[0] + r * 0.3, needle[1] - r * 0.45), (needle[0] + r * 0.55, needle[1] - r * 0.85)],
            style.stroke(place),
            5.0,
        )
        if texts:
            sheet.text(
                x,
                y0 + face.cap,
                pick(rng, ("AAV", "i.p. injection", "Tumour cells", "Vaccine", "STZ", "Drug")),
                face,
                BLACK,
            )
            sheet.text(
                x, y1 - 3, pick(rng, ("C57BL/6", "WT", "KO", "BALB/c", "Week 0", "db/db")), face, BLACK, "mb"
            )
    if slot * mice < wide - 10:
        x = x0 + slot * (mice + 0.5)
        y = y0 + tall * 0.55
        sheet.arrow((x - slot * 0.42, y), (x - slot * 0.15, y), BLACK, 1.6, 5.0)
        for place, name in enumerate(("Histology", "RNA-seq", "Flow", "MRI")[: int(rng.integers(2, 5))]):
            row = y0 + tall * (0.2 + 0.2 * place)
            sheet.rectangle(
                x - slot * 0.08,
                row - face.size * 0.8,
                x1 - 1,
                row + face.size * 0.8,
                mix(style.stroke(place), 0.3),
                BLACK,
                0.7,
                radius=3,
            )
            if texts:
                sheet.text((x - slot * 0.08 + x1) / 2, row, name, face, BLACK)
