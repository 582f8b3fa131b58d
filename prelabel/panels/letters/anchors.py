"""Cutting a picture so that each part holds one panel letter."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import empty_runs
from prelabel.panels.letters.find import Letter
from prelabel.panels.strips import figure_area

#: No part's shorter side is less than this share of an average panel's, were all square.
THINNEST = 0.2

#: This many cuts are followed up at each of the first steps, and but one from that step on.
ALTERNATIVES, DEEP = 3, 3

#: Letters closer than this share of the longer side stand in one line.
IN_LINE = 0.05

#: A gutter wider than this share of the longer side counts for no more.
WIDE = 0.04

#: What ink across a cut weighs against it, as gutter width for its share of the length; no cut crosses more ink.
CROSSING, MOST_CROSSED = 1.0, 0.12

#: What a gutter on another ground than the figure's costs beside a clear one, as ink across it.
OWN_GROUND = 0.03

#: Shares of ink that a gutter may hold; and what distance from the letter that it belongs to costs.
TOLERATED, PULL = (0.01, 0.03, 0.06), 0.25


@dataclass(frozen=True, slots=True)
class Anchored:
    """rect: one part; letter: the one in it, None if it was not found; crossed: most ink on a cut around it."""

    rect: Rect
    letter: Letter | None
    crossed: float


#: What cuts are worth together, and the parts that they give.
_Parted = tuple[float, tuple[Anchored, ...]]


def anchored_split(
    canvas: Canvas, letters: tuple[Letter, ...], *, below: bool, missing: int = 0
) -> tuple[Anchored, ...]:
    """A part for each letter; empty if no cuts part them without going through much ink.

    below: whether letters stand under their panels; otherwise they begin them, above and to the left. missing: so
    many parts at most are without a letter, where they must be set apart to part the others.
    """
    start = figure_area(canvas)
    smallest = THINNEST * ((start[2] - start[0]) * (start[3] - start[1]) / max(1, len(letters))) ** 0.5
    parts = _Divider(canvas, below, smallest, missing > 0).divided(start, letters)[1]
    return parts if sum(each.letter is None for each in parts) <= missing else ()


class _Divider:
    """Parts letters by the best cuts. Many orders of cuts lead to one rectangle: its result is cached."""

    def __init__(self, canvas: Canvas, below: bool, smallest: float, spare: bool) -> None:
        self.canvas, self.below, self.smallest, self.spare = canvas, below, smallest, spare
        self.kept: dict[tuple[Rect, tuple[Letter, ...], int], _Parted] = {}

    def divided(self, rect: Rect, letters: tuple[Letter, ...], depth: int = 0) -> _Parted:
        """Return the best cuts between the letters with their weight, and the parts; none if there are no cuts."""
        if min(rect[2] - rect[0], rect[3] - rect[1]) < self.smallest:
            return 0.0, ()
        if len(letters) == 1:
            return 0.0, (Anchored(self.canvas.tight(rect) or rect, letters[0], 0.0),)
        alternatives = ALTERNATIVES if depth < DEEP else 1
        # A result at the depth limit is not the best one, so it is not cached.
        key = (rect, letters, min(depth, DEEP))
        if key not in self.kept:
            parted = self._divided(rect, letters, depth, alternatives)
            self.kept[key] = parted if parted[1] or not self.spare else self._without_strip(rect, letters, depth)
        return self.kept[key]

    def _without_strip(self, rect: Rect, letters: tuple[Letter, ...], depth: int) -> _Parted:
        """The same once a strip without letters is taken off along a gutter; none where there is no such strip."""
        x0, y0, x1, y1 = rect
        for axis, (start, stop) in enumerate(((y0, y1), (x0, x1))):
            for low, high in empty_runs(self.canvas.inked(rect, axis), (x1 - x0, y1 - y0)[axis]):
                at = start + (low + high) // 2
                first, second = (
                    ((x0, y0, x1, at), (x0, at, x1, y1)) if axis == 0 else ((x0, y0, at, y1), (at, y0, x1, y1))
                )
                ahead = [_begin(each, axis) < at for each in letters]
                if any(ahead) and not all(ahead):
                    continue
                strip, rest = (second, first) if all(ahead) else (first, second)
                if min(at - start, stop - at) < self.smallest:
                    continue
                worth, parts = self.divided(self.canvas.tight(rest) or rest, letters, depth + 1)
                if parts:
                    return worth, (*parts, Anchored(self.canvas.tight(strip) or strip, None, 0.0))
        return 0.0, ()

    def _divided(self, rect: Rect, letters: tuple[Letter, ...], depth: int, alternatives: int) -> _Parted:
        places = [
            (*found, axis, bound)
            for axis in (0, 1)
            for bound in _bounds(self.canvas, letters, axis)
            if (found := _place(self.canvas, rect, letters, axis, bound, self.below)) is not None
            and found[2] <= MOST_CROSSED
        ]
        places.sort(key=lambda each: -each[0])
        best: _Parted = (-math.inf, ())
        x0, y0, x1, y1 = rect
        parted = [False, False]
        for merit, at, crossing, axis, bound in places[:alternatives]:
            # In which order parallel cuts are made is all one.
            if parted[axis]:
                continue
            first, second = (
                ((x0, y0, x1, at), (x0, at, x1, y1)) if axis == 0 else ((x0, y0, at, y1), (at, y0, x1, y1))
            )
            low = tuple(each for each in letters if _begin(each, axis) < bound)
            high = tuple(each for each in letters if _begin(each, axis) >= bound)
            one, ahead = self.divided(self.canvas.tight(first) or first, low, depth + 1)
            if not ahead:
                continue
            other, behind = self.divided(self.canvas.tight(second) or second, high, depth + 1)
            if behind and merit + one + other > best[0]:
                parts = tuple(replace(each, crossed=max(each.crossed, crossing)) for each in ahead + behind)
                best = merit + one + other, parts
            parted[axis] |= bool(behind)
        return best


def _begin(letter: Letter, axis: int) -> int:
    return letter.rect[1] if axis == 0 else letter.rect[0]


def _bounds(canvas: Canvas, letters: tuple[Letter, ...], axis: int) -> list[int]:
    """Return the positions between two groups of letters where a new line of letters begins."""
    begins = sorted(_begin(each, axis) for each in letters)
    return [b for a, b in pairwise(begins) if b - a > IN_LINE * canvas.longest]


def _place(
    canvas: Canvas, rect: Rect, letters: tuple[Letter, ...], axis: int, bound: int, below: bool
) -> tuple[float, int, float] | None:
    """The best place between two groups of letters: its merit, where, and the share of ink it crosses."""
    ends = [each.rect[3 - axis] for each in letters if _begin(each, axis) < bound]
    low, high = max(ends), min(_begin(each, axis) for each in letters if _begin(each, axis) >= bound)
    start, stop = (rect[1], rect[3]) if axis == 0 else (rect[0], rect[2])
    low, high = max(low, start + 1), min(high, stop - 1)
    if high <= low:
        return None
    length = (rect[2] - rect[0]) if axis == 0 else (rect[3] - rect[1])
    share = canvas.inked(rect, axis)[low - start : high - start] / max(1, length)
    if share.min() > MOST_CROSSED:
        # Panels on a ground of their own: what is even along a line is no print.
        band = (rect[0], low, rect[2], high) if axis == 0 else (low, rect[1], high, rect[3])
        share = np.minimum(share, canvas.uneven(band, axis) + OWN_GROUND)
    return _merit(share, low, length / canvas.longest, canvas.longest, axis, below)


def _merit(
    share: NDArray[np.float64], low: int, length: float, longest: int, axis: int, below: bool
) -> tuple[float, int, float]:
    """Of the lines between two groups, the run of least ink that suits best. share: ink of each line."""
    best = (-9.0, 0, 1.0)
    least = float(share.min())
    sums = np.concatenate([[0.0], np.cumsum(share)])
    # Wide gutters that something crosses stand against clear but narrow ones.
    for allowed in sorted({least, *(each for each in TOLERATED if each > least)}):
        clear = np.concatenate([[False], share <= allowed + 0.002, [False]])
        edges = (clear[1:] != clear[:-1]).nonzero()[0]
        for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            width = min((stop - start) / longest, WIDE)
            # A letter begins its panel, or ends it where letters stand below; across, these are centred.
            away = (start if below else len(share) - stop) / longest
            pull = 0.0 if below and axis == 1 else PULL * away
            crossed = float(sums[stop] - sums[start]) / (stop - start)
            merit = (width - pull - CROSSING * crossed) * (0.3 + length)
            if merit > best[0]:
                best = (merit, low + (start + stop) // 2, crossed)
    return best
