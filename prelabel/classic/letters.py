"""Panel letters printed in the image: found by their shape, believed only if they agree with one another.

A shape that looks like a letter is weak evidence. Letters of one style and size, each label once, in reading order
and lined up are strong: anything less is rejected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prelabel.classic.blobs import blob_rects
from prelabel.classic.canvas import Canvas, Mask, Rect
from prelabel.classic.glyphs import NARROW, Templates, likenesses, shapes_of, templates

#: A letter's height as a share of the longer side, and in pixels.
LOWEST, HIGHEST, LEAST_PIXELS = 0.006, 0.075, 6

#: Letters of dark print are darker than this, those on dark pictures lighter than that.
DARK, LIGHT = 120, 200

#: Likeness to a template below which a shape is no letter, and by which width and height may differ (logarithm).
LIKE, PROPORTION = 0.62, 0.33


#: Sizes of the letters of one figure differ by no more than this (logarithm).
SAME_SIZE = 0.16

#: So many of the likeliest shapes are tried for the size of all.
SIZES_TRIED = 16

#: What free space around a letter and being in line with another add to its likeness.
FREE, IN_LINE = 0.25, 0.12

#: How much letters must look the part on average, and where there are but two.
MEAN_LIKENESS, MEAN_OF_TWO = 0.74, 0.78

#: No more shapes than this are looked at, those in the freest space.
MOST_SHAPES = 250


@dataclass(frozen=True, slots=True)
class Letter:
    """A panel letter found. rect: in the canvas; label: as the caption writes it; likeness: in [0, 1]."""

    rect: Rect
    label: str
    likeness: float


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Shapes that are like a template: one row for each pair. rect: (C, 4); size: logarithm of the font's size."""

    rect: NDArray[np.int64]
    label: NDArray[np.int64]
    style: NDArray[np.int64]
    size: NDArray[np.float64]
    worth: NDArray[np.float64]
    likeness: NDArray[np.float64]


def find_letters(canvas: Canvas, labels: tuple[str, ...]) -> tuple[Letter, ...]:
    """The panel letters of a picture, one for each label in the order given; empty where they are not believed."""
    known = templates(labels) if len(set(labels)) == len(labels) > 1 else None
    if known is None:
        return ()
    best: tuple[float, list[int]] = (0.0, [])
    chosen: _Candidates | None = None
    for light in (False, True):
        if light and np.count_nonzero(canvas.grey < 90) < 0.15 * canvas.grey.size:
            continue
        candidates = _candidates(canvas, known, light=light)
        if candidates is None:
            continue
        for style in np.unique(candidates.style).tolist():
            worth, picks = _set_of(candidates, np.flatnonzero(candidates.style == style), len(labels), canvas)
            if worth > best[0]:
                best, chosen = (worth, picks), candidates
    if chosen is None:
        return ()
    found = [
        Letter(
            (int(row[0]), int(row[1]), int(row[2]), int(row[3])),
            labels[int(chosen.label[pick])],
            float(chosen.likeness[pick]),
        )
        for pick in best[1]
        for row in [chosen.rect[pick]]
    ]
    return tuple(found)


def _candidates(canvas: Canvas, known: Templates, *, light: bool) -> _Candidates | None:
    """The shapes of dark print, or of light, that are like a template."""
    mask = canvas.grey > LIGHT if light else canvas.grey < DARK
    joined = mask.copy()
    # Letter and brackets are one shape: they stand closer than words do.
    reach = max(1, round(0.003 * canvas.longest))
    for shift in range(1, reach + 1):
        joined[:, shift:] |= mask[:, :-shift]
    places = _fitting(blob_rects(joined) - np.array([0, 0, reach, 0], dtype=np.int64), canvas, known)
    free = np.array([_free(joined, (x0, y0, x1, y1)) for x0, y0, x1, y1 in places.tolist()], dtype=np.float64)
    freest = np.lexsort((*places.T[::-1], -free))[:MOST_SHAPES]
    places, free = places[freest], free[freest]
    if not len(places):
        return None
    like = likenesses(shapes_of(canvas.grey, places, light=light), known)
    proportions = np.log((places[:, 2] - places[:, 0]) / (places[:, 3] - places[:, 1]))
    allowed = PROPORTION + np.where(known.proportion < NARROW, PROPORTION, 0.0)
    fits = np.abs(proportions[:, None] - np.log(known.proportion)[None, :]) <= allowed
    shape, template = np.nonzero((like >= LIKE) & fits)
    if not len(shape):
        return None
    likeness = like[shape, template].astype(np.float64)
    heights = (places[:, 3] - places[:, 1])[shape]
    size = np.log(heights / known.height[template])
    return _Candidates(
        places[shape],
        known.label[template],
        known.form[template],
        size.astype(np.float64),
        likeness + FREE * (free[shape] - 1.0),
        likeness,
    )


