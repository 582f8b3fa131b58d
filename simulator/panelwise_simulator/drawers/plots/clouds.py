"""Points in a plane: scatters, volcanoes, components and embeddings."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, Region
from panelwise_simulator.drawers.vector.plotting import a_title, plotted
from panelwise_simulator.drawers.vector.scales import linear, spread
from panelwise_simulator.drawers.vector.sheet import BLACK, WHITE, Colour, Sheet, mix
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.words import GENES, GROUPS, PAIRS
from panelwise_simulator.kinds import Generator


def scatter(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Points of two measures with a line of best fit, groups, sizes or density by colour."""
    return plotted(rng, width, height, style, _scatter, many=0.1)


def _scatter(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    across, right, up, top = pick(rng, PAIRS)
    many = chance(rng, 0.3)
    groups = pick(rng, GROUPS)[:4] if not many and chance(rng, 0.45) else ()
    count = int(rng.integers(600, 1800)) if many else int(rng.integers(14, 90))
    xs = np.clip(rng.normal(0.45, 0.2, count), 0.03, 0.97) if chance(rng, 0.5) else rng.uniform(0.04, 0.96, count)
    slope, noise = float(rng.choice([0.75, 0.6, -0.6, 0.3, 0.02])), float(rng.uniform(0.03, 0.18))
    ys = np.clip((0.14 if slope > 0 else 0.85) + slope * xs + rng.normal(0, noise, count), 0.01, 1.02)
    axes = Axes(
        sheet, region, style, linear(0, right, int(rng.integers(3, 7))), linear(0, top * 1.06,
        int(rng.integers(3, 7))),
        labels=(across, up), title=a_title(rng, style), legend=groups, keys="dot",
        free="lr" if slope > 0 else "ur",
    )  # fmt: skip
    points_x, points_y = np.asarray(axes.x(xs * right)), np.asarray(axes.y(ys * top))
    if many:
        colour = style.stroke(0) if chance(rng, 0.7) else (120, 120, 120)
        radius = float(rng.choice([0.7, 1.0, 1.4]))
        sheet.cloud(points_x, points_y, radius, colour)
        if chance(rng, 0.4):
            part = rng.random(count) < 0.15
            sheet.cloud(points_x[part], points_y[part], radius, style.stroke(1))
    else:
        radius = float(rng.uniform(1.8, 3.6)) * axes.size
        sizes = rng.gamma(2.0, 0.5, count) if chance(rng, 0.15) else np.ones(count)
        edge = pick(rng, (None, style.ink, WHITE))
        hollow = chance(rng, 0.2)
        of_group = rng.integers(0, max(1, len(groups)), count)
        for x, y, group, size in zip(
            points_x.tolist(), points_y.tolist(), of_group.tolist(), sizes.tolist(), strict=True
        ):
            colour = style.stroke(group)
            sheet.marker(
                x, y, radius * size, None if hollow else colour, colour if hollow else edge, style.mark(group)
            )
    if chance(rng, 0.65):
        fit, start = np.polyfit(xs, ys, 1).tolist()
        line = style.stroke(1) if chance(rng, 0.5) else style.ink
        ends = np.linspace(0.03, 0.97, 12)
        level = (start + fit * ends) * top
        if chance(rng, 0.4):
            band = (0.02 + 0.12 * (ends - 0.5) ** 2) * top
            axes.band(ends * right, level - band, level + band, (130, 130, 130), 0.35)
        axes.line(ends * right, level, line, dash=4.0 if chance(rng, 0.25) else 0.0)
        if min(region[2] - region[0], region[3] - region[1]) > 110:
            r = float(np.corrcoef(xs, ys)[0, 1])
            text = pick(
                rng,
                (
                    f"r = {r:.2f}",
                    f"R^2~ = {r * r:.3f}",
                    f"R = {r:.2f}, p < 0.001",
                    f"y = {fit:.2f}x + {start:.2f}",
                ),
            )
            x0, y0, x1, _ = axes.frame
            sheet.text(
                x0 + 6 if slope > 0 else x1 - 6,
                y0 + 5,
                text.replace("-", "−"),
                axes.ticks,
                style.ink,
                "lt" if slope > 0 else "rt",
            )
    elif chance(rng, 0.3):
        axes.line([0, right], [0, top], (90, 90, 90), 1.0, 3.0)
    axes.finish()


def volcano(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Fold change against significance, those beyond the thresholds coloured, some named."""
    return plotted(rng, width, height, style, _volcano, many=0.0)


def _volcano(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    side, top = float(rng.choice([4.0, 6.0, 10.0])), float(rng.choice([6.0, 12.0, 40.0]))
    count = int(rng.integers(900, 2200))
    fold = rng.standard_t(4, count) * side * 0.16
    strength = np.clip(
        np.abs(fold) / side * float(rng.uniform(0.7, 1.3)) * rng.gamma(3.0, 0.3, count) * top * 0.75
        + rng.gamma(1.0, 0.03 * top, count),
        0,
        top * 0.98,
    )
    keep = np.abs(fold) < side * 0.97
    fold, strength = fold[keep], strength[keep]
    cut, level = side * 0.17, top * 0.12
    legend = ("Up", "NS", "Down") if chance(rng, 0.4) else ()
    axes = Axes(
        sheet, region, style, linear(-side, side, 5), linear(0, top, 5),
        labels=(pick(rng, ("log_2~(fold change)", "log_2 FC", "Log2 fold change")), pick(rng,
        ("−log_10~(P value)", "−log_10~(FDR)", "-Log10 adj. P".replace("-", "−")))),
        title=a_title(rng, style), legend=(), keys="dot",
    )  # fmt: skip
    up, down = pick(
        rng,
        (
            ((214, 39, 40), (31, 119, 180)),
            ((230, 0, 0), (0, 150, 0)),
            ((178, 24, 43), (33, 102, 172)),
            (style.stroke(0), style.stroke(1)),
        ),
    )
    grey: Colour = pick(rng, ((160, 160, 160), (190, 190, 190), (60, 60, 60)))
    radius = float(rng.choice([0.8, 1.1, 1.5]))
    xs, ys = np.asarray(axes.x(fold)), np.asarray(axes.y(strength))
    high = (fold > cut) & (strength > level)
    low = (fold < -cut) & (strength > level)
    rest = ~(high | low)
    order = np.argsort(~rest, kind="stable")
    shades = np.where(high[:, None], up, np.where(low[:, None], down, grey))
    sheet.cloud(xs[order], ys[order], radius, shades[order])
    if chance(rng, 0.75):
        axes.line([-side, side], [level, level], (90, 90, 90), 0.8, 3.0)
        for value in (-cut, cut):
            axes.line([value, value], [0, top], (90, 90, 90), 0.8, 3.0)
    if min(region[2] - region[0], region[3] - region[1]) > 150:
        if chance(rng, 0.6):
            chosen = np.argsort(-strength * (high | low))[: int(rng.integers(3, 10))]
            for at in chosen.tolist():
                right = fold[at] < side * 0.6
                sheet.text(float(xs[at]) + (3 if right else -3), float(ys[at]), pick(rng, GENES),
                axes.ticks.scaled(0.82), style.ink,
                           "lm" if right else "rm")  # fmt: skip
        if legend:
            x0, y0, x1, _ = axes.frame
            sheet.text(x1 - 4, y0 + 4, f"Up: {int(high.sum())}", axes.ticks, up, "rt")
            sheet.text(x0 + 4, y0 + 4, f"Down: {int(low.sum())}", axes.ticks, down, "lt")
    axes.finish()


def pca(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Clusters in two components, with ellipses at times, or an embedding of thousands of cells."""
    return plotted(rng, width, height, style, _embedding if chance(rng, 0.4) else _pca, many=0.0)


def _pca(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, [group for group in GROUPS if 2 <= len(group) <= 5])
    first, second = float(rng.uniform(28, 70)), float(rng.uniform(6, 27))
    middles = rng.normal(0, 12, (len(groups), 2))
    widths = rng.uniform(2, 7, (len(groups), 2))
    clusters = [
        rng.normal(middle, width, (int(rng.integers(4, 24)), 2))
        for middle, width in zip(middles, widths, strict=True)
    ]
    every = np.concatenate(clusters)
    axes = Axes(
        sheet, region, style, spread(every[:, 0], margin=0.16), spread(every[:, 1], margin=0.16),
        labels=pick(rng, ((f"PC1 ({first:.1f}%)", f"PC2 ({second:.1f}%)"), (f"PC1: {first:.0f}% variance",
        f"PC2: {second:.0f}% variance"),
                          ("NMDS1", "NMDS2"), ("Axis 1", "Axis 2"), ("PCoA1", "PCoA2"))),
        title=a_title(rng, style), legend=groups, keys="dot", free=pick(rng, ("ur", "ul", "lr")),
    )  # fmt: skip
    if chance(rng, 0.4):
        axes.line([axes.across.low, axes.across.high], [0, 0], (140, 140, 140), 0.8, 3.0)
        axes.line([0, 0], [axes.up.low, axes.up.high], (140, 140, 140), 0.8, 3.0)
    ellipses = chance(rng, 0.5)
    turns = np.linspace(0, 2 * math.pi, 48)
    for place, cluster in enumerate(clusters):
        colour = style.stroke(place)
        if ellipses:
            middle, spread_of = cluster.mean(axis=0), cluster.std(axis=0) * 2.1
            outline = axes.points(
                middle[0] + np.cos(turns) * spread_of[0], middle[1] + np.sin(turns) * spread_of[1]
            )
            sheet.veil(outline, colour, 0.15)
            sheet.line(outline, colour, 1.0)
        for x, y in axes.points(cluster[:, 0], cluster[:, 1]):
            sheet.marker(x, y, 2.8 * axes.size, colour, style.ink if style.outline else None, style.mark(place))
    if axes.place == "none" and min(region[2] - region[0], region[3] - region[1]) > 120:
        for place, cluster in enumerate(clusters):
            x, y = axes.points([cluster[:, 0].mean()], [cluster[:, 1].max()])[0]
            sheet.text(x, y - 4, groups[place], axes.ticks, style.stroke(place), "mb")
    axes.finish()


def _embedding(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    count = int(rng.integers(6, 15))
    kind = pick(rng, ("UMAP", "t-SNE", "tSNE_"))
    types = (
        "T cells",
        "B cells",
        "NK",
        "Mono",
        "DC",
        "Fibro",
        "Endo",
        "Epi",
        "Mast",
        "Plasma",
        "Neutro",
        "Macro",
        "Peri",
        "Schwann",
    )
    axes = Axes(
        sheet, region, style, linear(-12, 12, 4), linear(-12, 12, 4), labels=(f"{kind}1", f"{kind}2"),
        title=a_title(rng, style),
    )  # fmt: skip
    colours = [
        mix(pick(rng, style.palette), float(rng.uniform(0.6, 1.0)), BLACK if chance(rng, 0.5) else (250, 190, 120))
        for _ in range(count)
    ]
    named = chance(rng, 0.6) and min(region[2] - region[0], region[3] - region[1]) > 150
    turns = rng.permutation(count)
    middles, cells = [], []
    for place in range(count):
        angle, away = turns[place] / count * 2 * math.pi, float(rng.uniform(3.0, 9.0))
        middle = np.array([math.cos(angle) * away, math.sin(angle) * away])
        size = int(rng.integers(80, 420))
        tilt = rng.normal(0, 0.7, (2, 2)) + np.eye(2) * 0.6
        dots = np.clip(middle + rng.normal(0, 1, (size, 2)) @ tilt, -11.6, 11.6)
        cells.append(dots)
        middles.append(middle)
    every = np.concatenate(cells)
    shades = np.repeat(np.asarray(colours, np.uint8), [len(dots) for dots in cells], axis=0)
    sheet.cloud(np.asarray(axes.x(every[:, 0])), np.asarray(axes.y(every[:, 1])), 0.8, shades)
    for place, middle in enumerate(middles):
        if named:
            sheet.text(float(axes.x(middle[0])), float(axes.y(middle[1])),
            types[place % len(types)] if chance(rng, 0.95) else str(place),
                       axes.ticks, BLACK)  # fmt: skip
    axes.finish()
