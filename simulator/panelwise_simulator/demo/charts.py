"""The charts of the demo's figures: what their captions say, in one look, with numbers by chance."""

from __future__ import annotations

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, begin, text_scale
from panelwise_simulator.drawers.vector.colours import DIVERGING, colour_map
from panelwise_simulator.drawers.vector.scales import linear, names
from panelwise_simulator.drawers.vector.sheet import BLACK, Sheet, mix
from panelwise_simulator.drawers.vector.styles import Style
from panelwise_simulator.drawers.vector.texts import Face
from panelwise_simulator.kinds import Generator

#: Colour-blind safe (Okabe and Ito).
STYLE = Style(
    "journal",
    ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233)),
    text=11.0,
    line=1.8,
    outline=True,
)


def time_course(rng: Generator, width: int, height: int) -> Image.Image:
    """Growth of the wild type, a mutant and its rescue over 24 h, with error bars."""
    sheet, style, region = begin(rng, width, height, STYLE)
    axes = Axes(
        sheet, region, style, linear(0, 25, 6), linear(0, 1.35, 5), labels=("Time (h)", "OD600"),
        legend=("wild type", "mutant", "rescue"), keys="mark", free="ul",
    )  # fmt: skip
    hours = np.arange(0, 25, 3.0)
    for place, (top, middle) in enumerate(((1.1, 8), (0.45, 14), (0.86, 11))):
        values = top / (1 + np.exp(-(hours - middle - rng.normal(0, 0.4)) / 2.6)) + 0.03
        errors = 0.025 + 0.05 * rng.random(len(hours))
        for hour, value, error in zip(hours, values, errors, strict=True):
            axes.whisker(float(hour), float(value - error), float(value + error))
        axes.line(hours, values, style.colour(place))
        for x, y in axes.points(hours, values):
            sheet.marker(x, y, 2.8, style.colour(place))
    axes.finish()
    return sheet.done()


def bars(rng: Generator, width: int, height: int) -> Image.Image:
    """A reporter's expression in four dose groups, with error bars, single values and a bracket."""
    sheet, style, region = begin(rng, width, height, STYLE)
    axes = Axes(
        sheet, region, style, names(("Ctrl", "Low", "Mid", "High")), linear(0, 4, 5),
        labels=("Dose group", "Relative expression"),
    )  # fmt: skip
    for place, mean in enumerate((1.0, 1.45, 2.2, 2.9)):
        mean += float(rng.normal(0, 0.07))
        axes.bar(place, mean, 0.6, 0)
        error = 0.14 + 0.12 * float(rng.random())
        axes.whisker(place, mean - error, mean + error)
        for shift in rng.uniform(-0.2, 0.2, 5):
            (point,) = axes.points([place + float(shift)], [mean + float(rng.normal(0, error))])
            sheet.marker(*point, 1.7, BLACK)
    axes.bracket(0, 3, float(axes.y(3.7)), "***")
    axes.finish()
    return sheet.done()


def box_plot(rng: Generator, width: int, height: int) -> Image.Image:
    """A score in four stages: boxes with whiskers."""
    sheet, style, region = begin(rng, width, height, STYLE)
    axes = Axes(
        sheet, region, style, names(("I", "II", "III", "IV")), linear(0, 100, 5), labels=("Stage", "Score (%)")
    )
    for place, middle in enumerate((28, 41, 55, 70)):
        scores = np.clip(np.sort(rng.normal(middle, 10, 40))[[1, 10, 20, 30, 38]], 3, 97)
        low, first, median, third, high = (float(score) for score in scores)
        axes.whisker(place, low, high, cap=6.0)
        (left, top), (right, bottom) = axes.points([place - 0.28, place + 0.28], [third, first])
        sheet.rectangle(left, top, right, bottom, mix(style.colour(place), 0.55), style.ink, 1.3)
        axes.line([place - 0.28, place + 0.28], [median, median], style.ink, 2.2)
    axes.finish()
    return sheet.done()


def scatter(rng: Generator, width: int, height: int) -> Image.Image:
    """A serum marker against the volume of a tumour, with the line of best fit."""
    sheet, style, region = begin(rng, width, height, STYLE)
    axes = Axes(
        sheet, region, style, linear(0, 10, 6), linear(0, 60, 4),
        labels=("Tumour volume (cm3)", "Serum marker (ng/ml)"),
    )  # fmt: skip
    xs = rng.uniform(0.6, 9.6, 46)
    ys = np.clip(7 + 4.3 * xs + rng.normal(0, 5.2, 46), 1, 58)
    for x, y in axes.points(xs, ys):
        sheet.marker(x, y, 3.0, style.colour(5), style.colour(0))
    slope, start = np.polyfit(xs, ys, 1)
    axes.line([0.4, 9.8], [start + slope * 0.4, start + slope * 9.8], style.colour(1))
    ((x, y),) = axes.points([0.4], [55.0])
    sheet.text(x, y, f"r = {np.corrcoef(xs, ys)[0, 1]:.2f}", axes.big, style.ink, "lm")
    axes.finish()
    return sheet.done()


