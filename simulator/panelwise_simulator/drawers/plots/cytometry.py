"""Flow cytometry: densities with gates, overlaid histograms."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, Region, begin
from panelwise_simulator.drawers.vector.colours import JET, colour_map
from panelwise_simulator.drawers.vector.scales import decades, linear
from panelwise_simulator.drawers.vector.sheet import BLACK, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.texts import FINE
from panelwise_simulator.drawers.vector.words import GROUPS
from panelwise_simulator.kinds import Generator

_MARKERS = ("CD3", "CD4", "CD8", "CD19", "CD44", "CD45", "CD62L", "CD11b", "Ly6G", "F4/80", "FoxP3", "IFN-γ",
"IL-17A", "GFP", "Annexin V",
            "PI", "IgD", "IgM", "CD38", "PD-1", "Fas", "CXCR5", "Ki67")  # fmt: skip


def flow_cytometry(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Density of events between two markers with gates and their shares, or overlaid histograms."""
    sheet, style, region = begin(rng, width, height, style)
    inner = _overlay if chance(rng, 0.2) else _gates
    wide, high = region[2] - region[0], region[3] - region[1]
    across = 2 if wide > 380 and wide > 1.6 * high else 1
    for place in range(across):
        inner(
            rng,
            sheet,
            (
                region[0] + place * (wide + 6) / across,
                region[1],
                region[0] + (place + 1) * (wide + 6) / across - 6,
                region[3],
            ),
            style,
        )
    return sheet.done()


