"""Scales of axes: what span they show, and where their ticks stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panelwise_simulator.drawers.vector.glyphs import Array

Tick = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Scale:
    """From low to high; ticks: values and their texts. log: positions go by logarithm. named: ticks are names of
    groups at 0, 1, 2, ... minor: values with a short tick and no text."""

    low: float
    high: float
    ticks: tuple[Tick, ...] = ()
    log: bool = False
    named: bool = False
    minor: tuple[float, ...] = ()

    def share(self, value: Any) -> Any:
        """Return the position of values: 0 at low, 1 at high. On a logarithmic scale values have to be above 0."""
        if self.log:
            start = math.log10(self.low)
            return (np.log10(value) - start) / (math.log10(self.high) - start)
        return (value - self.low) / (self.high - self.low)

    def bare(self) -> Scale:
        """The same scale without texts."""
        return replace(self, ticks=tuple((value, "") for value, _ in self.ticks))


def step_of(span: float, count: float) -> float:
    """A round step (1, 2, 2.5 or 5 times a power of ten) that cuts the span into about `count` parts."""
    rough = span / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        (factor * power for factor in (1.0, 2.0, 2.5, 5.0) if factor * power >= rough * 0.999), 10.0 * power
    )


def number(value: float, step: float) -> str:
    """A tick's text, with as many decimals as the step asks for."""
    if abs(value) >= 100000:
        power = math.floor(math.log10(abs(value)) + 1e-9)
        return f"{value / 10.0**power:g}×10^{power}"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    return f"{value:.{decimals}f}".replace("-", "−")


def linear(low: float, high: float, count: float = 5, *, whole: bool = False, unit: str = "") -> Scale:
    """A linear scale with round ticks. whole: the span is widened to whole steps. unit: put behind each number."""
    step = step_of(high - low, count)
    if whole:
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    values = [round(place * step, 10) + 0.0 for place in range(first, last + 1)]
    minor = tuple(
        (place + 0.5) * step for place in range(first - 1, last + 1) if low < (place + 0.5) * step < high
    )
    return Scale(low, high, tuple((value, number(value, step) + unit) for value in values), minor=minor)


def decades(first: int, last: int) -> Scale:
    """A logarithmic scale from 10^first to 10^last."""
    every = max(1, math.ceil((last - first) / 6))
    ticks = tuple((10.0**power, f"10^{power}".replace("-", "−")) for power in range(first, last + 1, every))
    minor = tuple(factor * 10.0**power for power in range(first, last) for factor in range(2, 10))
    return Scale(10.0**first, 10.0**last, ticks, log=True, minor=minor if last - first < 5 else ())


def names(texts: Sequence[str], *, room: float = 0.6) -> Scale:
    """Groups at 0, 1, 2, ...; room: free space before the first and after the last."""
    return Scale(
        -room, len(texts) - 1 + room, tuple((float(place), text) for place, text in enumerate(texts)), named=True
    )


def spread(values: Array, *, margin: float = 0.06, count: float = 5, floor: float | None = None) -> Scale:
    """A linear scale that holds the values with a margin. floor: the least low end."""
    low, high = float(np.min(values)), float(np.max(values))
    gap = max((high - low) * margin, 1e-9 + abs(high) * 1e-6)
    start = low - gap if floor is None else max(floor, low - gap)
    return linear(start, high + gap, count)
