"""Points and their distributions: boxes, violins, scatters, gates, radar charts."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.plots.clouds import pca, scatter, volcano
from panelwise_simulator.drawers.plots.cytometry import flow_cytometry
from panelwise_simulator.drawers.plots.polar import radar
from panelwise_simulator.drawers.vector.axes import Axes, Region
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.plotting import a_title, plotted
from panelwise_simulator.drawers.vector.scales import linear, names
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.words import GROUPS, MEASURES
from panelwise_simulator.kinds import Drawer, Generator, Kind


def _sample(rng: Generator, top: float, count: int) -> Array:
    """Values of one group, skewed or not, between 0 and about `top`."""
    middle, width = float(rng.uniform(0.2, 0.7)), float(rng.uniform(0.06, 0.16))
    values = rng.normal(middle, width, count)
    if chance(rng, 0.4):
        values = middle * np.exp(rng.normal(0, width * 2, count))
    return np.clip(values, 0.01, 1.05) * top


def _stars(rng: Generator, axes: Axes, count: int, top: float) -> None:
    row = float(axes.y(top)) - 4
    for place in range(1, min(count, 4)):
        if row < axes.frame[1] + axes.ticks.cap or chance(rng, 0.3):
            continue
        left = 0 if chance(rng, 0.6) else place - 1
        axes.bracket(
            left,
            place,
            row,
            pick(rng, ("*", "**", "***", "****", "ns", "p = 0.02", "<2.2e−16")),
            pick(rng, (0.0, 3.0)),
        )
        row -= axes.ticks.size * 1.2


def box_plot(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Boxes with whiskers, outliers or all points, brackets of significance at times."""
    return plotted(rng, width, height, style, _box_plot, many=0.14)


def _box_plot(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, GROUPS)
    label, top = pick(rng, MEASURES)
    samples = [_sample(rng, top, int(rng.integers(12, 120))) for _ in groups]
    stars = chance(rng, 0.5)
    high = max(float(sample.max()) for sample in samples)
    axes = Axes(
        sheet, region, style, names(groups), linear(0 if chance(rng, 0.8) else -0.1 * top,
        high * (1.3 if stars else 1.06), 5),
        labels=("", label), title=a_title(rng, style),
    )  # fmt: skip
    ink = style.ink
    points = chance(rng, 0.35)
    half = float(rng.uniform(0.2, 0.36))
    open_boxes = chance(rng, 0.3)
    dashed = 3.0 if style.name == "matlab" else 0.0
    for place, sample in enumerate(samples):
        first, median, third = np.percentile(sample, [25, 50, 75]).tolist()
        reach = 1.5 * (third - first)
        inner = sample[(sample >= first - reach) & (sample <= third + reach)]
        low, top_of = float(inner.min()), float(inner.max())
        colour = style.colour(place if chance(rng, 1.0) else 0)
        line = style.stroke(place) if open_boxes else ink
        wide = min(1.5, max(0.8, style.axis))
        for a, b in ((low, first), (third, top_of)):
            axes.line([place, place], [a, b], line, wide, dashed)
        cap = half * (0.0 if style.name == "ggplot" else 0.55)
        if cap:
            for value in (low, top_of):
                axes.line([place - cap, place + cap], [value, value], line, wide)
        sheet.rectangle(
            float(axes.x(place - half)), float(axes.y(third)), float(axes.x(place + half)), float(axes.y(first)),
            (style.ground if style.ground != (235, 235, 235) else WHITE) if open_boxes else colour, line, wide,
            hatch=style.hatching(place),
        )  # fmt: skip
        strong = (
            (220, 20, 20) if style.name == "matlab" else WHITE if sum(colour) < 200 and not open_boxes else line
        )
        axes.line([place - half, place + half], [median, median], strong, wide * 1.6)
        shown = sample[:40] if points else sample[(sample < first - reach) | (sample > third + reach)]
        for x, y in axes.points(place + rng.uniform(-0.5, 0.5, len(shown)) * half * 1.5 * points, shown):
            sheet.marker(x, y, 1.7 * axes.size, None if style.name == "prism" and not points else line, line)
    if stars:
        _stars(rng, axes, len(groups), high)
    axes.finish()


