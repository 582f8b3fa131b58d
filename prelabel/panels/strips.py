"""Lines of a caption that were cropped in with the figure."""

from __future__ import annotations

import numpy as np

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import empty_runs

#: A line of text is no higher than this share of the longer side, and no lower than this many pixels.
HIGHEST_LINE, LOWEST_LINE = 0.035, 4

#: Text runs over this share of the figure's width, begins within that share of its left edge, and its words are no
#: farther apart than this many times its height.
LONG_LINE, AT_LEFT, WORD_GAP = 0.6, 0.06, 1.3

#: The share of a line's area that print fills.
LEAST_PRINT, MOST_PRINT = 0.06, 0.55

#: A frame's lines are full over this share of a side, and no thicker than that share of the longer one; the
#: line within has no more ink than the last share.
FRAME, THICK_FRAME, MOST_WITHIN = 0.97, 0.012, 0.5

#: No more lines of caption are taken off than this.
MOST_LINES = 8


def figure_area(canvas: Canvas) -> Rect:
    """The picture without margins and without lines of running text below it.

    The last line of a caption may be short; rows of panel letters and axis labels are no running text.
    """
    whole = _within_frame(canvas, canvas.tight(canvas.whole) or canvas.whole)
    rest = whole
    for _ in range(MOST_LINES):
        band = _last_band(canvas, rest)
        if band is None:
            break
        start, gap = band
        line = canvas.tight((rest[0], start, rest[2], rest[3]))
        if line is None or not _is_text(canvas, line, whole, last=rest == whole):
            break
        rest = canvas.tight((rest[0], rest[1], rest[2], gap)) or rest
    return rest if rest == whole or _has_long_line(canvas, rest, whole) else whole


def _within_frame(canvas: Canvas, rect: Rect) -> Rect:
    """Return the inside of a thin line around the whole picture; the rectangle itself if there is none."""
    limits = []
    for axis in (1, 0):
        counts = canvas.inked(rect, axis)
        length = rect[3] - rect[1] if axis == 1 else rect[2] - rect[0]
        reach = min(len(counts) // 4, max(2, round(THICK_FRAME * canvas.longest)))
        for side in (counts[:reach], counts[::-1][:reach]):
            full = side > FRAME * length
            thick = int(np.argmin(full)) if len(full) else 0
            if not thick or side[thick] > MOST_WITHIN * length:
                return rect
            limits.append(thick)
    left, right, top, bottom = limits
    inner = rect[0] + left, rect[1] + top, rect[2] - right, rect[3] - bottom
    tight = canvas.tight(inner)
    return tight if tight is not None and tight != inner else rect


def _last_band(canvas: Canvas, rect: Rect) -> tuple[int, int] | None:
    """Return where the lowest band of ink of a rectangle starts, and where the gap above it starts."""
    runs = empty_runs(canvas.inked(rect, 0), rect[2] - rect[0])
    if not runs:
        return None
    gap, start = runs[-1]
    return rect[1] + start, rect[1] + gap


def _is_text(canvas: Canvas, line: Rect, whole: Rect, *, last: bool) -> bool:
    """Return whether a band is a line of running text. last: it is the lowest, which may be short."""
    x0, y0, x1, y1 = line
    height, width = y1 - y0, x1 - x0
    if not LOWEST_LINE <= height <= HIGHEST_LINE * canvas.longest:
        return False
    full = whole[2] - whole[0]
    if x0 - whole[0] > AT_LEFT * full or (width < LONG_LINE * full and not last):
        return False
    if not LEAST_PRINT <= canvas.share(line) <= MOST_PRINT:
        return False
    gaps = empty_runs(canvas.inked(line, 1), height)
    return max((stop - start for start, stop in gaps), default=0) <= WORD_GAP * height + 2 and len(
        gaps
    ) > width / (6.0 * height)


def _has_long_line(canvas: Canvas, rest: Rect, whole: Rect) -> bool:
    """Return whether what was taken off holds a line over most of the figure's width, which a label never is."""
    off = (whole[0], rest[3], whole[2], whole[3])
    filled = np.flatnonzero(canvas.inked(off, 1) > 0)
    return bool(len(filled)) and float(filled[-1] - filled[0]) >= LONG_LINE * (whole[2] - whole[0])
