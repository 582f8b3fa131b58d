"""Lines over time, dose or wavelength: courses, spectra, traces, survival."""

from __future__ import annotations

import math

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.plots.signals import chromatogram, spectrum, trace
from panelwise_simulator.drawers.vector.axes import Axes, Region
from panelwise_simulator.drawers.vector.glyphs import Array
from panelwise_simulator.drawers.vector.plotting import a_title, inset, inset_size, plotted, smooth
from panelwise_simulator.drawers.vector.scales import decades, linear
from panelwise_simulator.drawers.vector.sheet import Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.drawers.vector.words import MEASURES, SERIES, TIMES
from panelwise_simulator.kinds import Drawer, Generator, Kind


def time_course(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """A few measured points per series over time, with markers and error bars."""
    return plotted(rng, width, height, style, _time_course, many=0.1)


def _time_course(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    series = pick(rng, SERIES)
    label, top = pick(rng, MEASURES)
    time, last = pick(rng, TIMES)
    count = int(rng.integers(5, 13))
    xs = np.linspace(0, last, count)
    shape = pick(rng, ("growth", "decay", "flat", "linear", "hump"))
    lines = []
    for _ in series:
        end = float(rng.uniform(0.35, 1.0))
        share = xs / last
        middle = float(rng.uniform(0.25, 0.6))
        line = {
            "growth": end / (1 + np.exp(-(share - middle) * 11)) + 0.04,
            "decay": 0.1 + 0.85 * np.exp(-share * float(rng.uniform(0.5, 5))),
            "flat": np.full(count, end),
            "linear": 0.08 + share * end,
            "hump": 0.08 + end * np.exp(-(((share - middle) / 0.22) ** 2)),
        }[shape]
        lines.append((line + rng.normal(0, 0.018, count)) * top)
    values = np.asarray(lines)
    errors = np.abs(values) * rng.uniform(0.03, 0.11) + 0.01 * top * rng.random(values.shape)
    axes = Axes(
        sheet, region, style, linear(0 if chance(rng, 0.5) else -0.04 * last, last * 1.04, int(rng.integers(4,
        7))),
        linear(0 if shape != "flat" else float(values.min()) * 0.7, float((values + errors).max()) * 1.12,
        int(rng.integers(3, 7))),
        labels=(time, label), title=a_title(rng, style), legend=series, keys="mark",
        free={"growth": "ul", "decay": "ur", "flat": "lr", "linear": "ul", "hump": "ur"}[shape],
    )  # fmt: skip
    how = pick(rng, ("bars", "bars", "bars", "band", "none"))
    r = (2.4 if style.name != "journal" else 2.0) * axes.size
    for place in range(len(series)):
        line, error, colour = values[place], errors[place], style.stroke(place)
        if how == "band":
            axes.band(xs, line - error, line + error, colour, 0.22)
        elif how == "bars":
            for x, low, high in zip(xs.tolist(), (line - error).tolist(), (line + error).tolist(), strict=True):
                axes.whisker(x, low, high, colour if style.name != "prism" else None, min(style.cap, 3.0))
        axes.line(xs, line, colour, dash=axes.dash(place))
        for x, y in axes.points(xs, line) if how != "band" else ():
            sheet.marker(x, y, r, style.colour(place), colour, style.mark(place))
        if chance(rng, 0.2) and how == "bars" and place:
            at = int(rng.integers(count // 2, count))
            sheet.text(float(axes.x(xs[at])), float(axes.y(line[at] + error[at])) - 1, pick(rng, ("*", "**",
            "***")),
                       axes.ticks, style.ink, "mb")  # fmt: skip
    axes.finish()


def line_chart(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Lines with many points and no markers, as of training runs, models or yearly counts."""
    return plotted(rng, width, height, style, _line_chart, many=0.12)


def _line_chart(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    series = pick(rng, SERIES)
    time, last = pick(rng, TIMES)
    label, top = pick(rng, MEASURES)
    count = int(rng.integers(30, 160))
    xs = np.linspace(0, last, count)
    rough = float(rng.choice([0.0, 0.01, 0.04]))
    kind = pick(rng, ("learning", "loss", "drift", "wave", "cut"))
    lines = []
    for place in range(len(series)):
        share = np.linspace(0, 1, count)
        pace = float(rng.uniform(3, 12))
        line = {
            "learning": float(rng.uniform(0.6, 0.95)) * (1 - np.exp(-share * pace)),
            "loss": float(rng.uniform(0.1, 0.35)) + 0.65 * np.exp(-share * pace),
            "drift": 0.5 + 0.12 * smooth(rng, count, 6) + 0.06 * place,
            "wave": 0.5 + 0.3 * np.sin(share * pace + place) * np.exp(-share),
            "cut": 1 / (1 + np.exp((share - float(rng.uniform(0.3, 0.7))) * 18)),
        }[kind]
        lines.append((line + rng.normal(0, rough, count)) * top)
    values = np.asarray(lines)
    low, high = float(values.min()), float(values.max())
    axes = Axes(
        sheet, region, style, linear(0, last, int(rng.integers(3, 7))),
        linear(min(0.0, low) if kind != "drift" else low, high + 0.1 * (high - low), int(rng.integers(3, 7))),
        labels=(time, label), title=a_title(rng, style), legend=series, keys="line",
        free={"learning": "lr", "loss": "ur", "drift": "ul", "wave": "ur", "cut": "ur"}[kind],
    )  # fmt: skip
    for place, line in enumerate(values):
        if rough and chance(rng, 0.4):
            spread = (0.05 + 0.05 * rng.random()) * top
            axes.band(xs, line - spread, line + spread, style.stroke(place), 0.2)
        axes.line(xs, line, style.stroke(place), dash=axes.dash(place))
    if chance(rng, 0.2):
        axes.line([0, last], [float(values.mean())] * 2, (120, 120, 120), 0.9, 4.0)
    spot = inset(axes) if axes.place != "inside" and chance(rng, 0.3) else None
    if spot is not None:
        part = max(6, count // 5)
        small = Axes(
            sheet, spot, style, linear(0, float(xs[part]), 2), linear(low, high, 2), size=inset_size(spot)
        )
        for place, line in enumerate(values[:, : part + 1]):
            small.line(xs[: part + 1], line, style.stroke(place), 1.0)
        small.place = "none"
        small.finish()
    axes.finish()


def dose_response(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Sigmoid curves over the logarithm of a dose."""
    return plotted(rng, width, height, style, _dose_response, many=0.1)


def _dose_response(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    series = pick(rng, SERIES)[:3]
    if chance(rng, 0.3):
        series = pick(
            rng,
            (("Cisplatin", "Doxorubicin"), ("Compound 1", "Compound 2", "Compound 3"), ("HeLa", "A549", "MCF-7")),
        )
    first, last = int(rng.integers(-3, 0)), int(rng.integers(2, 5))
    logs = chance(rng, 0.5)
    label = pick(
        rng, ("Cell viability (%)", "Response (%)", "% inhibition", "Normalised activity (%)", "Survival (%)")
    )
    rising = label.startswith(("Resp", "% inh"))
    across = linear(first - 9, last - 9, 5) if logs else decades(first, last)
    unit = pick(rng, ("Concentration (µM)", "Dose (nM)", "Drug (µg/ml)"))
    axes = Axes(
        sheet, region, style, across, linear(0, 122, pick(rng, (3, 5, 6))),
        labels=("log [agonist] (M)" if logs else unit, label), title=a_title(rng, style), legend=series,
        keys="mark",
        free="ul" if rising else "ll" if chance(rng, 0.5) else "ur",
    )  # fmt: skip
    doses = np.linspace(first + 0.3, last - 0.2, int(rng.integers(6, 10)))
    fine = np.linspace(first + 0.1, last - 0.05, 60)

    def place_of(powers: Array) -> Array:
        return powers - 9 if logs else 10.0**powers

    for place in range(len(series)):
        middle, slope = float(rng.uniform(first + 0.8, last - 0.8)), float(rng.uniform(0.8, 2.2))
        floor = float(rng.uniform(0, 30))
        sign = 1.0 if rising else -1.0

        def curve(
            powers: Array, middle: float = middle, slope: float = slope * sign, floor: float = floor
        ) -> Array:
            return np.asarray(floor + (100 - floor) / (1 + 10 ** ((middle - powers) * slope)))

        colour = style.stroke(place)
        axes.line(place_of(fine), curve(fine), colour, dash=axes.dash(place))
        values = curve(doses) + rng.normal(0, 3, len(doses))
        for dose, value, error in zip(
            place_of(doses).tolist(), values.tolist(), rng.uniform(2, 9, len(doses)).tolist(), strict=True
        ):
            axes.whisker(dose, value - error, value + error, colour, min(style.cap, 3.0))
            x, y = axes.points([dose], [value])[0]
            sheet.marker(x, y, 2.4 * axes.size, style.colour(place), colour, style.mark(place))
    axes.finish()


def survival(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Stepped survival curves with censoring marks and a P value."""
    return plotted(rng, width, height, style, _survival, many=0.06)


def _survival(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    groups = pick(rng, (
        ("High", "Low"), ("Treated", "Untreated"), ("Low PPIX2", "High PPIX2"), ("Placebo", "Drug"), ("WT", "KO"),
        ("Stage I", "Stage II", "Stage III"), ("Low risk", "Medium risk", "High risk"), ("PBS", "IgG",
        "Anti-PD1", "Combo"),
    ))  # fmt: skip
    time, last = pick(rng, (("Months", 60.0), ("Time (days)", 50.0), ("Overall survival (years)", 10.0),
    ("Follow-up (months)", 120.0),
                            ("Days post infection", 14.0), ("Time (months)", 36.0)))  # fmt: skip
    percent = chance(rng, 0.6)
    top = 100.0 if percent else 1.0
    label = pick(rng, ("Percent survival", "Survival (%)", "Overall survival (%)")) if percent else pick(
        rng, ("Survival probability", "Cumulative survival", "Progression-free survival"))  # fmt: skip
    if chance(rng, 0.5):
        groups = tuple(f"{name} (n={int(rng.integers(8, 160))})" for name in groups)
    axes = Axes(
        sheet, region, style, linear(0, last * 1.02, int(rng.integers(4, 7))), linear(0, top * 1.05, pick(rng,
        (2, 4, 5))),
        labels=(time, label), title=a_title(rng, style), legend=groups, keys="line", free=pick(rng, ("ur", "ll")),
    )  # fmt: skip
    for place in range(len(groups)):
        events = np.sort(rng.uniform(0.02, 1, int(rng.integers(5, 34)))) * last
        end = float(rng.uniform(0.05, 0.9))
        values = top * (end + (1 - end) * (1 - np.arange(1, len(events) + 1) / len(events)))
        xs, ys = np.concatenate(([0.0], events, [last])), np.concatenate(([top], values, values[-1:]))
        colour = style.stroke(place)
        axes.steps(xs, ys, colour, dash=axes.dash(place))
        if chance(rng, 0.6):
            for at in np.sort(rng.uniform(0.2, 1, 8)) * last:
                level = float(ys[np.searchsorted(xs, at, side="right") - 1])
                x, y = axes.points([at], [level])[0]
                sheet.line([(x, y - 3), (x, y + 3)], colour, 1.0)
    if min(region[2] - region[0], region[3] - region[1]) > 110 and chance(rng, 0.7):
        text = pick(rng, ("P = 0.021", "p < 0.0001", "Log-rank P=0.003", "HR = 0.54\nP = 0.01", "P=0.046"))
        x0, _, x1, y1 = axes.frame
        if axes.free == "ll" or axes.place != "inside":
            sheet.text(x1 - 4, axes.frame[1] + axes.ticks.size, text, axes.ticks, style.ink, "rm")
        else:
            sheet.text(x0 + 6, y1 - axes.ticks.size, text, axes.ticks, style.ink, "lm")
    axes.finish()


def roc_curve(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """True against false positives, or precision against recall, with areas in the legend."""
    return plotted(rng, width, height, style, _roc_curve, many=0.06)


def _roc_curve(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    kinds = pick(rng, (("CNN", "SVM", "RF"), ("Model A", "Model B"), ("Training", "Validation", "Test"), ("Ours",
    "U-Net", "Baseline", "Chance level"),
                       ("CEA", "CA19-9", "Combined"), ("Reader 1", "Reader 2", "AI"), ("Signature",)))  # fmt: skip
    shapes = rng.uniform(0.08, 0.55, len(kinds))
    areas = [1 / (1 + float(shape)) for shape in shapes]
    names_of = [
        f"{kind} (AUC = {area:.{2 + int(style.text > 11)}f})" if chance(rng, 0.9) else kind
        for kind, area in zip(kinds, areas, strict=True)
    ]
    recall = chance(rng, 0.2)
    percent = chance(rng, 0.15)
    unit = " (%)" if percent else ""
    factor = 100.0 if percent else 1.0
    labels = ("Recall" + unit, "Precision" + unit) if recall else pick(rng, (
        ("False positive rate" + unit, "True positive rate" + unit), ("1 − Specificity" + unit,
        "Sensitivity" + unit),
    ))  # fmt: skip
    pad = float(rng.choice([0.0, 0.03]))
    scale = linear(-pad * factor, (1 + pad) * factor, 5)
    axes = Axes(sheet, region, style, scale, scale, labels=labels, title=a_title(rng, style), legend=names_of,
    keys="line",
                free="ll" if recall else "lr")  # fmt: skip
    if not recall:
        axes.line([0, factor], [0, factor], (130, 130, 130), 1.0, 4.0)
    stepped = chance(rng, 0.6)
    for place, shape in enumerate(shapes.tolist()):
        xs = np.linspace(0, 1, 50)
        ys = xs**shape if not recall else 1 - xs ** (1 / shape) * 0.8
        if stepped:
            ys = np.round(ys * 24 + rng.normal(0, 0.3, 50)) / 24
            ys = np.maximum.accumulate(ys) if not recall else np.minimum.accumulate(ys)
        ys = np.clip(ys, 0, 1)
        ys[0] = 1.0 if recall else 0.0
        if stepped:
            axes.steps(xs * factor, ys * factor, style.stroke(place), dash=axes.dash(place))
        else:
            axes.line(xs * factor, ys * factor, style.stroke(place), dash=axes.dash(place))
        if chance(rng, 0.12):
            axes.band(
                xs * factor,
                np.clip(ys - 0.07, 0, 1) * factor,
                np.clip(ys + 0.07, 0, 1) * factor,
                style.stroke(place),
                0.2,
            )
    if len(kinds) == 1 and axes.place == "none" and math.isfinite(areas[0]):
        sheet.text(axes.frame[2] - 8, axes.frame[3] - 14, f"AUC = {areas[0]:.3f}", axes.ticks, style.ink, "rb")
    axes.finish()


DRAWERS: tuple[Drawer, ...] = (
    Drawer("time_course", Kind.PLOT, time_course, (0.8, 2.0), paper=True),
    Drawer("dose_response", Kind.PLOT, dose_response, (0.8, 1.7), paper=True),
    Drawer("survival", Kind.PLOT, survival, (0.8, 1.7), paper=True),
    Drawer("spectrum", Kind.PLOT, spectrum, (0.9, 2.4), paper=True),
    Drawer("chromatogram", Kind.PLOT, chromatogram, (1.0, 3.0), paper=True),
    Drawer("trace", Kind.PLOT, trace, (0.8, 3.2), paper=True),
    Drawer("roc_curve", Kind.PLOT, roc_curve, (0.8, 1.3), paper=True),
    Drawer("line_chart", Kind.PLOT, line_chart, (0.8, 2.2), paper=True),
)
