"""Sets of panel letters: of shapes that look like letters, those that agree in style, size, lines and order.

Shapes are taken label by label, the best beginnings kept; a label whose letter is not found is skipped where
the others are many and sure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.letters.glyphs import NARROW

#: Sizes of the letters of one figure differ by no more than this (logarithm).
SAME_SIZE = 0.13

#: This many of the likeliest shapes are tried for the size of all.
SIZES_TRIED = 16

#: This many beginnings of a set are kept, and this many shapes tried for each label.
BEGINNINGS, SHAPES_TRIED = 12, 10

#: What being in line with another adds to a letter's worth, each way.
IN_LINE = 0.12

#: Of how many letters how much they must look the part on average, and what share must be in line with another.
#: Text of any kind holds two or three such shapes in reading order now and then, but seldom five.
NEEDED = {2: (0.78, 0.5), 3: (0.74, 0.5), 4: (0.74, 0.5), 5: (0.7, 0.0)}

#: By so much less where each letter must also stand in a panel of its own. 866 figures searched for letters that
#: they do not have (from K on, from P on) gave none.
APIECE = 0.08

#: The weight of a label whose letter is not found; after each so many labels one more may be missing.
MISSING, LABELS_A_GAP = 0.62, 4

#: Letters nearer than this share of the picture's longer side are in one row, or one column.
NEAR = 0.03

#: Letters of two panels are no nearer than this share of an average panel's side, were the picture and all square.
APART = 0.2


@dataclass(frozen=True, slots=True)
class Candidates:
    """Shapes that are like a template: one row for each pair. rect: (C, 4); size: logarithm of the font's size.

    style: a number for each way of printing; worth: likeness, less for print nearby.
    """

    rect: NDArray[np.int64]
    label: NDArray[np.int64]
    style: NDArray[np.int64]
    size: NDArray[np.float64]
    worth: NDArray[np.float64]
    likeness: NDArray[np.float64]


def best_set(candidates: Candidates, count: int, longest: int, *, apiece: bool = False) -> tuple[float, list[int]]:
    """The most convincing set of letters of one style, and its worth; empty if none convinces.

    count: how many labels there are; longest: the picture's longer side; apiece: whether letters that do not stand
    in a panel each are dropped afterwards. The set holds each label at most once.
    """
    best: tuple[float, list[int]] = (0.0, [])
    for style in np.unique(candidates.style).tolist():
        members = np.flatnonzero(candidates.style == style)
        tried: list[float] = []
        for centre in candidates.size[members][np.argsort(-candidates.worth[members])][:SIZES_TRIED].tolist():
            if any(abs(centre - other) < SAME_SIZE / 3 for other in tried):
                continue
            tried.append(centre)
            near = members[np.abs(candidates.size[members] - centre) <= SAME_SIZE]
            if count - len(np.unique(candidates.label[near])) > gaps(count):
                continue
            picks = _without_strays(candidates.rect, _chosen(candidates, near, count, longest))
            worth = _worth(candidates, picks, count, APIECE if apiece else 0.0)
            if worth > best[0]:
                best = worth, picks
    return best


def gaps(count: int) -> int:
    """Return the allowed number of missing letters among so many."""
    return max(0, count - 1) // LABELS_A_GAP


def _chosen(candidates: Candidates, near: NDArray[np.int64], count: int, longest: int) -> list[int]:
    """The best set of some candidates that are in reading order; empty if none is."""
    rects, worth, labels = candidates.rect[near], candidates.worth[near], candidates.label[near]
    height = float(np.median(rects[:, 3] - rects[:, 1]))
    allowed, tolerance = gaps(count), NEAR * longest
    apart = max(tolerance, APART * longest / math.sqrt(count))
    total = np.zeros(1)
    missing = np.zeros(1, dtype=np.int64)
    # The candidate taken for each label, -1 for none.
    taken: NDArray[np.int64] = np.full((1, count), -1, dtype=np.int64)
    for label in range(count):
        members = _likeliest(rects, worth, np.flatnonzero(labels == label), height)
        x, y = rects[members, 0].astype(float), rects[members, 3].astype(float)
        known = taken[:, :label, None]
        held = known >= 0
        right, down = x - rects[known, 0], y - rects[known, 3]
        before = (right < tolerance) & (down < tolerance) & ((right < -tolerance) | (down < -tolerance))
        same = (np.abs(right) < apart) & (np.abs(down) < apart)
        wrong = ((before | same) & held).any(axis=1)
        left = ((np.abs(right) <= 0.5 * height) & held).any(axis=1)
        base = ((np.abs(down) <= 0.5 * height) & held).any(axis=1)
        with_it = total[:, None] + worth[members] + IN_LINE * (left.astype(float) + base)
        with_it[wrong] = -np.inf
        without = np.where(missing < allowed, total + MISSING, -np.inf)
        both = np.concatenate([with_it, without[:, None]], axis=1)
        order = np.argsort(-both, axis=None, kind="stable")[:BEGINNINGS]
        order = order[np.isfinite(both.ravel()[order])]
        if not len(order):
            return []
        row, column = np.divmod(order, both.shape[1])
        passed = column == len(members)
        chosen = np.where(passed, -1, np.append(members, -1)[column])
        total = both[row, column]
        missing = missing[row] + passed
        taken = taken[row]
        taken[:, label] = chosen
    picked = taken[int(np.argmax(total))]
    return [int(near[pick]) for pick in picked if pick >= 0]


def _likeliest(
    rects: NDArray[np.int64], worth: NDArray[np.float64], members: NDArray[np.int64], height: float
) -> NDArray[np.int64]:
    """Of many shapes for one label, the most telling: of worth, and in line with any others."""
    if len(members) <= SHAPES_TRIED:
        return members
    left = np.abs(rects[members, None, 0] - rects[None, :, 0]) <= 0.5 * height
    base = np.abs(rects[members, None, 3] - rects[None, :, 3]) <= 0.5 * height
    told = worth[members] + 0.5 * IN_LINE * ((left.sum(axis=1) > 1).astype(float) + (base.sum(axis=1) > 1))
    return np.asarray(members[np.argsort(-told, kind="stable")[:SHAPES_TRIED]])


def _worth(candidates: Candidates, picks: list[int], count: int, less: float) -> float:
    """Return the weight of a set; 0 if it is not convincing. less: likeness that is not needed."""
    if len(picks) < max(2, count - gaps(count)):
        return 0.0
    likeness, least_in_line = NEEDED[min(len(picks), max(NEEDED))]
    line = _aligned(candidates.rect[picks])
    if float(candidates.likeness[picks].mean()) < likeness - less or line < least_in_line:
        return 0.0
    worth = float(candidates.worth[picks].sum()) + MISSING * (count - len(picks))
    return worth / count + 0.1 * line


def _without_strays(rects: NDArray[np.int64], picks: list[int]) -> list[int]:
    """The picks without plain strokes, which may be anything, that are out of line with the others."""
    if len(picks) < 2:
        return picks
    chosen = rects[picks]
    tolerance = 0.25 * float(np.median(chosen[:, 3] - chosen[:, 1]))
    narrow = chosen[:, 2] - chosen[:, 0] < NARROW * (chosen[:, 3] - chosen[:, 1])
    stray = narrow & ~_in_line(chosen, tolerance)
    return [pick for pick, out in zip(picks, stray.tolist(), strict=True) if not out]


def _aligned(rects: NDArray[np.int64]) -> float:
    """The share of letters that stand in line with another, across or down."""
    return float(_in_line(rects, 0.6 * float(np.median(rects[:, 3] - rects[:, 1]))).mean())


def _in_line(rects: NDArray[np.int64], tolerance: float) -> NDArray[np.bool_]:
    """Return for each letter whether it begins, or stands, in line with another to so many pixels."""
    left = np.abs(rects[:, None, 0] - rects[None, :, 0]) <= tolerance
    base = np.abs(rects[:, None, 3] - rects[None, :, 3]) <= tolerance
    line = left | base
    np.fill_diagonal(line, False)
    return np.asarray(line.any(axis=1))
