"""Values over a plane: contours, spectrograms and surfaces."""

from __future__ import annotations

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, begin, text_scale
from panelwise_simulator.drawers.vector.colours import (
    DIVERGING,
    JET,
    PARULA,
    SEQUENTIAL,
    VIRIDIS,
    colour_map,
)
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.plotting import a_title, colour_bar
from panelwise_simulator.drawers.vector.scales import linear
from panelwise_simulator.drawers.vector.sheet import BLACK, Colour
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import FINE, measure
from panelwise_simulator.kinds import Generator


def _landscape(rng: Generator, rows: int, columns: int) -> Array:
    """A smooth field in [0, 1] of a few hills."""
    ys, xs = np.mgrid[0 : 1 : rows * 1j, 0 : 1 : columns * 1j]
    field = np.zeros((rows, columns))
    for _ in range(int(rng.integers(2, 7))):
        x, y = rng.uniform(0, 1, 2)
        wide, high = rng.uniform(0.12, 0.4, 2)
        field += float(rng.normal(0.4, 0.8)) * np.exp(-(((xs - x) / wide) ** 2) - (((ys - y) / high) ** 2))
    field -= field.min()
    return np.asarray(field / max(float(field.max()), 1e-9))


def contour(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A field in colours with lines of equal height, or a recording by time and frequency, with a bar."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    texts = min(width, height) >= 95
    size = text_scale(region)
    face = style.tick_face(size)
    across, right_end, up, top_end, bar_label = pick(rng, (
        ("Time (s)", 10.0, "Frequency (Hz)", 100.0, "Power (dB)"), ("x (µm)", 50.0, "y (µm)", 50.0,
        "Height (nm)"), ("Longitude (°E)", 20.0, "Depth (m)", 400.0, "T (°C)"),
        ("Temperature (°C)", 80.0, "pH", 12.0, "Yield (%)"), ("k_x (Å^−1~)", 1.0, "E (eV)", 4.0, "Intensity"),
        ("Learning rate", 1.0, "Dropout", 0.5, "Accuracy"),
        ("Excitation (nm)", 500.0, "Emission (nm)", 600.0, "Intensity"),
    ))  # fmt: skip
    bar = chance(rng, 0.85)
    room = (
        (measure("0.0", face) + 14 + (style.label_face(size).size * 1.2 if texts else 0) if texts else 12)
        if bar
        else 0.0
    )
    boxed = Style(style.name, style.palette, frame="box", ticks=style.ticks if style.ticks != "none" else "out",
    axis=style.axis, text=style.text, label=style.label,
                  bold_labels=style.bold_labels, bold_ticks=style.bold_ticks, squeeze=style.squeeze)  # fmt: skip
    axes = Axes(sheet, (x0, y0, x1 - room, y1), boxed, linear(0, right_end, 4), linear(0, top_end, 4),
    labels=(across, up),
                title=a_title(rng, style), size=size)  # fmt: skip
    left, top, right, low = axes.frame
    spectral = across.startswith("Time")
    field = _landscape(rng, 48, 64)
    if spectral:
        field = np.clip(
            0.55 * field + 0.18 * rng.standard_normal((48, 64)) + np.linspace(0, 0.4, 48)[:, None], 0, 1
        )
    table = pick(rng, (VIRIDIS, JET, JET, PARULA, SEQUENTIAL[1], DIVERGING[0]))
    filled = chance(rng, 0.8) or spectral
    levels = int(rng.integers(7, 15))
    stepped = chance(rng, 0.5) and not spectral
    size_of = (round(right - left) * FINE, round(low - top) * FINE)
    big = np.asarray(Image.fromarray(field.astype(np.float32)).resize(size_of, Image.Resampling.BICUBIC))
    indices = (np.clip(big, 0, 1) * 254).astype(np.uint8)
    ladder = np.linspace(0, 0.999, 255)
    colours = np.full((256, 3), 255)
    if filled:
        colours[:255] = colour_map(table, (np.floor(ladder * levels) + 0.5) / levels if stepped else ladder)
    if not spectral and (not filled or chance(rng, 0.6)):
        step = (np.clip(big, 0, 1) * levels).astype(np.uint8)
        edge = np.zeros(step.shape, bool)
        edge[:-1] |= step[:-1] != step[1:]
        edge[:, :-1] |= step[:, :-1] != step[:, 1:]
        edge[1:] |= edge[:-1]
        indices[edge] = 255
        colours[255] = style.stroke(0) if not filled and chance(rng, 0.5) else (40, 40, 40)
    sheet.indexed(indices, colours, round(left) * FINE, round(top) * FINE)
    axes.finish()
    if bar:
        span = (f"{1:.1f}", "0.8", "0.6", "0.4", "0.2", "0.0") if chance(rng, 0.5) else ("100", "50", "0")
        colour_bar(
            sheet, table, (right + 6, top, right + 14, low), span if texts else (), face.scaled(0.95), style.ink
        )
        if texts:
            sheet.text(x1, (top + low) / 2, bar_label, style.label_face(size), style.ink, "rm", 90)
    return sheet.done()


def surface_plot(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A surface, or points, over a plane seen from above at a slant, with three axes."""
    sheet, style, region = begin(rng, width, height, style)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region) * 0.95)
    texts = min(width, height) >= 95
    pad = face.size * 2.2 if texts else 2.0
    turn = float(rng.uniform(0.45, 1.1))
    c, s = float(np.cos(turn)), float(np.sin(turn))
    reach = c + s
    scale_x = (x1 - x0 - 2.3 * pad) / reach
    flat = float(rng.uniform(0.3, 0.45))
    high = (y1 - y0 - 1.6 * pad) * 0.5
    scale_y = (y1 - y0 - 1.6 * pad - high) / reach

    def place(u: float, v: float, w: float) -> tuple[float, float]:
        return (
            x0 + pad * 1.5 + (u * c + (1 - v) * s) * scale_x,
            y0 + pad * 0.4 + high * (1 - w) + (u * s + v * c) * scale_y,
        )

    grid: Colour = (205, 205, 205)
    for step in np.linspace(0, 1, 6).tolist():
        sheet.line([place(step, 0, 0), place(step, 0, 1)], grid, 0.6)
        sheet.line([place(0, step, 0), place(0, step, 1)], grid, 0.6)
        sheet.line([place(0, 1, step), place(0, 0, step), place(1, 0, step)], grid, 0.6)
    table = pick(rng, (VIRIDIS, JET, PARULA, JET, SEQUENTIAL[1]))
    if chance(rng, 0.7):
        count = 18 if width * height > 20000 else 11
        field = _landscape(rng, count, count) * 0.92
        colours = colour_map(table, field).tolist()
        mesh = chance(rng, 0.7)
        for row in range(count - 1):
            for column in range(count - 1):
                corners = [
                    place((column + a) / (count - 1), (row + b) / (count - 1), float(field[row + b, column + a]))
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))
                ]
                red, green, blue = colours[row][column]
                sheet.polygon(corners, (red, green, blue), (60, 60, 60) if mesh else None, 0.5)
    else:
        dots = rng.normal(0.5, 0.12, (int(rng.integers(30, 150)), 3))
        groups = rng.integers(0, 3, len(dots))
        dots[:, :2] += (groups[:, None] - 1) * 0.18
        dots = np.clip(dots, 0.02, 0.98)
        for (u, v, w), group in zip(dots.tolist(), groups.tolist(), strict=True):
            sheet.marker(*place(u, v, w), 2.3, style.stroke(group))
    for a, b in (((0, 1, 0), (1, 1, 0)), ((1, 1, 0), (1, 0, 0)), ((0, 1, 0), (0, 1, 1))):
        sheet.line([place(*a), place(*b)], BLACK, 1.0)
    if texts:
        names_of = pick(
            rng,
            (
                ("x", "y", "z"),
                ("Time (min)", "Temp (°C)", "Yield (%)"),
                ("PC1", "PC2", "PC3"),
                ("X Position (µm)", "Y Position", "Z (µm)"),
                ("pH", "Dose", "Response"),
            ),
        )
        top_value = float(rng.choice([1.0, 10.0, 50.0, 100.0]))
        for step in (0.0, 0.5, 1.0):
            x, y = place(step, 1, 0)
            sheet.text(x - 3, y + 3, f"{top_value * step:g}", face, BLACK, "rt")
            x, y = place(1, 1 - step, 0)
            sheet.text(x + 3, y + 3, f"{top_value * step:g}", face, BLACK, "lt")
            x, y = place(0, 1, step)
            sheet.text(x - 4, y, f"{step * (1 + flat):.1f}", face, BLACK, "rm")
        x, y = place(0.5, 1, 0)
        sheet.text(x - face.size, y + face.size * 1.6, names_of[0], face, BLACK, "rt")
        x, y = place(1, 0.5, 0)
        sheet.text(x + face.size, y + face.size * 1.6, names_of[1], face, BLACK, "lt")
        sheet.text(x0, place(0, 1, 0.5)[1], names_of[2], face, BLACK, "lm", 90)
    return sheet.done()