def violin(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Violins with a small box or a median, or dots beside each other with their mean."""
    return plotted(rng, width, height, style, _violin if chance(rng, 0.65) else _dots, many=0.1)


def _violin(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = (
        pick(rng, GROUPS) if chance(rng, 0.7) else tuple(str(place) for place in range(int(rng.integers(6, 12))))
    )
    label, top = pick(rng, (("Expression level", 5.0), *MEASURES))
    axes = Axes(
        sheet,
        region,
        style,
        names(groups),
        linear(0, top * 1.22, 5),
        labels=("", label),
        title=a_title(rng, style),
    )
    turned = np.linspace(0, 1, 36)
    how = pick(rng, ("box", "median", "points", "none"))
    for place in range(len(groups)):
        low, high = float(rng.uniform(0.0, 0.2)), float(rng.uniform(0.7, 1.1))
        mode, second = float(rng.uniform(0.15, 0.7)), float(rng.uniform(0.3, 0.9))
        density = np.exp(-(((turned - mode) / 0.17) ** 2)) + float(rng.choice([0.0, 0.5])) * np.exp(
            -(((turned - second) / 0.12) ** 2)
        )
        density = density / density.max() * 0.42
        ys = (low + turned * (high - low)) * top
        left, right = axes.points(place - density, ys), axes.points(place + density, ys)
        edge = style.ink if style.outline or style.name == "ggplot" else style.stroke(place)
        sheet.polygon(left + right[::-1], style.colour(place), edge, 0.8)
        middle = (low + (high - low) * mode) * top
        if how == "box":
            spread_of = 0.13 * top
            axes.line([place, place], [middle - 2 * spread_of, middle + 2 * spread_of], BLACK, 0.8)
            sheet.rectangle(float(axes.x(place)) - 2.5, float(axes.y(middle + spread_of)),
            float(axes.x(place)) + 2.5,
                            float(axes.y(middle - spread_of)), WHITE if chance(rng, 0.5) else BLACK, BLACK,
                            0.7)  # fmt: skip
            sheet.marker(float(axes.x(place)), float(axes.y(middle)), 1.4, WHITE, BLACK)
        elif how == "median":
            axes.line([place - 0.3, place + 0.3], [middle, middle], BLACK, 1.2, 2.0)
            for shift in (-0.17, 0.17):
                axes.line([place - 0.2, place + 0.2], [middle + shift * top] * 2, BLACK, 0.7, 2.0)
        elif how == "points":
            chosen = rng.choice(len(turned), 26, p=density / density.sum())
            for x, y in axes.points(place + rng.uniform(-0.6, 0.6, 26) * density[chosen], ys[chosen]):
                sheet.marker(x, y, 1.1, BLACK)
    axes.finish()


def _dots(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, GROUPS)
    label, top = pick(rng, MEASURES)
    samples = [_sample(rng, top, int(rng.integers(5, 30))) for _ in groups]
    paired = len(groups) < 4 and chance(rng, 0.25)
    if paired:
        samples = [samples[0]] + [
            np.clip(samples[0] * rng.normal(1.1, 0.25, len(samples[0])), 0, top) for _ in groups[1:]
        ]
    high = max(float(sample.max()) for sample in samples)
    axes = Axes(
        sheet,
        region,
        style,
        names(groups),
        linear(0, high * 1.25, 5),
        labels=("", label),
        title=a_title(rng, style),
    )
    if paired:
        for place in range(len(groups) - 1):
            for a, b in zip(samples[place].tolist(), samples[place + 1].tolist(), strict=True):
                axes.line([place, place + 1], [a, b], (120, 120, 120) if chance(rng, 0.8) else (220, 40, 40), 0.8)
    for place, sample in enumerate(samples):
        colour = style.stroke(place)
        order = np.sort(sample)
        shift = (
            np.zeros(len(order)) if paired else np.tile([0.0, 0.12, -0.12, 0.22, -0.22], len(order))[: len(order)]
        )
        for x, y in axes.points(place + shift, order):
            sheet.marker(x, y, 2.4 * axes.size, style.colour(place), colour, style.mark(place))
        if not paired:
            mean, error = float(sample.mean()), float(sample.std() / math.sqrt(len(sample)) * 1.6)
            axes.line([place - 0.3, place + 0.3], [mean, mean], style.ink, 1.4)
            axes.whisker(place, mean - error, mean + error)
    if chance(rng, 0.6):
        _stars(rng, axes, len(groups), high)
    axes.finish()


def histogram(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Counts by size, one group or two overlaid, with a fitted curve or the mean at times."""
    return plotted(rng, width, height, style, _histogram, many=0.08)


def _histogram(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    label, top = pick(rng, (("Particle diameter (nm)", 100.0), ("Age (years)", 90.0),
    ("inter-bout distance (mm)", 20.0), ("Degree", 40.0),
                            ("Read length (kb)", 30.0), ("Correlation (r)", 1.0), ("Latency (ms)", 500.0),
                            ("Fibre diameter (µm)", 80.0)))  # fmt: skip
    two = chance(rng, 0.3)
    kinds = pick(rng, (("Control", "Treated"), ("WT", "KO"), ("Train", "Test"), ("Male", "Female"))) if two else ()
    bins = int(rng.integers(10, 42))
    edges = np.linspace(0, top, bins + 1)
    series = []
    for _ in range(2 if two else 1):
        size = int(rng.integers(300, 2000))
        values = (
            rng.gamma(float(rng.uniform(1.5, 6)), 0.09, size)
            if chance(rng, 0.6)
            else rng.normal(rng.uniform(0.3, 0.7), 0.13, size)
        )
        series.append(np.histogram(values * top, bins=edges)[0])
    density = chance(rng, 0.3)
    factor = 1.0 / (series[0].sum() * (edges[1] - edges[0])) if density else 1.0
    high = float(max(counts.max() for counts in series)) * factor
    axes = Axes(
        sheet, region, style, linear(0, top, 5), linear(0, high * 1.1, 5),
        labels=(label, pick(rng, ("Probability density", "pdf")) if density else pick(rng, ("Count", "Frequency",
        "Number of cells"))),
        title=a_title(rng, style), legend=kinds, keys="square",
    )  # fmt: skip
    edge = pick(rng, (None, WHITE, style.ink))
    for place, counts in enumerate(series):
        colour = style.stroke(place)
        for count, left, right in zip(
            (counts * factor).tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True
        ):
            if count <= 0:
                continue
            (xa, ya), (xb, yb) = axes.points([left, right], [count, 0])
            if place == 1:
                sheet.veil([(xa, ya), (xb, ya), (xb, yb), (xa, yb)], colour, 0.6)
            else:
                sheet.rectangle(xa, ya, xb, yb, colour if edge != style.ink else style.colour(place), edge, 0.7)
    if chance(rng, 0.35):
        middle = (edges[:-1] + edges[1:]) / 2
        kernel = np.array([0.25, 0.5, 0.25])
        curve = np.convolve(np.convolve(series[0], kernel, "same"), kernel, "same") * factor
        axes.line(middle, curve, style.stroke(2) if not style.outline else BLACK, style.line)
    elif chance(rng, 0.3):
        mean = float((series[0] * (edges[:-1] + edges[1:]) / 2).sum() / series[0].sum())
        axes.line([mean, mean], [0, high * 1.08], style.ink, 1.0, 4.0)
    axes.finish()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("box_plot", Kind.PLOT, box_plot, (0.5, 1.8), paper=True),
    Drawer("violin", Kind.PLOT, violin, (0.6, 2.0), paper=True),
    Drawer("scatter", Kind.PLOT, scatter, (0.8, 1.6), paper=True),
    Drawer("volcano", Kind.PLOT, volcano, (0.8, 1.4), paper=True),
    Drawer("histogram", Kind.PLOT, histogram, (0.8, 2.0), paper=True),
    Drawer("pca", Kind.PLOT, pca, (0.8, 1.5), paper=True),
    Drawer("flow_cytometry", Kind.PLOT, flow_cytometry, (0.8, 2.4), paper=True),
    Drawer("radar", Kind.PLOT, radar, (0.8, 1.5), paper=True),
)
