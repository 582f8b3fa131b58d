"""Regular grids of stitched pictures: where equal cells meet, lines that show in part are believed as a whole."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import EVEN_SEAM, PER_SEAM, levels_of, standing_out, steps_of

#: Figures with more of a light ground than this share are no mosaics of pictures.
MOST_LIGHT = 0.3

#: The most cells along an axis; the least width of a cell, in pixels.
MOST_CELLS, NARROWEST = 6, 40

#: Lines are looked for this many pixels around where equal cells would meet: gaps between cells shift them.
SLACK = 5

#: A piece of a line darker than this on both sides tells nothing; a line wholly so weighs that much for a cut.
BLACK, MEETING = 24.0, 1.0
MET, DARK = 0.5, 0.15

#: What each line must make up for, and what the weakest of a grid must reach.
COST, WEAKEST = 0.75, -1.5

#: What cells nearer to square weigh, for each unit of the logarithm of width by height, and at most.
SQUARER, SQUAREST = 4.0, 3.0

#: A line of one row of pictures weighs at least this, and this share of the surest; pictures are no narrower than
#: that share of the row's height.
SURE, HALF_AS_SURE, SLENDER = 2.0, 0.5, 0.4

#: A single row of pictures of unlike width is that much wider than high, its pictures no more so much higher than
#: wide.
IN_A_ROW, TALLEST = 1.3, 1.6

#: Bounds of what one line may weigh, and what the lines of an axis weigh together to be believed.
WORST, BEST, BELIEVED = -4.0, 4.0, 2.0

#: Other lines that stand out like this share of the grid's make it a pattern.
ALIKE = 0.75

#: A line that stands out no more than this in a column does not divide it.
ABSENT = 0.4

#: What stands out less than this tells nothing, and neither does what is so near an end, in pixels.
FAINT, AT_END = 0.3, NARROWEST // 3


def lattice(canvas: Canvas) -> tuple[list[Rect], float] | None:
    """The cells of a grid of pictures in reading order, and how much speaks for them; None if there is none.

    What speaks is log-odds: 0 is even.
    """
    area = _without_margin(canvas)
    x0, y0, x1, y1 = area
    if min(x1 - x0, y1 - y0) < 2 or canvas.light_ground(area) > MOST_LIGHT:
        return None
    down, high = _lines(canvas, area, 0)
    across, wide = _lines(canvas, area, 1)
    if across and not down:
        down, high = _lines(canvas, area, 0, beside=(x1 - x0) / (len(across) + 1))
    elif down and not across:
        across, wide = _lines(canvas, area, 1, beside=(y1 - y0) / (len(down) + 1))
    elif not down:
        across = _own_lines(canvas, area)
        if not across or (len(across) + 1) * (y1 - y0) > TALLEST * (x1 - x0) or x1 - x0 < IN_A_ROW * (y1 - y0):
            return None
    tall = [(left, y0, right, y1) for left, right in pairwise([x0, *across, x1])] if down and across else []
    undivided = [each for each in tall if not _divides(canvas, each, down)]
    if undivided and len(undivided) < len(tall):
        # One picture beside a pile of others.
        piled = [each for each in tall if each not in undivided]
        rows = pairwise([y0, *down, y1])
        return [*undivided, *((x, top, right, end) for top, end in rows for x, _, right, _ in piled)], high + wide
    cells: list[Rect] = []
    for top, bottom in pairwise([y0, *down, y1]):
        # Where no line runs through all rows, pictures of each row may be of unlike width.
        own = across or _own_lines(canvas, (x0, top, x1, bottom))
        wide += 0.0 if across else COST * len(own)
        cells += [(left, top, right, bottom) for left, right in pairwise([x0, *own, x1])]
    return cells, high + wide


def _without_margin(canvas: Canvas) -> Rect:
    """The picture without even, light lines around it: black ones may be of the pictures."""
    grey = canvas.grey
    spans = []
    for axis in (1, 0):
        low, high = grey.min(axis=axis), grey.max(axis=axis)
        kept = np.flatnonzero((high - low > 24) | (high < 60))
        spans.append((int(kept[0]), int(kept[-1]) + 1) if len(kept) else (0, len(low)))
    (y0, y1), (x0, x1) = spans
    return x0, y0, x1, y1


def _lines(canvas: Canvas, area: Rect, axis: int, *, beside: float | None = None) -> tuple[list[int], float]:
    """Find where the cells along an axis meet, and the evidence for it; no places without evidence.

    beside: pixels of a cell along the other axis, where that is known: cells are seldom far from square.
    """
    length = area[3] - area[1] if axis == 0 else area[2] - area[0]
    if length < 2 * NARROWEST:
        return [], 0.0
    start = area[1] if axis == 0 else area[0]
    steps = steps_of(canvas, area, axis)
    levels = levels_of(canvas, area, axis)
    plain = standing_out(steps)
    black = np.maximum(levels[:, 1:], levels[:, :-1]) < BLACK
    unseen = EVEN_SEAM - DARK * float(black.mean())
    told = np.where(black & (plain < unseen), unseen, plain)
    shown = told.mean(axis=0)
    meeting = black.all(axis=0)
    special = min(MEETING, math.log(MET / max(0.01, float(meeting.mean()))))
    weights = np.clip(PER_SEAM * (shown - EVEN_SEAM), WORST, BEST) + special * meeting - COST
    best: tuple[float, list[int]] = (BELIEVED, [])
    for count in range(2, min(MOST_CELLS, length // NARROWEST) + 1):
        places = [_nearest(weights, round(length * k / count)) for k in range(1, count)]
        total = float(weights[places].sum())
        if beside is not None:
            squarer = abs(math.log(length / beside)) - abs(math.log(length / count / beside))
            total += min(SQUAREST, SQUARER * squarer)
        if total > best[0] and weights[places].min() > WEAKEST and not _patterned(plain.mean(axis=0), places):
            best = total, places
    return [start + place + 1 for place in best[1]], best[0] if best[1] else 0.0


def _own_lines(canvas: Canvas, strip: Rect) -> list[int]:
    """Find where the pictures of one row meet, whatever their width; none if many lines stand out."""
    x0, y0, x1, y1 = strip
    least = max(NARROWEST, round(SLENDER * (y1 - y0)))
    if x1 - x0 < 2 * least:
        return []
    equal, _ = _lines(canvas, strip, 1)
    weights = PER_SEAM * (standing_out(steps_of(canvas, strip, 1)).mean(axis=0) - EVEN_SEAM)
    chosen: list[int] = []
    sure = 0.0
    for place in np.argsort(-weights, kind="stable").tolist():
        if weights[place] < max(SURE, sure):
            break
        at = x0 + place + 1
        if all(abs(at - other) >= least for other in (x0, x1, *chosen)):
            chosen.append(at)
            sure = max(sure, HALF_AS_SURE * float(weights[place]))
    return equal if len(equal) >= len(chosen) or len(chosen) >= MOST_CELLS else sorted(chosen)


def _divides(canvas: Canvas, column: Rect, places: list[int]) -> bool:
    """Return whether any of the lines between rows shows in a column, or could not for black."""
    shown = standing_out(steps_of(canvas, column, 0)).mean(axis=0)
    levels = levels_of(canvas, column, 0)
    black = (np.maximum(levels[:, 1:], levels[:, :-1]) < BLACK).mean(axis=0)
    at = [place - column[1] - 1 for place in places]
    return any(shown[max(0, one - 2) : one + 3].max() > ABSENT or black[one] > MET for one in at)


def _nearest(weights: NDArray[np.float64], about: int) -> int:
    """The weightiest place near one, the nearest of equals."""
    low = max(0, about - 1 - SLACK)
    near = weights[low : about + SLACK]
    places = np.flatnonzero(near >= near.max() - 1e-9) + low
    return int(places[np.argmin(np.abs(places - (about - 1)))])


def _patterned(shown: NDArray[np.float64], places: list[int]) -> bool:
    """Return whether more lines elsewhere stand out as these do; frames at the ends are none."""
    needed = ALIKE * float(np.median(shown[places]))
    if needed <= FAINT:
        return False
    others = np.flatnonzero(shown[AT_END:-AT_END] > needed) + AT_END
    others = others[np.abs(others[:, None] - np.array(places)[None, :]).min(axis=1) > 2 * SLACK]
    return int(np.count_nonzero(np.diff(others, prepend=-99) > SLACK)) > len(places) + 1
