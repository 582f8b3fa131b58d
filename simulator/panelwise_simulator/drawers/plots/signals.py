"""Recordings of instruments: spectra, chromatograms, traces."""

from __future__ import annotations

import numpy as np
from PIL import Image

from panelwise_simulator.drawers.vector.axes import Axes, Region
from panelwise_simulator.drawers.vector.plotting import a_title, plotted, smooth
from panelwise_simulator.drawers.vector.scales import Scale, linear
from panelwise_simulator.drawers.vector.sheet import BLACK, Colour, Sheet
from panelwise_simulator.drawers.vector.styles import Style, chance, pick
from panelwise_simulator.kinds import Generator


def spectrum(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Peaks over wavelength, angle, shift or mass; one line or several above each other."""
    return plotted(rng, width, height, style, _spectrum, many=0.04)


def _spectrum(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    label, low, high, wide = pick(rng, (
        ("Wavelength (nm)", 350, 750, 0.05), ("2θ (degree)", 10, 80, 0.005), ("Wavenumber (cm^−1~)", 4000, 400,
        0.014),
        ("Binding energy (eV)", 295, 280, 0.05), ("Raman shift (cm^−1~)", 200, 2000, 0.012), ("m/z", 200, 2000,
        0.001),
        ("Chemical shift (ppm)", 10, 0, 0.003), ("Energy (keV)", 0, 10, 0.006), ("Frequency (Hz)", 0, 100, 0.04),
    ))  # fmt: skip
    count = 1 if chance(rng, 0.45) else int(rng.integers(2, 6))
    samples = pick(
        rng,
        (
            ("SMNp", "BM", "PM", "Pt/C", "Ag"),
            ("1", "2", "3", "4", "5"),
            ("Raw", "300 °C", "500 °C", "700 °C", "900 °C"),
        ),
    )[:count]
    share = np.linspace(0, 1, 420)
    peaks = rng.uniform(0.04, 0.96, int(rng.integers(4, 14)))
    heights = rng.gamma(1.2, 0.4, len(peaks))
    lines = []
    for _ in range(count):
        own = heights * rng.uniform(0.5, 1.3, len(peaks))
        own = own / own.max()
        width_of = wide * rng.uniform(0.7, 1.6, len(peaks))
        line = (own[:, None] / (1 + ((share[None, :] - peaks[:, None]) / width_of[:, None]) ** 2)).sum(axis=0)
        line = line / line.max() + rng.normal(0, 0.006 + 0.01 * float(rng.random()), len(share))
        lines.append(line)
    shift = float(rng.choice([0.0, 0.9])) if count > 1 else 0.0
    stacked = shift > 0
    top = 1.1 + shift * (count - 1)
    scale = linear(min(low, high), max(low, high), int(rng.integers(4, 8)))
    if high < low:
        scale = Scale(low, high, tuple(sorted(scale.ticks, reverse=True)))
    up = Scale(-0.06, top) if stacked or chance(rng, 0.4) else linear(0, 1.12 * 1000, 4)
    factor = 1.0 if up.ticks == () else 1000.0
    axes = Axes(
        sheet, region, style, scale, up,
        labels=(label, pick(rng, ("Intensity (a.u.)", "Counts", "Absorbance", "Normalised intensity",
        "Transmittance (%)"))),
        title=a_title(rng, style), legend=samples if count > 1 and not stacked else (), keys="line",
    )  # fmt: skip
    xs = low + share * (high - low)
    thin = min(style.line, 1.2)
    for place, line in enumerate(lines):
        colour = style.stroke(place) if count > 1 or chance(rng, 0.5) else BLACK
        level = (line + shift * place) * factor
        if count == 1 and chance(rng, 0.15):
            axes.band(xs, np.zeros(len(xs)), level, colour, 0.3)
        axes.line(xs, level, colour, thin)
        if stacked and axes.ticks.size * axes.size > 6:
            sheet.text(
                axes.frame[2] - 4, float(axes.y(shift * place + 0.32)), samples[place], axes.ticks, colour, "rb"
            )
    if count == 1 and min(region[2] - region[0], region[3] - region[1]) > 150:
        line = lines[0]
        for peak in sorted(peaks.tolist(), key=lambda p: -line[int(p * 419)])[: int(rng.integers(0, 6))]:
            at = int(peak * 419)
            text = pick(rng, (f"{low + peak * (high - low):.0f}", "(111)", "(200)", "(220)", "C=O", "O–H", "C–H"))
            y = max(axes.frame[1] + axes.ticks.size, float(axes.y(line[at] * factor)) - 2)
            sheet.text(float(axes.x(xs[at])), y, text, axes.ticks.scaled(0.9), style.ink, "mb")
    axes.finish()


def chromatogram(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Peaks that leave a column one after another, numbered or named; at times a Sanger trace of four colours."""
    return plotted(rng, width, height, style, _sanger if chance(rng, 0.2) else _chromatogram, many=0.0)


def _chromatogram(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    last = float(rng.choice([10.0, 25.0, 30.0, 60.0]))
    runs = 1 if chance(rng, 0.6) else 2
    unit, top = pick(
        rng, (("Absorbance (mAU)", 1200.0), ("mAU", 350.0), ("Abundance", 90000.0), ("Intensity (cps)", 6000.0))
    )
    axes = Axes(
        sheet, region, style, linear(0, last, 6), linear(-0.03 * top, 1.12 * top, 4),
        labels=(pick(rng, ("Retention time (min)", "Time (min)", "Elution volume (ml)")), unit),
        title=a_title(rng, style),
        legend=("Standard", "Sample") if runs == 2 else (), keys="line",
    )  # fmt: skip
    xs = np.linspace(0, last, 500)
    peaks = np.sort(rng.uniform(0.08, 0.92, int(rng.integers(4, 13)))) * last
    heights = np.minimum(1.0, rng.gamma(1.0, 0.35, len(peaks)) + 0.04)
    for run in range(runs):
        own = heights * (1.0 if run == 0 else rng.uniform(0.2, 0.9, len(peaks)))
        sharp = last * rng.uniform(0.004, 0.011, len(peaks))
        z = (xs[None, :] - peaks[:, None]) / sharp[:, None]
        line = (own[:, None] * np.exp(-0.5 * (z / np.where(z > 0, 1.5, 1.0)) ** 2)).sum(axis=0)
        line = line + 0.01 + 0.02 * xs / last + rng.normal(0, 0.002, len(xs))
        axes.line(
            xs, line * top, style.stroke(run) if runs > 1 or chance(rng, 0.4) else BLACK, min(style.line, 1.2)
        )
    if min(region[2] - region[0], region[3] - region[1]) > 110 and chance(rng, 0.7):
        for place, (peak, value) in enumerate(zip(peaks.tolist(), heights.tolist(), strict=True)):
            text = str(place + 1) if runs == 1 else f"{peak:.1f}"
            y = max(axes.frame[1] + axes.ticks.cap, float(axes.y(value * top)) - 2)
            sheet.text(float(axes.x(peak)), y, text, axes.ticks.scaled(0.9), style.ink, "mb")
    axes.finish()


def _sanger(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    colours: dict[str, Colour] = {"A": (0, 150, 0), "C": (0, 0, 220), "G": (20, 20, 20), "T": (220, 0, 0)}
    count = max(5, int((region[2] - region[0]) / 15))
    bases = [pick(rng, "ACGT") for _ in range(count)]
    face = style.tick_face(min(1.0, (region[2] - region[0]) / 250 + 0.3))
    top, low = region[1] + face.size * 1.5, region[3] - 2
    xs = np.linspace(region[0], region[2], count * 9)
    pitch = (region[2] - region[0]) / count
    heights = rng.uniform(0.45, 1.0, count)
    for base, colour in colours.items():
        line = np.full(len(xs), 0.015)
        for place in range(count):
            if bases[place] == base:
                line += heights[place] * np.exp(
                    -(((xs - region[0] - (place + 0.5) * pitch) / (pitch * 0.38)) ** 2)
                )
        sheet.line(
            list(zip(xs.tolist(), (low - np.minimum(line, 1.0) * (low - top - 2)).tolist(), strict=True)),
            colour,
            1.0,
        )
    for place, base in enumerate(bases):
        sheet.text(region[0] + (place + 0.5) * pitch, region[1] + face.cap / 2 + 1, base, face, colours[base])
    if chance(rng, 0.6):
        at = region[0] + (int(rng.integers(1, count - 1)) + 0.5) * pitch
        sheet.rectangle(at - pitch / 2, region[1], at + pitch / 2, low, None, (200, 30, 30), 1.0)


def trace(rng: Generator, width: int, height: int, style: Style | None = None) -> Image.Image:
    """Recordings above each other with scale bars and no axes, as of cells, brain or heart."""
    return plotted(rng, width, height, style, _trace, many=0.0)


def _trace(rng: Generator, sheet: Sheet, region: Region, style: Style) -> None:
    x0, y0, x1, y1 = region
    face = style.tick_face(min(1.1, (x1 - x0) / 300 + 0.35))
    kind = pick(rng, ("calcium", "spikes", "eeg", "ecg", "sweep"))
    rows = int(rng.integers(1, 4)) if kind in ("sweep", "ecg") else int(rng.integers(3, 9))
    rows = max(1, min(rows, int((y1 - y0) / 28)))
    texts = min(x1 - x0, y1 - y0) >= 90
    stem = pick(rng, ("Cell ", "Ch", "#", "ROI ", "Lead "))
    left = x0 + (face.size * 0.62 * (len(stem) + 2) if texts else 0)
    foot = face.size * 2.0 if texts else 4.0
    pitch = (y1 - foot - y0) / rows
    count = int(max(80, min(560, (x1 - left) * 1.4)))
    xs = np.linspace(left, x1 - 1, count)
    share = np.linspace(0, 1, count)
    colour = style.stroke(0) if chance(rng, 0.5) else BLACK
    many_colours = chance(rng, 0.35)
    if kind == "calcium" and chance(rng, 0.5):
        for at in np.linspace(0.15, 0.85, int(rng.integers(1, 4))):
            a = left + (x1 - left) * float(at)
            sheet.rectangle(
                a,
                y0,
                a + (x1 - left) * 0.05,
                y1 - foot,
                pick(rng, ((255, 224, 224), (224, 236, 255), (232, 232, 232))),
            )
    for row in range(rows):
        line = rng.normal(0, 0.03, count)
        if kind == "calcium":
            for at in rng.uniform(0.02, 0.9, int(rng.integers(2, 7))):
                line += np.where(share > at, np.exp(-(share - at) * 16), 0) * float(rng.uniform(0.2, 0.9))
        elif kind == "spikes":
            line += 0.3 * smooth(rng, count, 5)
            line[rng.integers(2, count - 2, int(rng.integers(3, 30)))] += float(rng.uniform(0.8, 1.4))
        elif kind == "eeg":
            line += 0.25 * smooth(rng, count, 60) + 0.16 * smooth(rng, count, 14)
            if chance(rng, 0.5):
                line += np.exp(-(((share - 0.6) / 0.1) ** 2)) * np.sin(share * 240) * 0.7
        elif kind == "ecg":
            phase = (share * float(rng.integers(5, 10))) % 1
            line += np.exp(-(((phase - 0.5) / 0.018) ** 2)) - 0.25 * np.exp(-(((phase - 0.54) / 0.018) ** 2))
            line += 0.14 * np.exp(-(((phase - 0.36) / 0.04) ** 2)) + 0.24 * np.exp(-(((phase - 0.78) / 0.06) ** 2))
        else:
            line += np.where((share > 0.25) & (share < 0.75), 0.7 * (1 - np.exp(-(share - 0.25) * 14)), 0.0)
        low, high = float(line.min()), float(line.max())
        ys = y0 + pitch * (row + 1) - 1 - (line - low) / max(high - low, 0.6) * pitch * 0.9
        tone = style.stroke(row) if many_colours else colour
        sheet.line(list(zip(xs.tolist(), ys.tolist(), strict=True)), tone, 0.8)
        if texts:
            sheet.text(
                x0, y0 + pitch * (row + 0.55), f"{stem}{row + 1}", face, tone if many_colours else BLACK, "lm"
            )
    wide = (x1 - left) * float(rng.uniform(0.1, 0.18))
    sheet.rule(x1 - 2 - wide, y1 - 3, x1 - 2, y1 - 3, BLACK, 1.5)
    if texts:
        high = min(pitch * 0.5, 30.0)
        sheet.rule(x1 - 2 - wide, y1 - 3 - high, x1 - 2 - wide, y1 - 3, BLACK, 1.5)
        sheet.text(
            x1 - 2 - wide / 2,
            y1 - 6,
            pick(rng, ("5 s", "10 s", "1 min", "200 ms", "50 ms")),
            face.scaled(0.9),
            BLACK,
            "mb",
        )
        sheet.text(
            x1 - 6 - wide,
            y1 - 4,
            pick(rng, ("20 mV", "50% ΔF/F", "100 pA", "1 mV", "2 ΔF/F")),
            face.scaled(0.9),
            BLACK,
            "rb",
        )