def _fitting(rects: NDArray[np.int64], canvas: Canvas, known: Templates) -> NDArray[np.int64]:
    """The rectangles that have the size of a letter and the proportions of a template."""
    width, height = rects[:, 2] - rects[:, 0], rects[:, 3] - rects[:, 1]
    low, high = max(LEAST_PIXELS, LOWEST * canvas.longest), HIGHEST * canvas.longest
    proportion = width / height
    slack = math.exp(PROPORTION)
    least = max(0.1, float(known.proportion.min()) / slack**2)
    most = min(3.2, float(known.proportion.max()) * slack)
    fits = (height >= low) & (height <= high) & (proportion >= least) & (proportion <= most) & (width > 1)
    return rects[fits]


def _free(mask: Mask, rect: Rect) -> float:
    """How free of other print the space around a shape is: 1 where there is none."""
    x0, y0, x1, y1 = rect
    reach = max(2, round(0.5 * (y1 - y0)))
    left, top = max(0, x0 - reach), max(0, y0 - reach // 2)
    around = mask[top : y1 + reach // 2, left : x1 + reach]
    inside = mask[y0:y1, x0:x1]
    other = float(np.count_nonzero(around)) - float(np.count_nonzero(inside))
    return max(0.0, 1.0 - 3.0 * other / max(1.0, float(around.size - inside.size)))


def _set_of(
    candidates: _Candidates, members: NDArray[np.int64], count: int, canvas: Canvas
) -> tuple[float, list[int]]:
    """The best set of letters of one style and size, each label once, and its worth; empty if none convinces."""
    best: tuple[float, list[int]] = (0.0, [])
    if len(np.unique(candidates.label[members])) < count:
        return best
    tried: set[float] = set()
    for centre in candidates.size[members][np.argsort(-candidates.worth[members])][:SIZES_TRIED].tolist():
        if any(abs(centre - other) < SAME_SIZE / 3 for other in tried):
            continue
        tried.add(centre)
        near = members[np.abs(candidates.size[members] - centre) <= SAME_SIZE]
        owners = candidates.label[near]
        if len(np.unique(owners)) < count:
            continue
        picks = _lined_up(candidates, near, owners, count)
        likeness = candidates.likeness[picks]
        rects = candidates.rect[picks]
        needed = MEAN_LIKENESS if count > 2 else MEAN_OF_TWO
        if float(likeness.mean()) < needed or _stray_stroke(rects) or not _in_order(rects, canvas):
            continue
        worth = float(candidates.worth[picks].mean()) + 0.1 * _aligned(rects)
        if worth > best[0]:
            best = (worth, picks.tolist())
    return best


def _lined_up(
    candidates: _Candidates, near: NDArray[np.int64], owners: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """One candidate for each label, those in line with the others preferred."""
    rects = candidates.rect[near]
    worth = candidates.worth[near].copy()
    picks = np.array([np.flatnonzero(owners == each)[np.argmax(worth[owners == each])] for each in range(count)])
    for _ in range(2):
        height = np.median(rects[picks, 3] - rects[picks, 1])
        tolerance = 0.5 * height
        left = np.abs(rects[:, None, 0] - rects[None, picks, 0]) <= tolerance
        base = np.abs(rects[:, None, 3] - rects[None, picks, 3]) <= tolerance
        other = owners[:, None] != np.arange(count)[None, :]
        bonus = IN_LINE * ((left & other).any(axis=1).astype(float) + (base & other).any(axis=1))
        total = worth + bonus
        picks = np.array(
            [np.flatnonzero(owners == each)[np.argmax(total[owners == each])] for each in range(count)]
        )
    chosen: NDArray[np.int64] = near[picks]
    return chosen


def _stray_stroke(rects: NDArray[np.int64]) -> bool:
    """Whether a plain stroke, which may be anything, is out of line with the other letters."""
    height = rects[:, 3] - rects[:, 1]
    narrow = np.flatnonzero(rects[:, 2] - rects[:, 0] < NARROW * height)
    tolerance = 0.25 * float(np.median(height))
    for place in narrow.tolist():
        rest = np.delete(rects, place, axis=0)
        left = np.abs(rest[:, 0] - rects[place, 0]) <= tolerance
        base = np.abs(rest[:, 3] - rects[place, 3]) <= tolerance
        if not (left.any() or base.any()):
            return True
    return False


def _in_order(rects: NDArray[np.int64], canvas: Canvas) -> bool:
    """Whether letters follow one another as one reads: none lies both above and left of the one before."""
    tolerance = 0.03 * canvas.longest
    x, y = rects[:, 0].astype(float), rects[:, 3].astype(float)
    for place in range(1, len(rects)):
        back = x[place] < x[place - 1] + tolerance and y[place] < y[place - 1] - tolerance
        same = abs(x[place] - x[place - 1]) < tolerance and abs(y[place] - y[place - 1]) < tolerance
        if back or same:
            return False
    return _aligned(rects) >= 0.5


def _aligned(rects: NDArray[np.int64]) -> float:
    """The share of letters that stand in line with another, across or down."""
    tolerance = 0.6 * float(np.median(rects[:, 3] - rects[:, 1]))
    left = np.abs(rects[:, None, 0] - rects[None, :, 0]) <= tolerance
    base = np.abs(rects[:, None, 3] - rects[None, :, 3]) <= tolerance
    line = left | base
    np.fill_diagonal(line, False)
    return float(line.any(axis=1).mean())
