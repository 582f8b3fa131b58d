"""Panel letters printed in the image: found by their shape, believed only if they agree with one another.

A shape that looks like a letter is weak evidence. Letters of one style and size, each label once, in reading order
and lined up are strong: anything less is rejected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.blobs import blob_rects
from prelabel.panels.canvas import Canvas, Mask, Rect
from prelabel.panels.letters.glyphs import NARROW, Templates, likenesses, shapes_of, templates
from prelabel.panels.letters.sets import Candidates, best_set

#: A letter's height as a share of the longer side, and in pixels.
LOWEST, HIGHEST, LEAST_PIXELS = 0.006, 0.075, 6

#: Letters of dark print are darker than a level, those on dark pictures lighter. Thin ones show at the first level
#: only, those that other print touches at the second.
DARK, LIGHT = (160, 120), (150,)

#: Likeness to a template below which a shape is no letter, and by which width and height may differ (logarithm).
LIKE, PROPORTION = 0.62, 0.33

#: Brackets are looked for where shapes stand at least so free.
CLEAR = 0.4

#: Brackets are narrower than this share of their height, and higher than that share of what is in them. Both
#: with what is in them are no narrower than the last share of their height.
BRACKET, AS_HIGH, LEAST_WIDE = 0.45, 0.95, 0.7

#: What print nearby takes from a letter's likeness, at most.
FREE = 0.25

#: Light letters are looked for where this share of the picture is dark.
DARK_PICTURE = 0.15

#: No more shapes than this are looked at, those in the freest space.
MOST_SHAPES = 400


@dataclass(frozen=True, slots=True)
class Letter:
    """A panel letter found. rect: in the canvas; label: as the caption writes it; likeness: in [0, 1].

    capital: whether it is printed so, as far as its shape tells.
    """

    rect: Rect
    label: str
    likeness: float
    capital: bool = False


def find_row(canvas: Canvas, count: int, first: Rect) -> tuple[Letter, ...]:
    """So many letters from A or a on, labelled as they are printed, where a caption names none; all or none.

    They are to be believed only if each stands in a panel of its own. first: the panel of the first; without a
    shape like that in it, which takes less time to tell, no other is looked for.
    """
    known = templates(("A",))
    lights = _lights(canvas)
    if known is None or not any(_candidates(canvas, known, light=light, within=first) for light in lights):
        return ()
    found = find_letters(canvas, tuple(ascii_uppercase[:count]), apiece=True)
    if len(found) < count:
        return ()
    return tuple(each if each.capital else replace(each, label=each.label.lower()) for each in found)


def find_letters(canvas: Canvas, labels: tuple[str, ...], *, apiece: bool = False) -> tuple[Letter, ...]:
    """The panel letters of a picture, one for each label in the order given; empty if they are not believed.

    apiece: whether they will be dropped unless each stands in a panel of its own, so that less is needed.
    """
    known = templates(labels) if len(set(labels)) == len(labels) > 1 else None
    if known is None:
        return ()
    height, width = canvas.grey.shape
    pools = [_candidates(canvas, known, light=light, within=(0, 0, width, height)) for light in _lights(canvas)]
    if len(pools) > 1:
        pools.append(_together(pools))
    best: tuple[float, list[int]] = (0.0, [])
    chosen: Candidates | None = None
    for number, pool in enumerate(pools):
        if pool is None or (number == 2 and chosen is not None):
            continue
        found = best_set(pool, len(labels), canvas.longest, apiece=apiece)
        if found[0] > best[0]:
            best, chosen = found, pool
    if chosen is None:
        return ()
    return tuple(
        Letter(
            (x0, y0, x1, y1),
            labels[int(chosen.label[pick])],
            float(chosen.likeness[pick]),
            bool(chosen.style[pick] % 2),
        )
        for pick, (x0, y0, x1, y1) in zip(best[1], chosen.rect[best[1]].tolist(), strict=True)
    )


def _lights(canvas: Canvas) -> tuple[bool, ...]:
    """The searches to make, for dark print or also for light: whether each is for light print."""
    dark = np.count_nonzero(canvas.grey < 90) >= DARK_PICTURE * canvas.grey.size
    return (False, True) if dark else (False,)


def _together(pools: list[Candidates | None]) -> Candidates | None:
    """Dark and light letters as one set's candidates: some panels may be dark pictures, others not."""
    known = [pool for pool in pools if pool is not None]
    if len(known) < 2:
        return None
    return Candidates(
        *(np.concatenate([getattr(pool, field.name) for pool in known]) for field in fields(Candidates))
    )


