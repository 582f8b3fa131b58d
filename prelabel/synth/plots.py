"""Charts for simulated figures, drawn three times as large and scaled down, so that lines come out smooth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

#: Drawing is this many times larger than the result.
FINE = 3

INK = (38, 38, 38)
#: Colour-blind safe (Okabe and Ito).
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233))

Generator = np.random.Generator
Plot = Callable[[Generator, int, int], Image.Image]


def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that ships with Pillow, `size` pixels high."""
    return ImageFont.load_default(size)


def rotated_text(text: str, size: float, fill: tuple[int, int, int] = INK) -> Image.Image:
    """The text read from bottom to top, on a transparent ground."""
    face = font(size)
    x0, y0, x1, y1 = face.getbbox(text)
    picture = Image.new("RGBA", (int(x1 - x0) + 4, int(y1 - y0) + 4))
    ImageDraw.Draw(picture).text((2 - x0, 2 - y0), text, fill=fill, font=face)
    return picture.rotate(90, expand=True)


@dataclass
class Axes:
    """A pair of axes in data units on a canvas `FINE` times the size of the result."""

    canvas: Image.Image
    draw: ImageDraw.ImageDraw
    frame: tuple[float, float, float, float]
    across: tuple[float, float]
    up: tuple[float, float]

    @classmethod
    def make(
        cls,
        size: tuple[int, int],
        *,
        across: tuple[float, float],
        up: tuple[float, float],
        labels: tuple[str, str],
        ticks: tuple[Sequence[tuple[float, str]], Sequence[tuple[float, str]]],
    ) -> Axes:
        """White canvas with axes, ticks (value, text) and axis labels. size: width, height of the result."""
        width, height = size[0] * FINE, size[1] * FINE
        canvas = Image.new("RGB", (width, height), "white")
        small = font(11 * FINE)
        wide = max((small.getlength(text) for _, text in ticks[1]), default=0)
        frame = (wide + 28 * FINE, 7 * FINE, width - 14 * FINE, height - 36 * FINE)
        axes = cls(canvas, ImageDraw.Draw(canvas), frame, across, up)
        x0, y0, x1, y1 = frame
        axes.draw.line([(x0, y0), (x0, y1), (x1, y1)], fill=INK, width=4)
        for value, text in ticks[0]:
            x = axes.x(value)
            axes.draw.line([(x, y1), (x, y1 + 4 * FINE)], fill=INK, width=3)
            axes.draw.text((x, y1 + 6 * FINE), text, fill=INK, font=small, anchor="mt")
        for value, text in ticks[1]:
            y = axes.y(value)
            axes.draw.line([(x0 - 4 * FINE, y), (x0, y)], fill=INK, width=3)
            axes.draw.text((x0 - 7 * FINE, y), text, fill=INK, font=small, anchor="rm")
        face = font(12.5 * FINE)
        axes.draw.text(((x0 + x1) / 2, height - 2 * FINE), labels[0], fill=INK, font=face, anchor="mb")
        upright = rotated_text(labels[1], 12.5 * FINE)
        canvas.paste(upright, (FINE, int((y0 + y1 - upright.height) / 2)), upright)
        return axes

    def x(self, value: float) -> float:
        """Canvas column of a value."""
        low, high = self.across
        return self.frame[0] + (value - low) / (high - low) * (self.frame[2] - self.frame[0])

    def y(self, value: float) -> float:
        """Canvas row of a value."""
        low, high = self.up
        return self.frame[3] - (value - low) / (high - low) * (self.frame[3] - self.frame[1])

    def line(self, xs: Sequence[float], ys: Sequence[float], colour: tuple[int, int, int], wide: int = 6) -> None:
        """A polyline in data units."""
        points = [(self.x(float(a)), self.y(float(b))) for a, b in zip(xs, ys, strict=True)]
        self.draw.line(points, fill=colour, width=wide, joint="curve")

    def dot(self, x: float, y: float, colour: tuple[int, int, int], radius: float = 3.2) -> None:
        """A filled circle, its radius in pixels of the result."""
        r, a, b = radius * FINE, self.x(x), self.y(y)
        self.draw.ellipse([a - r, b - r, a + r, b + r], fill=colour)

    def whisker(self, x: float, low: float, high: float, cap: float = 4) -> None:
        """An error bar."""
        a, r = self.x(x), cap * FINE
        self.draw.line([(a, self.y(low)), (a, self.y(high))], fill=INK, width=3)
        for value in (low, high):
            self.draw.line([(a - r, self.y(value)), (a + r, self.y(value))], fill=INK, width=3)

    def legend(self, names: Sequence[str], *, right: bool = False) -> None:
        """Names with a stroke of their colour each, at the top of the frame."""
        face = font(10.5 * FINE)
        wide = max(face.getlength(name) for name in names) + 20 * FINE
        left = self.frame[2] - wide if right else self.frame[0] + 10 * FINE
        for place, name in enumerate(names):
            y = self.frame[1] + (6 + 14 * place) * FINE
            self.draw.line([(left, y), (left + 14 * FINE, y)], fill=COLOURS[place], width=7)
            self.draw.text((left + 18 * FINE, y), name, fill=INK, font=face, anchor="lm")

    def done(self) -> Image.Image:
        """The chart at its final size."""
        return self.canvas.resize(
            (self.canvas.width // FINE, self.canvas.height // FINE), Image.Resampling.LANCZOS
        )


def _steps(low: float, high: float, count: int, form: str = "{:g}") -> list[tuple[float, str]]:
    return [(float(value), form.format(value)) for value in np.linspace(low, high, count).round(6)]


def time_course(rng: Generator, width: int, height: int) -> Image.Image:
    """Three growth curves with error bars."""
    axes = Axes.make(
        (width, height),
        across=(-1, 25),
        up=(0, 1.32),
        labels=("Time (h)", "OD600"),
        ticks=(_steps(0, 24, 5), _steps(0, 1.2, 5, "{:.1f}")),
    )
    hours = np.arange(0, 25, 3.0)
    for place, (top, middle) in enumerate(((1.1, 8), (0.86, 11), (0.45, 14))):
        values = top / (1 + np.exp(-(hours - middle - rng.normal(0, 0.4)) / 2.6)) + 0.03
        errors = 0.025 + 0.05 * rng.random(len(hours))
        for hour, value, error in zip(hours, values, errors, strict=True):
            axes.whisker(float(hour), float(value - error), float(value + error), 2.5)
        axes.line(list(hours), list(values), COLOURS[place])
        for hour, value in zip(hours, values, strict=True):
            axes.dot(float(hour), float(value), COLOURS[place])
    axes.legend(("wild type", "mutant", "rescue"))
    return axes.done()


def bars(rng: Generator, width: int, height: int) -> Image.Image:
    """Bars with error bars, single values and a bracket of significance."""
    names = ("Ctrl", "Low", "Mid", "High")
    axes = Axes.make(
        (width, height),
        across=(-0.6, 3.6),
        up=(0, 4.0),
        labels=("Dose group", "Relative expression"),
        ticks=([(float(k), name) for k, name in enumerate(names)], _steps(0, 4, 5)),
    )
    for place, mean in enumerate((1.0, 1.45, 2.2, 2.9)):
        mean += float(rng.normal(0, 0.07))
        tone = COLOURS[0] if place else (150, 150, 150)
        axes.draw.rectangle(
            [axes.x(place - 0.3), axes.y(mean), axes.x(place + 0.3), axes.y(0)], fill=tone, outline=INK, width=3
        )
        error = 0.14 + 0.12 * float(rng.random())
        axes.whisker(place, mean - error, mean + error)
        for shift in rng.uniform(-0.2, 0.2, 5):
            axes.dot(place + float(shift), mean + float(rng.normal(0, error)), INK, 1.7)
    y = axes.y(3.6)
    axes.draw.line(
        [(axes.x(0), y + 5 * FINE), (axes.x(0), y), (axes.x(3), y), (axes.x(3), y + 5 * FINE)], fill=INK, width=3
    )
    axes.draw.text((axes.x(1.5), y - FINE), "***", fill=INK, font=font(14 * FINE), anchor="mb")
    return axes.done()


def scatter(rng: Generator, width: int, height: int) -> Image.Image:
    """Points with a line of best fit."""
    axes = Axes.make(
        (width, height),
        across=(0, 10),
        up=(0, 60),
        labels=("Tumour volume (cm3)", "Serum marker (ng/ml)"),
        ticks=(_steps(0, 10, 6), _steps(0, 60, 4)),
    )
    xs = rng.uniform(0.6, 9.6, 46)
    ys = np.clip(7 + 4.3 * xs + rng.normal(0, 5.2, 46), 1, 58)
    for x, y in zip(xs, ys, strict=True):
        axes.dot(float(x), float(y), COLOURS[5], 3.6)
        axes.dot(float(x), float(y), COLOURS[0], 2.4)
    slope, start = np.polyfit(xs, ys, 1)
    axes.line([0.4, 9.8], [start + slope * 0.4, start + slope * 9.8], COLOURS[1])
    axes.draw.text((axes.x(0.5), axes.y(56)), "r = 0.91", fill=INK, font=font(12 * FINE), anchor="lm")
    return axes.done()


def box_plot(rng: Generator, width: int, height: int) -> Image.Image:
    """Boxes with whiskers for four groups."""
    names = ("I", "II", "III", "IV")
    axes = Axes.make(
        (width, height),
        across=(-0.6, 3.6),
        up=(0, 100),
        labels=("Stage", "Score (%)"),
        ticks=([(float(k), name) for k, name in enumerate(names)], _steps(0, 100, 5)),
    )
    for place, middle in enumerate((28, 41, 55, 70)):
        low, first, median, third, high = np.clip(np.sort(rng.normal(middle, 10, 40))[[1, 10, 20, 30, 38]], 3, 97)
        axes.whisker(place, float(low), float(high), 7)
        axes.draw.rectangle(
            [axes.x(place - 0.28), axes.y(float(third)), axes.x(place + 0.28), axes.y(float(first))],
            fill=tuple(int(255 - (255 - tone) * 0.55) for tone in COLOURS[place]),
            outline=INK,
            width=4,
        )
        axes.line([place - 0.28, place + 0.28], [float(median)] * 2, INK, 7)
    return axes.done()


def survival(rng: Generator, width: int, height: int) -> Image.Image:
    """Two stepped survival curves."""
    axes = Axes.make(
        (width, height),
        across=(0, 60),
        up=(0, 1.06),
        labels=("Months", "Survival"),
        ticks=(_steps(0, 60, 6), _steps(0, 1, 5, "{:.2f}")),
    )
    for place, pace in enumerate((0.009, 0.026)):
        xs, ys = [0.0], [1.0]
        for month in np.sort(rng.uniform(1, 58, 22)):
            xs += [float(month), float(month)]
            ys += [ys[-1], max(0.05, float(np.exp(-pace * month)) + float(rng.normal(0, 0.004)))]
            ys[-1] = min(ys[-1], ys[-2])
        axes.line([*xs, 60.0], [*ys, ys[-1]], COLOURS[place], 7)
    axes.legend(("treated", "untreated"), right=True)
    return axes.done()


def histogram(rng: Generator, width: int, height: int) -> Image.Image:
    """A skewed histogram with its mean."""
    values = rng.gamma(4.2, 9, 900)
    counts, edges = np.histogram(values, bins=24, range=(0, 100))
    axes = Axes.make(
        (width, height),
        across=(0, 100),
        up=(0, 150),
        labels=("Particle diameter (nm)", "Count"),
        ticks=(_steps(0, 100, 6), _steps(0, 150, 4)),
    )
    for count, left, right in zip(counts, edges[:-1], edges[1:], strict=True):
        if count:
            axes.draw.rectangle(
                [axes.x(left), axes.y(float(count)), axes.x(right), axes.y(0)],
                fill=COLOURS[2],
                outline="white",
                width=3,
            )
    axes.line([float(values.mean())] * 2, [0, 142], INK, 4)
    return axes.done()


def heat_map(rng: Generator, width: int, height: int) -> Image.Image:
    """A clustered matrix, blue to red, with its colour bar."""
    canvas = Image.new("RGB", (width * FINE, height * FINE), "white")
    draw = ImageDraw.Draw(canvas)
    rows, columns = 14, 10
    left, top, right, bottom = 58 * FINE, 6 * FINE, (width - 50) * FINE, (height - 26) * FINE
    field = rng.normal(0, 0.55, (rows, columns))
    field[:7, :5] += 1.1
    field[7:, 5:] += 0.9
    field[:7, 5:] -= 0.9
    field[7:, :5] -= 1.0
    across, down = (right - left) / columns, (bottom - top) / rows
    small = font(9.5 * FINE)
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * across, top + row * down
            draw.rectangle([x, y, x + across, y + down], fill=diverging(float(field[row, column]) / 2))
        draw.text(
            (left - 4 * FINE, top + (row + 0.5) * down), f"gene {row + 1:02d}", fill=INK, font=small, anchor="rm"
        )
    for column in range(columns):
        draw.text(
            (left + (column + 0.5) * across, bottom + 5 * FINE),
            f"S{column + 1}",
            fill=INK,
            font=small,
            anchor="mt",
        )
    for step in range(60):
        y = top + (bottom - top) * step / 60
        draw.rectangle(
            [right + 12 * FINE, y, right + 22 * FINE, y + (bottom - top) / 60 + 1], fill=diverging(1 - step / 29.5)
        )
    for share, text in ((0.0, "2"), (0.5, "0"), (1.0, "-2")):
        at = (right + 26 * FINE, top + (bottom - top) * share)
        draw.text(at, text, fill=INK, font=small, anchor=("lt", "lm", "lb")[int(share * 2)])
    return canvas.resize((width, height), Image.Resampling.LANCZOS)


def diverging(value: float) -> tuple[int, int, int]:
    """Blue at -1, near white at 0, red at 1."""
    value = min(1.0, max(-1.0, value))
    end = (178, 24, 43) if value > 0 else (33, 102, 172)
    red, green, blue = (round(247 + (tone - 247) * abs(value)) for tone in end)
    return red, green, blue


def flow_chart(rng: Generator, width: int, height: int) -> Image.Image:
    """A study's flow of participants: one picture, although it consists of many boxes."""
    canvas = Image.new("RGB", (width * FINE, height * FINE), "white")
    draw = ImageDraw.Draw(canvas)
    face = font(14 * FINE)
    screened = int(rng.integers(380, 460))
    out = int(rng.integers(60, 90))
    lost = (int(rng.integers(6, 14)), int(rng.integers(6, 14)))
    arm = (screened - out) // 2
    rest = screened - out - arm

    def box(x: float, y: float, wide: float, high: float, text: str, tone: tuple[int, int, int]) -> None:
        edges = [v * FINE for v in (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)]
        draw.rounded_rectangle(edges, radius=7 * FINE, fill=tone, outline=INK, width=4)
        draw.multiline_text(
            (x * FINE, y * FINE), text, fill=INK, font=face, anchor="mm", align="center", spacing=5 * FINE
        )

    def arrow(a: tuple[float, float], b: tuple[float, float]) -> None:
        draw.line([(a[0] * FINE, a[1] * FINE), (b[0] * FINE, b[1] * FINE)], fill=INK, width=5)
        x, y = b[0] * FINE, b[1] * FINE
        r = 5 * FINE
        tip = [(x, y), (x - r, y - 1.7 * r), (x + r, y - 1.7 * r)]
        if a[1] == b[1]:
            tip = [(x, y), (x - 1.7 * r, y - r), (x - 1.7 * r, y + r)]
        draw.polygon(tip, fill=INK)

    middle, left, right = width * 0.5, width * 0.27, width * 0.73
    ys = [height * share for share in (0.09, 0.32, 0.53, 0.72, 0.91)]
    arrow((middle, ys[0] + 30), (middle, ys[1] - 26))
    arrow((middle, (ys[0] + ys[1]) / 2), (width * 0.655, (ys[0] + ys[1]) / 2))
    for x in (left, right):
        draw.line([(v[0] * FINE, v[1] * FINE) for v in ((middle, (ys[1] + ys[2]) / 2), (x, (ys[1] + ys[2]) / 2))],
                  fill=INK, width=5)  # fmt: skip
        arrow((x, (ys[1] + ys[2]) / 2), (x, ys[2] - 30))
        arrow((x, ys[2] + 30), (x, ys[3] - 30))
        arrow((x, ys[3] + 30), (x, ys[4] - 30))
    draw.line(
        [(middle * FINE, (ys[1] + 26) * FINE), (middle * FINE, (ys[1] + ys[2]) / 2 * FINE)], fill=INK, width=5
    )
    box(middle, ys[0], 300, 60, f"Assessed for eligibility\n(n = {screened})", (234, 242, 250))
    box(
        width * 0.8,
        (ys[0] + ys[1]) / 2,
        width * 0.29,
        60,
        f"Excluded (n = {out})\ncriteria not met",
        (252, 240, 230),
    )
    box(middle, ys[1], 240, 52, f"Randomised (n = {screened - out})", (234, 242, 250))
    for x, name, people, gone in ((left, "intervention", arm, lost[0]), (right, "usual care", rest, lost[1])):
        box(x, ys[2], width * 0.38, 60, f"Allocated to {name}\n(n = {people})", (232, 246, 238))
        box(x, ys[3], width * 0.38, 60, f"Lost to follow-up\n(n = {gone})", (252, 240, 230))
        box(x, ys[4], width * 0.38, 60, f"Analysed\n(n = {people - gone})", (232, 246, 238))
    return canvas.resize((width, height), Image.Resampling.LANCZOS)
