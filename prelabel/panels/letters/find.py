"""Panel letters printed in the image: found by their shape, believed only if they agree with one another.

A shape that looks like a letter is weak evidence. Letters of one style and size, each label once, in reading order
and lined up are strong: anything less is rejected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from prelabel.panels.canvas import Canvas, Mask, Rect
from prelabel.panels.letters.glyphs import NARROW, Templates, likenesses, shapes_of, templates

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

#: No figure has more panels with letters than this. Beyond a short run, one letter of so many may be missing.
MOST_NAMES = 52
_SHORT_RUN, _RUN_A_GAP = 8, 4

#: After so many numbers of letters that are not found, a run is over.
_ENDED = 2


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
    """So many letters from A or a on, labelled as they are printed, where a caption names none; () if some lack.

    A few of many may. They are to be believed only if each stands in a panel of its own. first: the panel of the
    first; without a shape like that in it, which takes less time to tell, no other is looked for.
    """
    known = templates(("A",))
    lights = _lights(canvas)
    if known is None or not any(_candidates(canvas, known, light=light, within=first) for light in lights):
        return ()
    found = find_letters(canvas, letter_names(count), apiece=True)
    return _as_printed(found) if count - len(found) <= may_lack(count) else ()


def find_run(canvas: Canvas) -> tuple[Letter, ...]:
    """As many letters from A or a on as follow each other, labelled as they are printed; () for fewer than two.

    A few of many may be missing. Two or three shapes in a plot look like letters now and then.
    """
    known = templates(("A",))
    height, width = canvas.grey.shape
    everywhere = (0, 0, width, height)
    if known is None or not any(
        _candidates(canvas, known, light=light, within=everywhere) for light in _lights(canvas)
    ):
        return ()
    best: tuple[Letter, ...] = ()
    ended = 0
    for count in range(2, MOST_NAMES + 1):
        found = find_letters(canvas, letter_names(count), apiece=True)
        ended = 0 if found and count - len(found) <= may_lack(count) else ended + 1
        if not ended:
            best = found
        elif ended == _ENDED:
            break
    return _as_printed(best)


def may_lack(count: int) -> int:
    """Return how many of so many letters may be missing where no caption names them."""
    return max(0, count - _SHORT_RUN) // _RUN_A_GAP


def letter_names(count: int) -> tuple[str, ...]:
    """The labels of so many panels from A on: A to Z, then AA, AB, ...; MOST_NAMES at most."""
    more = (f"A{letter}" for letter in ascii_uppercase)
    return (*ascii_uppercase, *more)[:count]


def names_up_to(letters: Sequence[Letter]) -> tuple[str, ...]:
    """The labels of all panels from the first to the last of a run of letters, in its case."""
    names = letter_names(MOST_NAMES)
    if letters and letters[-1].label.islower():
        names = tuple(name.lower() for name in names)
    return names[: names.index(letters[-1].label) + 1] if letters else ()


def _as_printed(letters: tuple[Letter, ...]) -> tuple[Letter, ...]:
    return tuple(each if each.capital else replace(each, label=each.label.lower()) for each in letters)


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
        heights = [int(row[-1] - row[0] + 1) for row in rows]
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


def blob_rects(mask: Mask) -> NDArray[np.int64]:
    """The rectangles of shapes connected along rows and columns, in no particular order.

    mask: (height, width). Returns (shapes, 4): x0, y0, x1, y1, half open.
    """
    height, width = mask.shape
    line = width + 1
    # One column of nothing keeps runs of neighbouring rows apart.
    flat = np.zeros(height * line + 1, dtype=np.bool_)
    flat[1:].reshape(height, line)[:, :width] = mask
    edges = (flat[1:] != flat[:-1]).nonzero()[0]
    starts, stops = edges[::2], edges[1::2]
    if not len(starts):
        return np.zeros((0, 4), dtype=np.int64)
    # The runs of the row below that touch a run are neighbours in the list of all.
    low = np.searchsorted(stops, starts + line, side="right")
    high = np.maximum(np.searchsorted(starts, stops + line, side="left"), low)
    links = high - low
    bounds = np.concatenate([[0], np.cumsum(links)])
    touched = np.arange(bounds[-1]) - np.repeat(bounds[:-1] - low, links)
    graph = csr_array((np.ones(len(touched), dtype=np.int8), touched, bounds), shape=(len(starts), len(starts)))
    count, owner = connected_components(graph, directed=False)
    rows, first = np.divmod(starts, line)
    last = stops - rows * line
    order = np.argsort(owner, kind="stable")
    begins = np.searchsorted(owner[order], np.arange(count))
    return np.stack(
        [
            np.minimum.reduceat(first[order], begins),
            np.minimum.reduceat(rows[order], begins),
            np.maximum.reduceat(last[order], begins),
            np.maximum.reduceat(rows[order], begins) + 1,
        ],
        axis=1,
    )


# Sets of panel letters: of shapes that look like letters, those that agree in style, size, lines and order.
# Shapes are taken label by label, the best beginnings kept; a label whose letter is not found is skipped where
# the others are many and sure.

#: Sizes of the letters of one figure differ by no more than this (logarithm).
_SAME_SIZE = 0.13

#: This many of the likeliest shapes are tried for the size of all.
_SIZES_TRIED = 16

#: This many beginnings of a set are kept, and this many shapes tried for each label.
_BEGINNINGS, _SHAPES_TRIED = 12, 10

#: What being in line with another adds to a letter's worth, each way.
_IN_LINE = 0.12

#: Of how many letters how much they must look the part on average, and what share must be in line with another.
#: Text of any kind holds two or three such shapes in reading order now and then, but seldom five.
_NEEDED = {2: (0.78, 0.5), 3: (0.74, 0.5), 4: (0.74, 0.5), 5: (0.7, 0.0)}

#: By so much less where each letter must also stand in a panel of its own. 866 figures searched for letters that
#: they do not have (from K on, from P on) gave none.
_APIECE = 0.08

#: The weight of a label whose letter is not found; after each so many labels one more may be missing.
_MISSING, _LABELS_A_GAP = 0.62, 4

#: Letters nearer than this share of the picture's longer side are in one row, or one column.
_NEAR = 0.03

#: Letters of two panels are no nearer than this share of an average panel's side, were the picture and all square.
_APART = 0.2


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
        for centre in candidates.size[members][np.argsort(-candidates.worth[members])][:_SIZES_TRIED].tolist():
            if any(abs(centre - other) < _SAME_SIZE / 3 for other in tried):
                continue
            tried.append(centre)
            near = members[np.abs(candidates.size[members] - centre) <= _SAME_SIZE]
            if count - len(np.unique(candidates.label[near])) > gaps(count):
                continue
            picks = _without_strays(candidates.rect, _chosen(candidates, near, count, longest))
            worth = _worth(candidates, picks, count, _APIECE if apiece else 0.0)
            if worth > best[0]:
                best = worth, picks
    return best


def gaps(count: int) -> int:
    """Return the allowed number of missing letters among so many."""
    return max(0, count - 1) // _LABELS_A_GAP


def _chosen(candidates: Candidates, near: NDArray[np.int64], count: int, longest: int) -> list[int]:
    """The best set of some candidates that are in reading order; empty if none is."""
    rects, worth, labels = candidates.rect[near], candidates.worth[near], candidates.label[near]
    height = float(np.median(rects[:, 3] - rects[:, 1]))
    allowed, tolerance = gaps(count), _NEAR * longest
    apart = max(tolerance, _APART * longest / math.sqrt(count))
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
        with_it = total[:, None] + worth[members] + _IN_LINE * (left.astype(float) + base)
        with_it[wrong] = -np.inf
        without = np.where(missing < allowed, total + _MISSING, -np.inf)
        both = np.concatenate([with_it, without[:, None]], axis=1)
        order = np.argsort(-both, axis=None, kind="stable")[:_BEGINNINGS]
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
    if len(members) <= _SHAPES_TRIED:
        return members
    left = np.abs(rects[members, None, 0] - rects[None, :, 0]) <= 0.5 * height
    base = np.abs(rects[members, None, 3] - rects[None, :, 3]) <= 0.5 * height
    told = worth[members] + 0.5 * _IN_LINE * ((left.sum(axis=1) > 1).astype(float) + (base.sum(axis=1) > 1))
    return np.asarray(members[np.argsort(-told, kind="stable")[:_SHAPES_TRIED]])


def _worth(candidates: Candidates, picks: list[int], count: int, less: float) -> float:
    """Return the weight of a set; 0 if it is not convincing. less: likeness that is not needed."""
    if len(picks) < max(2, count - gaps(count)):
        return 0.0
    likeness, least_in_line = _NEEDED[min(len(picks), max(_NEEDED))]
    line = _aligned(candidates.rect[picks])
    if float(candidates.likeness[picks].mean()) < likeness - less or line < least_in_line:
        return 0.0
    worth = float(candidates.worth[picks].sum()) + _MISSING * (count - len(picks))
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