def _candidates(canvas: Canvas, known: Templates, *, light: bool, within: Rect) -> Candidates | None:
    """The shapes of dark print, or of light, in a rectangle that are like a template."""
    places, free = np.zeros((0, 4), dtype=np.int64), np.zeros(0)
    for level in LIGHT if light else DARK:
        more, space = _shapes(canvas, known, level, light=light, within=within)
        new = ~(np.abs(more[:, None, :] - places[None, :, :]).max(axis=2) == 0).any(axis=1)
        places, free = np.concatenate([places, more[new]]), np.concatenate([free, space[new]])
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
    return Candidates(
        places[shape],
        known.label[template],
        known.form[template],
        size.astype(np.float64),
        likeness + FREE * (free[shape] - 1.0),
        likeness,
    )


def _shapes(
    canvas: Canvas, known: Templates, level: int, *, light: bool, within: Rect
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Shapes (S, 4) darker or lighter than a grey level that have a letter's size; how free they stand (S,)."""
    x0, y0, x1, y1 = within
    grey = canvas.grey[y0:y1, x0:x1]
    mask = grey > level if light else grey < level
    joined = mask.copy()
    # Letter and brackets are one shape: they stand closer than words do.
    reach = max(1, round(0.003 * canvas.longest))
    for shift in range(1, reach + 1):
        joined[:, shift:] |= mask[:, :-shift]
    places = _fitting(blob_rects(joined) - np.array([0, 0, reach, 0], dtype=np.int64), canvas, known)
    free = np.array([_free(joined, rect) for rect in places.tolist()], dtype=np.float64)
    clear = np.flatnonzero(free >= CLEAR)
    inner, owners = _within_brackets(mask, places[clear])
    shapes = np.concatenate([places, inner]) + np.array([x0, y0, x0, y0], dtype=np.int64)
    return shapes, np.concatenate([free, free[clear[owners]]])


def _within_brackets(mask: Mask, rects: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what stands between two brackets: rectangles (S, 4), and from which of `rects` each is.

    Of faces, brackets differ more than letters do.
    """
    found, owners = [], []
    wide = np.flatnonzero(rects[:, 2] - rects[:, 0] >= LEAST_WIDE * (rects[:, 3] - rects[:, 1]))
    for place in wide.tolist():
        x0, y0, x1, y1 = rects[place].tolist()
        shape = mask[y0:y1, x0:x1]
        edges = np.flatnonzero(np.diff(shape.any(axis=0), prepend=False, append=False))
        if len(edges) != 6:
            continue
        pieces = [shape[:, start:stop] for start, stop in edges.reshape(3, 2)]
        rows = [np.flatnonzero(piece.any(axis=1)) for piece in pieces]
        heights = [int(each[-1] - each[0] + 1) for each in rows]
        widest = max(pieces[0].shape[1], pieces[2].shape[1])
        if min(heights[0], heights[2]) < AS_HIGH * heights[1] or widest > BRACKET * heights[0]:
            continue
        if heights[1] >= LEAST_PIXELS:
            found.append((x0 + edges[2], y0 + rows[1][0], x0 + edges[3], y0 + rows[1][-1] + 1))
            owners.append(place)
    return np.array(found, dtype=np.int64).reshape(-1, 4), np.array(owners, dtype=np.int64)


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
    """Return how free of other print the space around a shape is: 1 for empty space."""
    x0, y0, x1, y1 = rect
    reach = max(2, round(0.5 * (y1 - y0)))
    left, top = max(0, x0 - reach), max(0, y0 - reach // 2)
    around = mask[top : y1 + reach // 2, left : x1 + reach]
    inside = mask[y0:y1, x0:x1]
    other = float(np.count_nonzero(around)) - float(np.count_nonzero(inside))
    return max(0.0, 1.0 - 3.0 * other / max(1.0, float(around.size - inside.size)))
