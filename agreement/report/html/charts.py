"""Geometry of the drawings in HTML reports: pixels of an SVG from values, nothing that draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agreement.resampling.bootstrap import Interval

#: Room of a plot, in units of its viewBox: small enough that its text can be read on a phone.
WIDTH, HEIGHT = 360, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 14, 12, 24
#: From the axis to the first place, and from the last to the end: half a name has room there.
_INSET = 22
#: Names below the axis at most, and characters of one; the table beside has all.
_NAMES, _LETTERS = 6, 9
#: Steps of the scale of colours where the page's policy allows no styles of single cells.
HEAT_STEPS = 11
#: The scale of colours of a matrix begins at 1 and ends here, in every report: one colour, one score.
HEAT_FLOOR = 0.5


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis. at: x or y."""

    at: float
    name: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its whisker. low, high: y of the interval's ends, None if there is none."""

    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot, broken where a value is undefined. paths: points of each unbroken piece."""

    dots: tuple[Dot, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over named places. floor: the lowest value on the axis."""

    width: int
    height: int
    left: float
    right: float
    bottom: float
    floor: float
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[Line, ...]


def plot(
    names: Sequence[str], *series: Sequence[float | None], intervals: Sequence[Interval | None] | None = None
) -> Plot:
    """Values in [0, 1] over evenly spaced places. intervals: of the first series.

    The axis begins at the tenth below the lowest value or end of an interval, and says so by its names.
    """
    values = [value for line in series for value in line if value is not None]
    ends = [interval[0] for interval in intervals or () if interval is not None]
    floor = max(0.0, min(0.9, math.floor(10 * min([*values, *ends], default=0.0)) / 10))
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    steps = max(len(names) - 1, 1)
    inset = _INSET if len(names) > 1 else (right - _LEFT) / 2

    def across(place: int) -> float:
        return _LEFT + inset + (right - _LEFT - 2 * inset) * place / steps

    def down(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - floor) / (1.0 - floor)

    lines = []
    for number, line in enumerate(series):
        whiskers = intervals if intervals is not None and number == 0 else [None] * len(line)
        dots: list[Dot] = []
        paths: list[list[str]] = [[]]
        for place, (value, whisker) in enumerate(zip(line, whiskers, strict=True)):
            if value is None:
                paths.append([])
                continue
            low, high = (None, None) if whisker is None else (down(whisker[0]), down(whisker[1]))
            dots.append(Dot(across(place), down(value), low, high))
            paths[-1].append(f"{across(place):.2f},{down(value):.2f}")
        lines.append(Line(tuple(dots), tuple(" ".join(path) for path in paths if len(path) > 1)))
    every = max(1, math.ceil(len(names) / _NAMES))
    tenths = round(10 * (1.0 - floor))
    stride = 1 if tenths <= 5 else 2
    return Plot(
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        right=right,
        bottom=bottom,
        floor=floor,
        x_ticks=tuple(Tick(across(place), _short(name)) for place, name in enumerate(names) if place % every == 0),
        y_ticks=tuple(
            Tick(down(1.0 - step / 10), f"{1.0 - step / 10:.1f}") for step in range(0, tenths + 1, stride)
        ),
        lines=tuple(lines),
    )


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def heat(score: float) -> float:
    """Return how strong a score's colour is: 0 for full agreement, 1 for `HEAT_FLOOR` or less."""
    return min(1.0, max(0.0, (1 - score) / (1 - HEAT_FLOOR)))


def heat_step(score: float) -> int:
    """Return the step of a score's colour, 0 for full agreement."""
    return round((HEAT_STEPS - 1) * heat(score))


def heat_scale() -> list[tuple[int, str]]:
    """Return the legend of the colours: the step of each tenth, and its name."""
    tenths = [tenth / 10 for tenth in range(10, round(10 * HEAT_FLOOR) - 1, -1)]
    return [(heat_step(each), f"{each:.1f}{' or less' if each == HEAT_FLOOR else ''}") for each in tenths]


def bar_scale(values: Iterable[float]) -> float:
    """Return the end of a scale for bars of several tables, which begins at 0 and holds all values in [0, 1]."""
    most = max(values, default=0.0)
    return next((end for end in (0.05, 0.1, 0.2, 0.5) if most <= end), 1.0)
