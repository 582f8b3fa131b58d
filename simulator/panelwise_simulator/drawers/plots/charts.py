"""Bars, pies, sets and forest plots."""

from __future__ import annotations

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.plots.shares import forest_plot, pie, venn
from panelwise_simulator.drawers.vector.axes import Axes, Region
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.plotting import a_title, plotted
from panelwise_simulator.drawers.vector.scales import linear, names
from panelwise_simulator.drawers.vector.sheet import WHITE, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.words import GENES, GROUPS, MEASURES, SERIES, SPECIES
from panelwise_simulator.kinds import Drawer, Generator, Kind

STARS = ("*", "**", "***", "****", "ns", "*", "**", "P = 0.03", "p < 0.001", "P<0.05", "#", "0.012")


def bars(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Bars of some groups, with error bars, single values, stars and brackets as it comes; at times lying."""
    return plotted(rng, width, height, style, _bars, many=0.12)


def _bars(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, GROUPS)
    measure_name, top = pick(rng, MEASURES)
    wide = region[2] - region[0]
    if chance(rng, 0.12) and wide > 220:
        pool = SPECIES if chance(rng, 0.5) else GENES
        groups = tuple(pool[: int(rng.integers(7, 15))])
    count = len(groups)
    values = rng.uniform(0.25, 1.0, count) * 0.72 * top
    if count > 6:
        values = np.sort(values * rng.uniform(0.2, 1.0, count))[::-1]
    elif chance(rng, 0.4):
        values = np.sort(values)[:: -1 if chance(rng, 0.4) else 1]
    errors = values * rng.uniform(0.04, 0.22, count)
    brackets = count <= 6 and chance(rng, 0.55)
    high = float((values + errors).max()) * (1.35 if brackets else 1.08)
    each = count <= 6 and chance(rng, 0.55)
    title = a_title(rng, style)
    if chance(rng, 0.12) and count > 2:
        _lying(rng, sheet, region, style, groups[::-1], values, errors, measure_name, title)
        return
    axes = Axes(
        sheet, region, style, names(groups, room=float(rng.uniform(0.55, 0.75))),
        linear(0, high, int(rng.integers(3, 7)), whole=chance(rng, 0.6)),
        labels=("" if chance(rng, 0.75) else pick(rng, ("Group", "Treatment", "Dose", "Condition")), measure_name),
        title=title,
    )  # fmt: skip
    thick = float(rng.uniform(0.5, 0.82))
    many_colours = each or chance(rng, 0.6)
    for place in range(count):
        axes.bar(place, float(values[place]), thick, place if many_colours else 0)
        if chance(rng, 0.97):
            low = values[place] - (errors[place] if each or not style.outline or chance(rng, 0.5) else 0)
            axes.whisker(place, float(low), float(values[place] + errors[place]))
        if each:
            dots = rng.normal(values[place], errors[place], int(rng.integers(3, 9)))
            for value, shift in zip(dots.tolist(), rng.uniform(-0.3, 0.3, len(dots)).tolist(), strict=True):
                x, y = axes.points([place + shift * thick], [value])[0]
                sheet.marker(x, y, 1.9 * axes.size, WHITE if chance(rng, 0.3) else style.ink, style.ink)
    if brackets:
        _brackets(rng, axes, values + errors)
    elif count <= 8 and chance(rng, 0.35):
        for place in range(1, count):
            if chance(rng, 0.6):
                y = float(axes.y(values[place] + errors[place])) - 1
                sheet.text(float(axes.x(place)), y + axes.ticks.size * 0.2, pick(rng, ("*", "**", "***", "a",
                "b")),
                           axes.ticks, style.ink, "mb")  # fmt: skip
    axes.finish()


def _brackets(rng: Generator, axes: Axes, tops: Array) -> None:
    """Brackets from the first group, or between neighbours, one above the other."""
    count = len(tops)
    pairs = (
        [(0, place) for place in range(1, count)] if chance(rng, 0.6) else [(k, k + 1) for k in range(count - 1)]
    )
    row = float(axes.y(tops.max())) - 5
    for left, right in pairs[:3]:
        if row < axes.frame[1] + 4 or chance(rng, 0.15):
            continue
        axes.bracket(left, right, row, pick(rng, STARS), float(rng.choice([0.0, 3.0, 4.0])))
        row -= axes.ticks.size * 1.15


def _lying(
    rng: Generator,
    sheet: Sheet,
    region: Region,
    style: Style,
    groups: tuple[str, ...],
    values: Array,
    errors: Array,
    label: str,
    title: str,
) -> None:
    axes = Axes(
        sheet, region, style, linear(0, float((values + errors).max()) * 1.08, 4), names(groups),
        labels=(label, ""), title=title,
    )  # fmt: skip
    place_of = int(rng.integers(3))
    bare = chance(rng, 0.5)
    for place in range(len(groups)):
        axes.bar(place, float(values[place]), 0.7, place_of if len(groups) > 5 else place, level=True)
        if not bare:
            axes.whisker(place, float(values[place]), float(values[place] + errors[place]), level=True)
    axes.finish()


def grouped_bars(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Two to four series of bars side by side in each group, with a legend."""
    return plotted(rng, width, height, style, _grouped, many=0.06)


def _grouped(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, [group for group in GROUPS if len(group) > 2])
    if chance(rng, 0.35):
        start = int(rng.integers(len(GENES) - 6))
        groups = GENES[start : start + int(rng.integers(3, 7))]
    series = pick(rng, SERIES)[:4]
    label, top = pick(rng, MEASURES)
    values = rng.uniform(0.12, 0.8, (len(groups), len(series))) * top
    errors = values * rng.uniform(0.04, 0.18, values.shape)
    axes = Axes(
        sheet, region, style, names(groups), linear(0, float((values + errors).max()) * 1.22, 5),
        labels=("", label), title=a_title(rng, style), legend=series, keys="square", free=pick(rng, ("ur", "ul")),
    )  # fmt: skip
    slot = float(rng.uniform(0.7, 0.86)) / len(series)
    gap = pick(rng, (1.0, 1.0, 0.9))
    with_errors = chance(rng, 0.85)
    for group in range(len(groups)):
        for one in range(len(series)):
            at = group + (one - (len(series) - 1) / 2) * slot
            value, error = float(values[group, one]), float(errors[group, one])
            axes.bar(at, value, slot * gap, one)
            if with_errors:
                axes.whisker(at, value, value + error, cap=min(style.cap, 3.0))
            if chance(rng, 0.18):
                sheet.text(float(axes.x(at)), float(axes.y(value + error)) + axes.ticks.size * 0.2,
                           pick(rng, ("*", "**", "***")), axes.ticks, style.ink, "mb")  # fmt: skip
    axes.finish()


def stacked_bars(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Bars cut in parts, as counts or as shares of a hundred."""
    return plotted(rng, width, height, style, _stacked, many=0.05)


def _stacked(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, [group for group in GROUPS if len(group) > 1])
    if chance(rng, 0.25):
        groups = tuple(f"S{place}" for place in range(1, int(rng.integers(7, 16))))
    kinds = pick(rng, (
        ("Firmicutes", "Bacteroidetes", "Proteobacteria", "Actinobacteria", "Other"), ("G0/G1", "S", "G2/M"),
        ("Grade 1", "Grade 2", "Grade 3"), ("Yes", "No", "Unknown"), ("CR", "PR", "SD", "PD"),
        ("SOL", "SHO", "SCH", "DK"), ("Exon", "Intron", "Intergenic", "UTR"), ("M1", "M2"),
    ))  # fmt: skip
    parts_of = rng.gamma(2.0, 1.0, (len(groups), len(kinds)))
    shares = chance(rng, 0.7)
    if shares:
        parts_of = parts_of / parts_of.sum(axis=1, keepdims=True) * 100
    top = 100.0 if shares else float(parts_of.sum(axis=1).max()) * 1.1
    axes = Axes(
        sheet, region, style, names(groups),
        linear(0, top, int(rng.integers(4, 6)), unit="%" if shares and chance(rng, 0.3) else ""),
        labels=("", pick(rng, ("Relative abundance (%)", "% of cells", "Proportion (%)",
        "Frequency (%)")) if shares
                else pick(rng, ("Number of samples", "Count", "Cases (n)"))),
        title=a_title(rng, style), legend=kinds, keys="square",
    )  # fmt: skip
    if axes.place == "inside":
        axes.place = "none"
    thick = float(rng.uniform(0.5, 0.85))
    for group in range(len(groups)):
        base = 0.0
        for one in range(len(kinds)):
            axes.bar(group, base + float(parts_of[group, one]), thick, one, base)
            base += float(parts_of[group, one])
    axes.finish()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("bars", Kind.PLOT, bars, (0.5, 1.8), paper=True),
    Drawer("grouped_bars", Kind.PLOT, grouped_bars, (0.8, 2.4), paper=True),
    Drawer("stacked_bars", Kind.PLOT, stacked_bars, (0.6, 2.0), paper=True),
    Drawer("pie", Kind.PLOT, pie, (0.8, 1.8), paper=True),
    Drawer("venn", Kind.PLOT, venn, (0.9, 1.6), paper=True),
    Drawer("forest_plot", Kind.PLOT, forest_plot, (0.8, 2.2), paper=True),
)
