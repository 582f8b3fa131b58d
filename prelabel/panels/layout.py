"""Cutting a picture into as many panels as the caption asks for, surest cuts first.

White space within a plot is cut only where nothing better is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import empty_runs, seams

#: No panel's side is shorter than this share of an average panel's, were all square.
SMALLEST_SIDE = 0.25

#: Bands as wide as this share of the widest along an axis are cut together.
ALIKE = 0.55

#: Score of a box that no gutter bounds.
HALVED = 0.1

#: What a seam of weight 1 is worth, as a share of the longer side.
SEAM_MERIT = 0.0015


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle, tight around its ink. score: how sure its cuts were; kind: of the least sure one.

    further: log-odds of the likeliest cut across it that was not made; 0 if unknown.
    """

    rect: Rect
    score: float = 1.0
    kind: str = "whole"
    further: float = 0.0

    @property
    def area(self) -> int:
        """Square pixels."""
        return (self.rect[2] - self.rect[0]) * (self.rect[3] - self.rect[1])


@dataclass(frozen=True, slots=True)
class _Cut:
    """A cut of one part into two or more. merit: how much like a gutter it looks."""

    parts: tuple[Part, ...]
    merit: float
    kind: str


class Cutter:
    """One picture: finds cuts of a part, and applies the best until the count fits."""

    def __init__(self, canvas: Canvas, expected: int) -> None:
        self.canvas = canvas
        self.expected = expected
        height, width = canvas.ink.shape
        # Strips of text and legends are thinner than that.
        self.smallest = max(4.0, SMALLEST_SIDE * math.sqrt(height * width / expected))

    def split(self, start: Rect | None = None) -> list[Part]:
        """The parts, never none; fewer than expected only where the picture is too small for them."""
        expected = self.expected
        whole = start or self.canvas.whole
        first = Part(self.canvas.tight(whole) or whole)
        parts = [first]
        cuts: dict[Part, _Cut | None] = {}
        while len(parts) < expected:
            cuts |= {part: self._best_cut(part) for part in parts if part not in cuts}
            options = [(part, cut) for part, cut in cuts.items() if cut is not None]
            if not options:
                break
            room = expected - len(parts) + 1
            part, cut = max(options, key=lambda option: self._rank(option[0], option[1], room))
            del cuts[part]
            chosen = self._fitting(cut.parts, room)
            parts.remove(part)
            for piece in chosen:
                score = self._score(cut.merit)
                piece = (
                    replace(part, rect=piece.rect) if part.score <= score else Part(piece.rect, score, cut.kind)
                )
                parts.append(piece)
        return self._filled_up(parts)

    def halved(self, part: Part) -> tuple[float, Part, Part] | None:
        """The two pieces of a part at its best cut, the upper or left one first, after how good the cut is."""
        cut = self._best_cut(part)
        if cut is None:
            return None
        one, other = self._fitting(cut.parts, 2)
        kept = min(part.score, self._score(cut.merit))
        return (
            self._rank(part, cut, None)[0],
            replace(one, score=kept, kind=cut.kind),
            replace(other, score=kept, kind=cut.kind),
        )

    @staticmethod
    def _rank(part: Part, cut: _Cut, room: int | None) -> tuple[float, int]:
        """Great merit first; a cut that would give too many parts comes after those that do not."""
        over = room is not None and len(cut.parts) > room
        # Large parts are cut before small ones: panels of a figure are mostly of similar size.
        return cut.merit * (part.area**0.5) * (0.5 if over else 1.0), part.area

    def _filled_up(self, parts: list[Part]) -> list[Part]:
        """Halve the largest part until the count fits, without a gutter: a box to adjust beats a missing one."""
        while len(parts) < self.expected:
            part = max(parts, key=lambda each: each.area)
            x0, y0, x1, y1 = part.rect
            if max(x1 - x0, y1 - y0) < 2:
                break
            if x1 - x0 >= y1 - y0:
                middle = (x0 + x1) // 2
                halves = [(x0, y0, middle, y1), (middle, y0, x1, y1)]
            else:
                middle = (y0 + y1) // 2
                halves = [(x0, y0, x1, middle), (x0, middle, x1, y1)]
            parts.remove(part)
            parts.extend(Part(rect, HALVED, "halved") for rect in halves)
        return parts

    def _score(self, merit: float) -> float:
        return float(min(0.97, 0.55 + 0.42 * merit / (0.03 * self.canvas.longest)))

    @staticmethod
    def _fitting(parts: Sequence[Part], room: int) -> list[Part]:
        """The parts, neighbours joined until there are `room` of them: the narrowest gap between goes first."""
        result = list(parts)
        while len(result) > room and len(result) > 1:
            gaps = []
            for place, (a, b) in enumerate(pairwise(result)):
                gap = max(b.rect[0] - a.rect[2], b.rect[1] - a.rect[3])
                gaps.append((gap + 0.05 * min(a.area, b.area) ** 0.5, place))
            _, place = min(gaps)
            one, other = result[place].rect, result[place + 1].rect
            joined = (*map(min, one[:2], other[:2]), *map(max, one[2:], other[2:]))
            result[place : place + 2] = [Part((joined[0], joined[1], joined[2], joined[3]))]
        return result

    def _best_cut(self, part: Part) -> _Cut | None:
        """The better of the cuts across and down; seams are looked for where no gutter is."""
        found = [cut for axis in (0, 1) if (cut := self._gutter_cut(part.rect, axis)) is not None]
        if not found:
            found = [cut for axis in (0, 1) if (cut := self._seam_cut(part.rect, axis)) is not None]
        return max(found, key=lambda cut: cut.merit, default=None)

    def _gutter_cut(self, rect: Rect, axis: int) -> _Cut | None:
        """Cut at every empty band about as wide as the widest. axis 0: bands of rows, 1: bands of columns."""
        counts = self.canvas.inked(rect, axis)
        length = rect[2] - rect[0] if axis == 0 else rect[3] - rect[1]
        bands = self._wide_enough(empty_runs(counts, length), len(counts))
        if not bands:
            return None
        widest = max(stop - start for start, stop in bands)
        chosen = [band for band in bands if band[1] - band[0] >= ALIKE * widest]
        return self._pieces(rect, axis, chosen, float(widest), "gutter")

    def _wide_enough(self, bands: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
        """Bands that leave no part too small, the wider first where they compete."""
        kept: list[tuple[int, int]] = []
        for band in sorted(bands, key=lambda each: each[0] - each[1]):
            marks = sorted([(0, 0), *kept, band, (length, length)])
            if all(b[0] - a[1] >= self.smallest for a, b in pairwise(marks)):
                kept.append(band)
        return sorted(kept)

    def _pieces(
        self, rect: Rect, axis: int, bands: Sequence[tuple[int, int]], merit: float, kind: str
    ) -> _Cut | None:
        x0, y0, x1, y1 = rect
        ends = y1 - y0 if axis == 0 else x1 - x0
        pieces = []
        for (_, start), (stop, _) in pairwise([(0, 0), *bands, (ends, ends)]):
            piece = (x0, y0 + start, x1, y0 + stop) if axis == 0 else (x0 + start, y0, x0 + stop, y1)
            tight = self.canvas.tight(piece)
            if tight is not None:
                pieces.append(Part(tight))
        return _Cut(tuple(pieces), merit, kind) if len(pieces) > 1 else None

    def _seam_cut(self, rect: Rect, axis: int) -> _Cut | None:
        """Cut where pictures were stitched: at every seam about as sure as the surest."""
        found = seams(self.canvas, rect, axis, max(4, int(self.smallest)))
        if not found:
            return None
        best = found[0][1]
        places: list[int] = []
        for place, weight in found:
            if weight >= ALIKE * best and all(abs(place - other) >= self.smallest for other in places):
                places.append(place)
        bands = [(place, place) for place in sorted(places)]
        merit = SEAM_MERIT * self.canvas.longest * max(0.1, best + 1.0)
        return self._pieces(rect, axis, bands, float(merit), "seam")
