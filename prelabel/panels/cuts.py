"""Possible cuts of a rectangle: empty gutters, and the seams of stitched pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prelabel.panels.canvas import SPECKS, Canvas, Rect

#: A seam is looked for where at least this share is ink.
FILLED = 0.75

#: How much a line of a grid must stand out to be as likely as not, and what each bit more adds.
EVEN_SEAM, PER_SEAM = 0.72, 8.0

#: Log-odds of a seam: constant, for each bit by which it stands out, and for each by which a line so near is more
#: even than others, at most so many. Fitted on stitched pictures. Seams below the least are none, above the surest
#: no surer.
SEAM, STANDS_OUT, EVEN_LINE, BY_IT, MOST_EVEN = -10.2, 5.25, 1.9, 4, 3.0
LEAST_SEAM, SUREST_SEAM = -1.0, 4.0

#: A seam is the edge of a bar or of a field of one colour if less than this share of the pixels this far beside it
#: differ from the next, and they are on average lighter than this; the weight of that.
TEXTURED, BESIDE, DARK, FLAT = 0.12, 3, 48, 3.0

#: A seam is compared with the content this many pixels to either side.
NEAR = (3, 5, 7)

#: Pieces that a seam is judged by: it should show in most of them.
CHUNKS = 12


def empty_runs(counts: NDArray[np.int32], length: int) -> list[tuple[int, int]]:
    """Runs [start, stop) of lines with next to no ink, without those at the ends.

    counts: ink of each line, `length` pixels long.
    """
    filled = counts > SPECKS * length
    edges = np.flatnonzero(filled[1:] != filled[:-1]) + 1
    if not len(edges):
        return []
    if not filled[0]:
        edges = edges[1:]
    return list(zip(edges[:-1:2].tolist(), edges[1::2].tolist(), strict=True)) if len(edges) > 1 else []


def solid_edges(counts: NDArray[np.int32], band: tuple[int, int], length: int) -> float:
    """The share of a gutter's length along which both sides are full from the edge on, as pictures are.

    Frames and axes of plots are full on their line only.
    """
    start, stop = band
    before = int(counts[max(0, start - 5) : max(1, start - 1)].min(initial=length))
    after = int(counts[stop + 1 : stop + 5].min(initial=length))
    return min(before, after) / max(1, length)


def _around(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the trimmed mean of the differences near each place, without itself and its next neighbours."""
    reach = max(NEAR)
    padded = np.pad(steps, ((0, 0), (reach, reach)), mode="edge")
    size = steps.shape[1]
    views = [padded[:, reach + offset : reach + offset + size] for near in NEAR for offset in (-near, near)]
    total, least, most = views[0] + 0.0, views[0].copy(), views[0].copy()
    for view in views[1:]:
        total += view
        np.minimum(least, view, out=least)
        np.maximum(most, view, out=most)
    return np.asarray((total - least - most) / (len(views) - 2))


def steps_of(canvas: Canvas, rect: Rect, axis: int) -> NDArray[np.float64]:
    """Mean difference of each line to the next, (pieces, lines - 1), over each of some pieces of the breadth."""
    x0, y0, x1, y1 = rect
    marks = _marks((x1 - x0) if axis == 0 else (y1 - y0))
    edges = np.abs(np.diff(canvas.grey[y0:y1, x0:x1], axis=axis))
    sums = np.add.reduceat(edges if axis == 1 else edges.T, marks[:-1], axis=0, dtype=np.int32)
    return np.asarray(sums / np.diff(marks)[:, None])


def levels_of(canvas: Canvas, rect: Rect, axis: int) -> NDArray[np.float64]:
    """Mean grey level of each line, (pieces, lines), over the same pieces."""
    x0, y0, x1, y1 = rect
    marks = _marks((x1 - x0) if axis == 0 else (y1 - y0))
    grey = canvas.grey[y0:y1, x0:x1]
    sums = np.add.reduceat(grey if axis == 1 else grey.T, marks[:-1], axis=0, dtype=np.int32)
    return np.asarray(sums / np.diff(marks)[:, None])


def _marks(across: int) -> NDArray[np.int64]:
    return np.linspace(0, across, min(CHUNKS, max(1, across // 6)) + 1).astype(np.int64)


def standing_out(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much (logarithm, bounded) steps stand out from those near them."""
    return np.asarray(np.clip(np.log2((steps + 2.0) / (_around(steps) + 2.0)), -0.5, 2.0))


def seams(canvas: Canvas, rect: Rect, axis: int, smallest: int) -> list[tuple[int, float]]:
    """Straight edges that stand out from what is around them over most of the breadth, best first.

    Returns place and weight of each. A place is where the second part begins, from the start of the rectangle.
    A weight is log-odds: 0 is even.
    smallest: pixels left on either side.
    """
    if canvas.share(rect) < FILLED:
        return []
    steps = steps_of(canvas, rect, axis)
    if steps.shape[1] < 2 * smallest + 3:
        return []
    shown = standing_out(steps).mean(axis=0)
    weights = (SEAM + STANDS_OUT * shown + EVEN_LINE * _evenness(canvas.spread(rect, axis)))[smallest:-smallest]
    found: list[tuple[int, float]] = []
    for place in np.argsort(-weights, kind="stable")[:16].tolist():
        if weights[place] < LEAST_SEAM:
            break
        at = place + smallest + 1
        if all(abs(at - other) > 4 for other, _ in found):
            found.append((at, float(weights[place])))
    found = [(at, min(SUREST_SEAM, weight) - FLAT * _flat(canvas, rect, axis, at)) for at, weight in found]
    return [each for each in found if each[1] >= LEAST_SEAM]


def _evenness(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much (logarithm, bounded) the most even line by each border of lines is more so than the mean.

    spread: standard deviation of each line. Returns one less, as steps are.
    """
    padded = np.pad(spread, BY_IT, mode="edge")
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * BY_IT)[1 : len(spread)].min(axis=1)
    return np.asarray(np.minimum(MOST_EVEN, np.log2((spread.mean() + 2.0) / (near + 2.0))))


def _flat(canvas: Canvas, rect: Rect, axis: int, at: int) -> bool:
    """Return whether both sides of a seam are of one colour along it, as bars and fields are, and not dark."""
    x0, y0, x1, y1 = rect
    grey = canvas.grey[y0:y1, x0:x1] if axis == 0 else canvas.grey[y0:y1, x0:x1].T
    lines = grey[[max(0, at - BESIDE), min(len(grey) - 1, at + BESIDE - 1)]]
    changing = (np.abs(np.diff(lines, axis=1, prepend=lines[:, :1])) > 1).mean(axis=1)
    return bool(changing.max() < TEXTURED and lines.mean(axis=1).min() > DARK)
