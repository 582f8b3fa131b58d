"""Values on a grid: heat maps, confusion matrices, contours and surfaces."""

from __future__ import annotations

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.plots.fields import contour, surface_plot
from panelwise_simulator.drawers.vector.axes import begin, text_scale
from panelwise_simulator.drawers.vector.colours import (
    BLUES,
    DIVERGING,
    GREENS,
    GREY,
    REDS,
    SEQUENTIAL,
    VIRIDIS,
    colour_map,
)
from panelwise_simulator.drawers.vector.plotting import a_title, colour_bar
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import Face, measure
from panelwise_simulator.drawers.vector.words import GENES, SPECIES
from panelwise_simulator.kinds import Drawer, Generator, Kind


def heat_map(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A clustered matrix with names of rows and columns, trees and a colour bar, as it comes."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    texts = min(width, height) >= 95
    face = style.tick_face(text_scale(region) * 0.9)
    rows, columns = int(rng.integers(6, 46)), int(rng.integers(3, 26))
    if chance(rng, 0.2):
        rows = columns = int(rng.integers(6, 20))
    blocks = rng.normal(0, 1.0, (int(rng.integers(2, 5)), int(rng.integers(2, 5))))
    field = blocks[np.arange(rows) * blocks.shape[0] // rows][:, np.arange(columns) * blocks.shape[1] // columns]
    field = field + rng.normal(0, float(rng.uniform(0.2, 0.9)), (rows, columns))
    middle = chance(rng, 0.65)
    table = pick(rng, DIVERGING) if middle else pick(rng, SEQUENTIAL)
    named = texts and height / rows > 8.5 and chance(rng, 0.85)
    start = int(rng.integers(len(GENES)))
    row_names = [GENES[(start + place) % len(GENES)] for place in range(rows)]
    if chance(rng, 0.5):
        row_names = [name.upper() for name in row_names]
    if chance(rng, 0.15):
        row_names = [SPECIES[place % len(SPECIES)] for place in range(rows)]
    bar = chance(rng, 0.8) and min(width, height) >= 60
    names_right = chance(rng, 0.5)
    wide = max(measure(name, face) for name in row_names) + 5 if named else 2.0
    wide = min(wide, width * 0.3)
    left, right = x0 + (0 if names_right else wide), x1 - (wide if names_right else 0)
    bar_text = ("2", "1", "0", "−1", "−2") if middle else ("1", "0.5", "0")
    lying = chance(rng, 0.3)
    top, low = y0, y1
    if bar and not lying:
        right -= (measure("−2", face) if texts else 0) + 14
    if bar and lying:
        low -= (face.size * 1.3 if texts else 0) + 12
    groups = chance(rng, 0.45) and texts
    column_texts = texts and not groups and (right - left) / columns > face.size * 0.8
    column_names = [pick(rng, ("S", "C", "T", "Ctrl", "P", "D")) + f"{place + 1}" for place in range(columns)]
    if column_texts:
        low -= (
            max(measure(name, face) for name in column_names) + 4
            if (right - left) / columns < 24
            else face.size * 1.2
        )
    tree = chance(rng, 0.4) and min(width, height) > 130
    if tree:
        top += 20
        if not names_right:
            left, right = left, right
        else:
            left += 18
    if groups:
        top += face.size * 1.35 + 7
    if texts and chance(rng, style.titles * 0.6):
        sheet.text(
            (left + right) / 2,
            y0 + 1,
            a_title(rng, style) or "Cluster",
            style.title_face(text_scale(region)),
            style.ink,
            "mt",
        )
        shift = face.size * 1.4
        top += shift
    else:
        shift = 0.0
    pixels = colour_map(table, 0.5 + field / 4.4 if middle else 0.4 + field / 5)
    sheet.picture(pixels, left, top, right, low)
    pitch, across = (low - top) / rows, (right - left) / columns
    if chance(rng, 0.3) and pitch > 5 and across > 5:
        line = pick(rng, (WHITE, (120, 120, 120), BLACK))
        for place in range(1, rows):
            sheet.line([(left, top + place * pitch), (right, top + place * pitch)], line, 0.6)
        for place in range(1, columns):
            sheet.line([(left + place * across, top), (left + place * across, low)], line, 0.6)
    if chance(rng, 0.4):
        sheet.rectangle(left, top, right, low, None, BLACK, 0.8)
    if named:
        italic = Face(min(face.size, pitch * 1.05), face.bold, chance(rng, 0.4), face.squeeze)
        for place, name in enumerate(row_names):
            y = top + (place + 0.5) * pitch
            sheet.text(
                right + 3 if names_right else left - 3,
                y,
                name,
                italic,
                style.ink,
                "lm" if names_right else "rm",
            )
    if column_texts:
        for place, name in enumerate(column_names):
            x = left + (place + 0.5) * across
            if across < 24:
                sheet.text(x, low + 3, name, face, style.ink, "mt", 90)
            else:
                sheet.text(x, low + 4, name, face, style.ink, "mt")
    if groups:
        parts = pick(
            rng,
            (
                ("Control", "Treated"),
                ("WT", "KO"),
                ("Healthy", "KC", "BK"),
                ("Normal", "Tumour"),
                ("0 h", "6 h", "24 h"),
            ),
        )
        for place, name in enumerate(parts):
            a, b = left + (right - left) * place / len(parts), left + (right - left) * (place + 1) / len(parts)
            row = top - (20 if tree else 0)
            sheet.rectangle(a + 0.5, row - 6, b - 0.5, row - 2, style.colour(place))
            sheet.text((a + b) / 2, row - 8, name, face, style.ink, "mb")
    if tree:
        _tree_above(rng, sheet, left, right, top - 1, 18, columns)
        if names_right:
            _tree_beside(rng, sheet, top, low, left - 1, 16, min(rows, 24))
    if bar:
        face = face.scaled(0.95)
        if lying:
            a, b = left, left + (right - left) * 0.6
            base = y1 - (face.size * 1.2 if texts else 1)
            sheet.picture(table[None, :, :], a, base - 8, b, base, smooth=True)
            if texts:
                ends = ("−2", "0", "2") if middle else ("0", "0.5", "1")
                for place, text in enumerate(ends):
                    sheet.text(a + (b - a) * place / 2, base + 3, text, face, style.ink, "mt")
        else:
            at = x1 - (measure("−2", face) + 4 if texts else 0) - 9
            at = max(at, right + (wide if names_right else 0) + 4) if not names_right else at
            if names_right:
                at = x1 - (measure("−2", face) + 4 if texts else 0) - 9
            long = (low - top) * float(rng.choice([1.0, 0.5, 0.4]))
            colour_bar(sheet, table, (at, top, at + 8, top + long), bar_text if texts else (), face, style.ink)
    return sheet.done()


def _tree_above(
    rng: Generator, sheet: Sheet, left: float, right: float, base: float, high: float, leaves: int
) -> None:
    nodes = [(left + (place + 0.5) * (right - left) / leaves, 0.0) for place in range(leaves)]
    while len(nodes) > 1:
        at = int(rng.integers(len(nodes) - 1))
        (xa, ya), (xb, yb) = nodes[at], nodes[at + 1]
        up = min(1.0, max(ya, yb) + (1.0 - max(ya, yb)) * (0.25 if len(nodes) > 2 else 1.0))
        sheet.line(
            [(xa, base - ya * high), (xa, base - up * high), (xb, base - up * high), (xb, base - yb * high)],
            BLACK,
            0.7,
        )
        nodes[at : at + 2] = [((xa + xb) / 2, up)]


def _tree_beside(
    rng: Generator, sheet: Sheet, top: float, low: float, base: float, wide: float, leaves: int
) -> None:
    nodes = [(top + (place + 0.5) * (low - top) / leaves, 0.0) for place in range(leaves)]
    while len(nodes) > 1:
        at = int(rng.integers(len(nodes) - 1))
        (ya, xa), (yb, xb) = nodes[at], nodes[at + 1]
        out = min(1.0, max(xa, xb) + (1.0 - max(xa, xb)) * (0.25 if len(nodes) > 2 else 1.0))
        sheet.line(
            [(base - xa * wide, ya), (base - out * wide, ya), (base - out * wide, yb), (base - xb * wide, yb)],
            BLACK,
            0.7,
        )
        nodes[at : at + 2] = [((ya + yb) / 2, out)]


def confusion_matrix(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A square of classes against classes with numbers in its cells; confusion, correlation or P values."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    texts = min(width, height) >= 95
    face = style.tick_face(text_scale(region))
    classes = pick(rng, (
        ("Normal", "AMD", "DME", "CNV"), ("Negative", "Positive"), ("COVID", "Normal", "Pneum."), ("0", "1", "2",
        "3", "4", "5", "6", "7", "8", "9"),
        ("Wake", "N1", "N2", "N3", "REM"), ("Benign", "Malignant"), ("Cat", "Dog", "Bird", "Fish", "Frog"), ("A",
        "B", "C", "D", "E", "F"),
        ("Temp", "Rain", "pH", "N", "P", "K"), ("−0.79", "−0.32", "0", "0.30", "0.74"),
    ))  # fmt: skip
    count = len(classes)
    correlation = chance(rng, 0.3) or classes[0] in ("Temp", "−0.79")
    if correlation:
        half = rng.uniform(-0.9, 0.9, (count, count))
        values = np.clip((half + half.T) / 1.6, -1, 1)
        np.fill_diagonal(values, 1.0)
        shares, table = (values + 1) / 2, pick(rng, (*DIVERGING[:2], GREY))
        labels = ("", "")
    else:
        values = rng.gamma(0.7, 0.05, (count, count)) + np.eye(count) * rng.uniform(0.6, 1.4, count)
        values = values / values.sum(axis=1, keepdims=True)
        shares, table = values, pick(rng, (BLUES, BLUES, GREENS, REDS, VIRIDIS))
        labels = pick(
            rng, (("Predicted label", "True label"), ("Predicted", "Actual"), ("Target class", "Output class"))
        )
    big = style.label_face(text_scale(region))
    wide = max(measure(name, face) for name in classes)
    bar = chance(rng, 0.65)
    left = x0 + (wide + 5 + (big.size * 1.2 if labels[1] else 0) if texts else 1)
    right = x1 - ((30 if texts else 12) if bar else 1)
    cell = (right - left) / count
    turned = wide > cell * 0.95
    low = y1 - ((wide if turned else face.size) + 5 + (big.size * 1.2 if labels[0] else 0) if texts else 1)
    title = a_title(rng, style) if texts else ""
    top = y0 + (big.size * 1.4 if title else 1)
    sheet.text((left + right) / 2, y0 + 1, title, style.title_face(text_scale(region)), style.ink, "mt")
    if chance(rng, 0.5) and not correlation:
        side = min(right - left, low - top)
        right, low, cell = left + side, top + side, side / count
    sheet.picture(colour_map(table, shares), left, top, right, low)
    down = (low - top) / count
    counts = not correlation and chance(rng, 0.5)
    total = int(rng.integers(40, 900))
    line = pick(rng, (None, WHITE, BLACK))
    for row in range(count):
        for column in range(count):
            x, y = left + (column + 0.5) * cell, top + (row + 0.5) * down
            tone = table[int(np.clip(shares[row, column], 0, 1) * 255)]
            value = float(values[row, column])
            text = str(round(value * total)) if counts else f"{value:.2f}".replace("-", "−")
            if texts and cell > 17 and down > 11:
                sheet.text(
                    x,
                    y,
                    text,
                    Face(min(face.size, cell * 0.42, down * 0.8), face.bold),
                    WHITE if int(tone.sum()) < 380 else BLACK,
                )
            if line is not None:
                sheet.rectangle(x - cell / 2, y - down / 2, x + cell / 2, y + down / 2, None, line, 0.6)
    sheet.rectangle(left, top, right, low, None, BLACK, 0.8)
    if texts:
        for place, name in enumerate(classes):
            sheet.text(left - 4, top + (place + 0.5) * down, name, face, style.ink, "rm")
            sheet.text(left + (place + 0.5) * cell, low + 4, name, face, style.ink, "mt", 90 if turned else 0)
        if labels[0]:
            foot = low + (wide if turned else face.size) + 6
            sheet.text((left + right) / 2, foot + big.size * 0.2, labels[0], big, style.ink, "mt")
            sheet.text(left - wide - 6, (top + low) / 2, labels[1], big, style.ink, "rm", 90)
    if bar:
        ends = (("1", "0", "−1") if correlation else ("1.0", "0.5", "0.0")) if texts else ()
        colour_bar(sheet, table, (right + 5, top, right + 12, low), ends, face.scaled(0.9), style.ink)
    return sheet.done()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("heat_map", Kind.PLOT, heat_map, (0.5, 1.8), paper=True),
    Drawer("confusion_matrix", Kind.PLOT, confusion_matrix, (0.85, 1.5), paper=True),
    Drawer("contour", Kind.PLOT, contour, (0.8, 1.7), paper=True),
    Drawer("surface_plot", Kind.PLOT, surface_plot, (0.9, 1.6), paper=True),
)