def _gates(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    first, second = int(rng.integers(len(_MARKERS))), int(rng.integers(len(_MARKERS)))
    labels = pick(rng, (("FSC-A", "SSC-A"), ("FSC-A", "FSC-H"), (_MARKERS[first], _MARKERS[second]),
    (_MARKERS[first], _MARKERS[second]),
                        (f"{_MARKERS[first]}-FITC", f"{_MARKERS[second]}-PE")))  # fmt: skip
    scatter_like = labels[0] == "FSC-A"
    boxed = Style(
        "flow",
        style.palette,
        frame="box",
        axis=1.0,
        text=min(style.text, 10.0),
        label=1.1,
        bold_labels=style.bold_labels,
        squeeze=style.squeeze,
    )
    scale = linear(0, 262, 5, unit="K") if scatter_like else decades(1, 5)
    axes = Axes(
        sheet,
        region,
        boxed,
        scale,
        scale,
        labels=labels,
        title=pick(rng, ("", "", "Control", "Treated", "Singlets", "Live", "Lymphocytes")),
    )
    x0, y0, x1, y1 = axes.frame
    clusters = int(rng.integers(1, 4))
    parts = []
    for _ in range(clusters):
        size = int(rng.integers(500, 2400))
        middle, width_of = rng.uniform(0.2, 0.8, 2), rng.uniform(0.05, 0.1, 2)
        spots = rng.normal(0, 1, (size, 2))
        lean = float(rng.uniform(-0.3, 0.8))
        spots[:, 1] = spots[:, 1] * math.sqrt(1 - lean * lean) + spots[:, 0] * lean
        parts.append(middle + spots * width_of)
    events = np.concatenate([*parts, rng.uniform(0.02, 0.98, (120, 2))])
    events = events[((events > 0.01) & (events < 0.99)).all(axis=1)]
    grid, _, _ = np.histogram2d(events[:, 1], events[:, 0], bins=46, range=((0, 1), (0, 1)))
    grid = (
        np.pad(grid, 1)[:-2, 1:-1]
        + np.pad(grid, 1)[2:, 1:-1]
        + np.pad(grid, 1)[1:-1, :-2]
        + np.pad(grid, 1)[1:-1, 2:]
        + 2 * grid
    ) / 6
    level = np.clip(np.sqrt(grid / np.percentile(grid[grid > 0], 97)), 0, 1)
    how = pick(rng, ("density", "density", "density", "dots"))
    columns = ((x0 + events[:, 0] * (x1 - x0)) * FINE).astype(int)
    rows = ((y1 - events[:, 1] * (y1 - y0)) * FINE).astype(int)
    tone = level[np.minimum(45, (events[:, 1] * 46).astype(int)), np.minimum(45, (events[:, 0] * 46).astype(int))]
    colours = (
        colour_map(JET, 0.12 + 0.85 * tone)
        if how == "density"
        else np.broadcast_to(np.asarray(style.stroke(0), np.uint8), (len(events), 3))
    )
    canvas = np.array(sheet.image)
    order = np.argsort(tone)
    span = 3 if how == "density" else 2
    for down in range(span):
        for across in range(span):
            canvas[
                np.minimum(rows[order] + down, canvas.shape[0] - 1),
                np.minimum(columns[order] + across, canvas.shape[1] - 1),
            ] = colours[order]
    sheet.replace(Image.fromarray(canvas))
    texts = min(region[2] - region[0], region[3] - region[1]) > 100
    shares = rng.dirichlet([1.5, 1.0, 2.0, 1.0]) * 100
    face = axes.ticks.scaled(1.05)
    if not scatter_like and chance(rng, 0.55):
        xm, ym = x0 + (x1 - x0) * float(rng.uniform(0.35, 0.6)), y0 + (y1 - y0) * float(rng.uniform(0.4, 0.65))
        sheet.rule(xm, y0, xm, y1, BLACK, 1.0)
        sheet.rule(x0, ym, x1, ym, BLACK, 1.0)
        if texts:
            for share, (x, y, anchor) in zip(
                shares.tolist(),
                ((x0 + 3, y0 + 3, "lt"), (x1 - 3, y0 + 3, "rt"), (x0 + 3, y1 - 4, "lb"), (x1 - 3, y1 - 4, "rb")),
                strict=True,
            ):
                sheet.text(x, y, f"{share:.1f}", face, BLACK, anchor)
    else:
        middle = parts[0].mean(axis=0)
        wide = parts[0].std(axis=0) * 2.4
        turns = np.linspace(0, 2 * math.pi, 9 if chance(rng, 0.5) else 48)
        outline = [
            (
                min(x1, max(x0, x0 + (middle[0] + math.cos(t) * wide[0]) * (x1 - x0))),
                min(y1, max(y0, y1 - (middle[1] + math.sin(t) * wide[1]) * (y1 - y0))),
            )
            for t in turns
        ]
        sheet.line(outline, BLACK, 1.1)
        if texts:
            top = min(y for _, y in outline)
            sheet.text(
                x0 + middle[0] * (x1 - x0),
                top - 2 if top > y0 + 14 else y0 + 12,
                f"{float(rng.uniform(20, 98)):.1f}",
                face,
                BLACK,
                "mb",
            )
    axes.finish()


def _overlay(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, [group for group in GROUPS if 2 <= len(group) <= 4])
    boxed = Style(
        "flow",
        style.palette,
        frame="box",
        axis=1.0,
        text=min(style.text, 10.0),
        legend="inside",
        squeeze=style.squeeze,
    )
    axes = Axes(
        sheet, region, boxed, decades(1, 5), linear(0, 108, 5), labels=(pick(rng, _MARKERS), pick(rng,
        ("% of Max", "Normalised to mode", "Count"))),
        legend=groups, keys="square",
    )  # fmt: skip
    powers = np.linspace(1, 5, 120)
    filled = chance(rng, 0.6)
    for place in range(len(groups)):
        middle, wide = float(rng.uniform(1.8, 4.3)), float(rng.uniform(0.2, 0.5))
        curve = 100 * np.exp(-(((powers - middle) / wide) ** 2)) * float(rng.uniform(0.7, 1.0)) + np.abs(
            rng.normal(0, 0.8, 120)
        )
        if filled:
            axes.band(10.0**powers, np.zeros(120), curve, style.stroke(place), 0.35)
        axes.line(10.0**powers, curve, style.stroke(place), 1.2)
    axes.finish()