def survival(rng: Generator, width: int, height: int) -> Image.Image:
    """Survival of treated and of untreated animals."""
    sheet, style, region = begin(rng, width, height, STYLE)
    axes = Axes(
        sheet, region, style, linear(0, 60, 6), linear(0, 1.06, 5), labels=("Months", "Survival"),
        legend=("treated", "untreated"), free="ur",
    )  # fmt: skip
    for place, pace in enumerate((0.009, 0.026)):
        months = np.concatenate(([0.0], np.sort(rng.uniform(1, 58, 22)), [60.0]))
        shares = np.minimum.accumulate(np.clip(np.exp(-pace * months) + rng.normal(0, 0.004, 24), 0.05, 1.0))
        shares[0] = 1.0
        axes.steps(months, shares, style.colour(place), 2.2)
    axes.finish()
    return sheet.done()


def histogram(rng: Generator, width: int, height: int) -> Image.Image:
    """Diameters of 900 vesicles; a line marks the mean."""
    sheet, style, region = begin(rng, width, height, STYLE)
    values = rng.gamma(4.2, 9, 900)
    counts, edges = np.histogram(values, bins=24, range=(0, 100))
    axes = Axes(
        sheet, region, style, linear(0, 100, 6), linear(0, float(counts.max()) * 1.15, 4),
        labels=("Vesicle diameter (nm)", "Count"),
    )  # fmt: skip
    step = float(edges[1] - edges[0])
    for count, left in zip(counts.tolist(), edges.tolist(), strict=False):
        if count:
            axes.bar(left + step / 2, count, step, 2)
    axes.line([float(values.mean())] * 2, [0, float(counts.max()) * 1.1], style.ink)
    axes.finish()
    return sheet.done()


def heat_map(rng: Generator, width: int, height: int) -> Image.Image:
    """z-scores of 14 genes in ten samples, blue to red, with the colour bar."""
    sheet, style, region = begin(rng, width, height, STYLE)
    x0, y0, x1, y1 = region
    face = style.tick_face(text_scale(region) * 0.92)
    rows, columns = 14, 10
    field = rng.normal(0, 0.55, (rows, columns))
    field[:7, :5] += 1.1
    field[7:, 5:] += 0.9
    field[:7, 5:] -= 0.9
    field[7:, :5] -= 1.0
    left, right, low = x0 + 48, x1 - 38, y1 - 16
    sheet.picture(colour_map(DIVERGING[0], 0.5 + field / 4), left, y0, right, low)
    for row in range(rows):
        sheet.text(left - 4, y0 + (row + 0.5) * (low - y0) / rows, f"gene {row + 1:02d}", face, style.ink, "rm")
    for column in range(columns):
        at = left + (column + 0.5) * (right - left) / columns
        sheet.text(at, low + 3, f"S{column + 1}", face, style.ink, "mt")
    _colour_bar(sheet, right + 9, y0, low, face)
    return sheet.done()


def _colour_bar(sheet: Sheet, left: float, top: float, low: float, face: Face) -> None:
    shares = np.linspace(1, 0, 60)[:, None]
    sheet.picture(colour_map(DIVERGING[0], shares), left, top, left + 10, low)
    for share, text, anchor in ((0.0, "2", "lt"), (0.5, "0", "lm"), (1.0, "−2", "lb")):
        sheet.text(left + 14, top + (low - top) * share, text, face, BLACK, anchor)


def flow_chart(rng: Generator, width: int, height: int) -> Image.Image:
    """A trial's flow of participants: one picture, although it consists of many boxes."""
    sheet, style, region = begin(rng, width, height, STYLE)
    face = style.tick_face(text_scale(region) * 1.05)
    screened, out = int(rng.integers(380, 460)), int(rng.integers(60, 90))
    lost = (int(rng.integers(6, 14)), int(rng.integers(6, 14)))
    arm = (screened - out) // 2
    people = (arm, screened - out - arm)
    ys = [height * share for share in (0.09, 0.32, 0.53, 0.72, 0.91)]
    middle, half, fork = width * 0.5, (ys[0] + ys[1]) / 2, (ys[1] + ys[2]) / 2

    def box(x: float, y: float, wide: float, text: str, tone: int) -> None:
        ground = mix(style.colour(tone), 0.13)
        sheet.rectangle(x - wide / 2, y - 29, x + wide / 2, y + 29, ground, style.ink, 1.2, 7.0)
        sheet.text(x, y, text, face, style.ink)

    sheet.arrow((middle, ys[0] + 29), (middle, ys[1] - 29), style.ink, 1.4)
    sheet.arrow((middle, half), (width * 0.655, half), style.ink, 1.4)
    sheet.line([(middle, ys[1] + 29), (middle, fork)], style.ink, 1.4)
    sheet.line([(width * 0.27, fork), (width * 0.73, fork)], style.ink, 1.4)
    box(middle, ys[0], 300, f"Assessed for eligibility\n(n = {screened})", 0)
    box(width * 0.8, half, width * 0.29, f"Excluded (n = {out})\ncriteria not met", 1)
    box(middle, ys[1], 240, f"Randomised (n = {screened - out})", 0)
    for side, name in enumerate(("intervention", "usual care")):
        x = width * (0.27, 0.73)[side]
        sheet.arrow((x, fork), (x, ys[2] - 29), style.ink, 1.4)
        for place in (2, 3):
            sheet.arrow((x, ys[place] + 29), (x, ys[place + 1] - 29), style.ink, 1.4)
        box(x, ys[2], width * 0.38, f"Allocated to {name}\n(n = {people[side]})", 2)
        box(x, ys[3], width * 0.38, f"Lost to follow-up\n(n = {lost[side]})", 1)
        box(x, ys[4], width * 0.38, f"Analysed\n(n = {people[side] - lost[side]})", 2)
    return sheet.done()
