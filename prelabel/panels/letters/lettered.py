"""Parts and the panel letters in them: cuts along gutters give way to cuts along letters that fit better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import empty_runs
from prelabel.panels.layout import Cutter, Part
from prelabel.panels.letters.find import Letter, find_row, may_lack
from prelabel.panels.strips import figure_area

#: By so much must letters stand better in a split along them for it to replace parts that hold one letter each.
BETTER = 0.08

#: What a letter's distance from the left, and ink cut through, count beside its distance from the top.
ASIDE, CROSSED = 0.5, 5.0

#: A part that letters bound: how sure it is, what ink cut through takes from that, and the least.
SURE, PER_CROSSED, LEAST = 0.95, 3.0, 0.1

#: How much likelier a missing panel is in the part of the label before or after it than in another.
NEIGHBOUR_WEIGHT = 2.0

#: Parts that share so much of their height are in one row, of their width in one column.
SHARED = 0.5

#: A part and the letter in it; None without a letter.
Lettered = tuple[Part, str | None]


def lettered(
    canvas: Canvas, parts: list[Part], letters: tuple[Letter, ...], labels: tuple[str, ...]
) -> list[Lettered]:
    """Each part with its letter; parts give way to a split along the letters where these stand better in that.

    labels: all that the caption names, those among them whose letter was not found; more parts than that stay.
    """
    owners = [[each for each in letters if _holds(part.rect, each.rect)] for part in parts]
    alone = [found[0] if len(found) == 1 else None for found in owners]
    plain = [(part, letter.label if letter else None) for part, letter in zip(parts, alone, strict=True)]
    if not letters or len(parts) > len(labels):
        return plain
    as_found = tuple(_Anchored(part.rect, one, 0.0) for part, one in zip(parts, alone, strict=True) if one)
    whole = len(as_found) == len(letters) == len(parts) - (len(labels) - len(letters))
    if whole and min(_misfit(as_found, False), _misfit(as_found, True)) <= BETTER:
        return plain
    splits: list[tuple[float, bool, tuple[_Anchored, ...]]] = []
    for below in (False, True):
        split = _anchored_split(canvas, letters, below=below, missing=len(labels) - len(letters))
        if split:
            splits.append((_misfit(split, below), below, split))
            if splits[-1][0] <= BETTER:
                break
    if not splits:
        return plain
    misfit, below, split = min(splits, key=lambda option: option[0])
    if whole and _misfit(as_found, below) <= misfit + BETTER:
        return plain
    found: list[Lettered] = [
        (
            Part(each.rect, max(LEAST, SURE - PER_CROSSED * each.crossed), "letter"),
            each.letter.label if each.letter is not None else None,
        )
        for each in split
    ]
    return _completed(canvas, found, labels)


def row_of(canvas: Canvas, rects: Sequence[Rect]) -> tuple[str | None, ...]:
    """The letters printed in panels that no caption names, one in each, from A or a on; empty if one lacks.

    Of many panels a few may be without theirs.
    """
    # By rows or by columns, the first is the one nearest to the upper left.
    letters = find_row(canvas, len(rects), min(rects, key=lambda rect: rect[0] + rect[1]))
    owned = [[letter.label for letter in letters if _holds(rect, letter.rect)] for rect in rects]
    alone = tuple(found[0] if found else None for found in owned)
    sure = max(map(len, owned)) == 1 and alone.count(None) <= may_lack(len(rects))
    return alone if sure else ()


def _completed(canvas: Canvas, found: list[Lettered], labels: tuple[str, ...]) -> list[Lettered]:
    """Parts with their letters; panels whose letter was not found are cut off where reading order has them."""
    parts = list(found)
    cutter = Cutter(canvas, len(labels))
    known = {label for _, label in found}
    for place, label in enumerate(labels):
        if label in known or len(parts) == len(labels):
            continue
        begins = {name: part.rect for part, name in parts if name is not None}
        named = [each for each in labels if each in begins]
        at = sum(each in begins for each in labels[:place])
        beside = named[max(0, at - 1) : at + 1]
        before = [begins[each] for each in labels[:place] if each in begins]
        after = [begins[each] for each in labels[place:] if each in begins]
        options: list[tuple[tuple[bool, bool, float], Lettered, Part, Part]] = []
        for owner in parts:
            halves = cutter.halved(owner[0])
            if halves is None:
                continue
            merit, one, other = halves
            # A letter begins its panel, so the second piece is the one without.
            ordered = not any(_precedes(other.rect, each) for each in before)
            ordered &= not any(_precedes(each, other.rect) for each in after)
            likely = merit * (NEIGHBOUR_WEIGHT if owner[1] in beside else 1.0)
            options.append(((ordered, one.kind == "gutter", likely), owner, one, other))
        if options:
            _, owner, one, other = max(options, key=lambda option: option[0])
            parts.remove(owner)
            parts += [(one, owner[1]), (other, None)]
    return parts


def _precedes(one: Rect, other: Rect) -> bool:
    """Return whether a part is read before another: left of it in its row, above it in its column, or both."""
    right, down = one[0] - other[0], one[1] - other[1]
    in_row = _shared(one[1::2], other[1::2]) > SHARED
    in_column = _shared(one[::2], other[::2]) > SHARED
    return (in_row and right < 0) or (in_column and down < 0) or (right < 0 and down < 0)


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """The share of the shorter of two stretches that is also of the other."""
    shorter = min(one[1] - one[0], other[1] - other[0])
    return (min(one[1], other[1]) - max(one[0], other[0])) / max(1, shorter)


def _misfit(split: tuple[_Anchored, ...], below: bool) -> float:
    """Return the misfit of letters to their parts, with the share of ink that is cut through: 0 is best."""
    held = [(each.rect, each.letter.rect, each.crossed) for each in split if each.letter is not None]
    total = 0.0
    for (x0, y0, x1, y1), letter, crossed in held:
        away = max(0, y1 - letter[3] if below else letter[1] - y0) / (y1 - y0)
        aside = 0.0 if below else max(0, letter[0] - x0) / (x1 - x0)
        total += away + ASIDE * aside + CROSSED * crossed
    return total / len(held)


def _holds(rect: Rect, letter: Rect) -> bool:
    """Return whether a rectangle holds the middle of a letter."""
    x, y = (letter[0] + letter[2]) / 2, (letter[1] + letter[3]) / 2
    return rect[0] <= x <= rect[2] and rect[1] <= y <= rect[3]


#: No part's shorter side is less than this share of an average panel's, were all square.
_THINNEST = 0.2

#: This many cuts are followed up at each of the first steps, and but one from that step on.
_ALTERNATIVES, _DEEP = 3, 3

#: Letters closer than this share of the longer side stand in one line.
_IN_LINE = 0.05

#: A gutter wider than this share of the longer side counts for no more.
_WIDE = 0.04

#: What ink across a cut weighs against it, as gutter width for its share of the length; no cut crosses more ink.
_CROSSING, _MOST_CROSSED = 1.0, 0.12

#: What a gutter on another ground than the figure's costs beside a clear one, as ink across it.
_OWN_GROUND = 0.03

#: Shares of ink that a gutter may hold; and what distance from the letter that it belongs to costs.
_TOLERATED, _PULL = (0.01, 0.03, 0.06), 0.25


@dataclass(frozen=True, slots=True)
class _Anchored:
    """rect: one part; letter: the one in it, None if it was not found; crossed: most ink on a cut around it."""

    rect: Rect
    letter: Letter | None
    crossed: float


#: What cuts are worth together, and the parts that they give.
_Parted = tuple[float, tuple[_Anchored, ...]]


def _anchored_split(
    canvas: Canvas, letters: tuple[Letter, ...], *, below: bool, missing: int = 0
) -> tuple[_Anchored, ...]:
    """A part for each letter; empty if no cuts part them without going through much ink.

    below: whether letters stand under their panels; otherwise they begin them, above and to the left. missing: so
    many parts at most are without a letter, where they must be set apart to part the others.
    """
    start = figure_area(canvas)
    smallest = _THINNEST * ((start[2] - start[0]) * (start[3] - start[1]) / max(1, len(letters))) ** 0.5
    parts = _Divider(canvas, below, smallest, missing > 0).divided(start, letters)[1]
    return parts if sum(part.letter is None for part in parts) <= missing else ()


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
            return 0.0, (_Anchored(self.canvas.tight(rect) or rect, letters[0], 0.0),)
        alternatives = _ALTERNATIVES if depth < _DEEP else 1
        # A result at the depth limit is not the best one, so it is not cached.
        key = (rect, letters, min(depth, _DEEP))
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
                ahead = [_begin(letter, axis) < at for letter in letters]
                if any(ahead) and not all(ahead):
                    continue
                strip, rest = (second, first) if all(ahead) else (first, second)
                if min(at - start, stop - at) < self.smallest:
                    continue
                worth, parts = self.divided(self.canvas.tight(rest) or rest, letters, depth + 1)
                if parts:
                    return worth, (*parts, _Anchored(self.canvas.tight(strip) or strip, None, 0.0))
        return 0.0, ()

    def _divided(self, rect: Rect, letters: tuple[Letter, ...], depth: int, alternatives: int) -> _Parted:
        places = [
            (*found, axis, bound)
            for axis in (0, 1)
            for bound in _bounds(self.canvas, letters, axis)
            if (found := _place(self.canvas, rect, letters, axis, bound, self.below)) is not None
            and found[2] <= _MOST_CROSSED
        ]
        places.sort(key=lambda place: -place[0])
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
            low = tuple(letter for letter in letters if _begin(letter, axis) < bound)
            high = tuple(letter for letter in letters if _begin(letter, axis) >= bound)
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
    begins = sorted(_begin(letter, axis) for letter in letters)
    return [b for a, b in pairwise(begins) if b - a > _IN_LINE * canvas.longest]


def _place(
    canvas: Canvas, rect: Rect, letters: tuple[Letter, ...], axis: int, bound: int, below: bool
) -> tuple[float, int, float] | None:
    """The best place between two groups of letters: its merit, where, and the share of ink it crosses."""
    ends = [letter.rect[3 - axis] for letter in letters if _begin(letter, axis) < bound]
    low, high = max(ends), min(_begin(letter, axis) for letter in letters if _begin(letter, axis) >= bound)
    start, stop = (rect[1], rect[3]) if axis == 0 else (rect[0], rect[2])
    low, high = max(low, start + 1), min(high, stop - 1)
    if high <= low:
        return None
    length = (rect[2] - rect[0]) if axis == 0 else (rect[3] - rect[1])
    share = canvas.inked(rect, axis)[low - start : high - start] / max(1, length)
    if share.min() > _MOST_CROSSED:
        # Panels on a ground of their own: what is even along a line is no print.
        band = (rect[0], low, rect[2], high) if axis == 0 else (low, rect[1], high, rect[3])
        share = np.minimum(share, canvas.uneven(band, axis) + _OWN_GROUND)
    return _merit(share, low, length / canvas.longest, canvas.longest, axis, below)


def _merit(
    share: NDArray[np.float64], low: int, length: float, longest: int, axis: int, below: bool
) -> tuple[float, int, float]:
    """Of the lines between two groups, the run of least ink that suits best. share: ink of each line."""
    best = (-9.0, 0, 1.0)
    least = float(share.min())
    sums = np.concatenate([[0.0], np.cumsum(share)])
    # Wide gutters that something crosses stand against clear but narrow ones.
    for allowed in sorted({least, *(each for each in _TOLERATED if each > least)}):
        clear = np.concatenate([[False], share <= allowed + 0.002, [False]])
        edges = (clear[1:] != clear[:-1]).nonzero()[0]
        for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            width = min((stop - start) / longest, _WIDE)
            # A letter begins its panel, or ends it where letters stand below; across, these are centred.
            away = (start if below else len(share) - stop) / longest
            pull = 0.0 if below and axis == 1 else _PULL * away
            crossed = float(sums[stop] - sums[start]) / (stop - start)
            merit = (width - pull - _CROSSING * crossed) * (0.3 + length)
            if merit > best[0]:
                best = (merit, low + (start + stop) // 2, crossed)
    return best
