"""A layout from the image, with or without a count from its caption: fitted coefficients weigh what it shows.

Every rectangle offers cuts: along its widest empty bands, one direction at a time, and along the seams of stitched
pictures. Strips at its ends, such as legends, colour bars and titles, may be left out where they span several
panels. Cuts are made, the likeliest first, while they are likelier than one panel; a count that the caption names
ends them sooner, or lets somewhat unlikely ones be made. The coefficients are fitted on simulated figures by
scripts/fit_cuts.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, product

from prelabel.panels.canvas import Canvas, Rect
from prelabel.panels.cuts import FILLED, empty_runs, seams, solid_edges
from prelabel.panels.layout import Part
from prelabel.panels.strips import figure_area

#: No piece's side is shorter, and no strip left out is thicker, than this share of the image's longer side.
SMALLEST, THICKEST = 0.06, 0.14

#: Bands narrower than this share of the one before make another cut; no more cuts of a kind are weighed, and no
#: more strips tried at each end.
NARROWER, CUTS, STRIPS = 0.85, 6, 3

#: Pieces whose sides' ratio has this logarithm are not of similar size; more than this many count for no more.
UNLIKE, MOST_ALIKE = 0.25, 4.0

#: What it adds to a cut of the whole figure that at least this share of its pieces, two or more, has likely cuts
#: across; how many cuts are looked at.
AHEAD, MOST_PARTED, FOLLOWED = 2.5, 0.6, 3

#: What it adds to a seam that its part was cut along one: pictures that were stitched are seldom two.
STITCHED = 2.0

#: A rectangle of more than this share of the figure is the whole figure.
WHOLE = 0.7

#: Contrast counts up to this.
MOST_CONTRAST = 3.0

#: Gutters part panels of similar size if the smallest has this share of the largest: no seam parts these.
LIKE = 0.7

#: Gutters on a black ground are cut from these log-odds on: scans have dark gaps of their own.
BLACK_ODDS = 1.0

#: Cuts are made down to these log-odds for as many parts as the caption names.
UNLIKELY = -5.0

#: The score of a part uses the log-odds of a cut that was not made; they are limited to this, up and down.
MOST_FURTHER = 6.0

#: No part is surer than this.
SUREST = 0.99

#: Names of the features, in the order of the coefficients; lengths are shares, in logarithms.
FEATURES = (
    "constant",
    "contrast",  # of the bands' width to that of others
    "solid edges",  # share of the bands that runs between pictures
    "smallest side",
    "equal sides",
    "slender pieces",
    "slender whole",
    "ragged",
    "rows",
    "whole figure",
    "strips left out",
    "their thickness",
    "seam",
    "seam's weight",
    "slender whole with a seam",
    "grid",  # pieces of like size in both directions, of the whole figure: how many more than one
)

COEFFICIENTS = (
    3.689,  # constant
    0.478,  # contrast
    1.087,  # solid edges
    2.712,  # smallest side
    0.555,  # equal sides
    -1.27,  # slender pieces
    2.002,  # slender whole
    2.346,  # ragged
    1.918,  # rows
    0.478,  # whole figure
    -1.275,  # strips left out
    -19.519,  # their thickness
    -1.304,  # seam
    0.613,  # seam's weight
    1.435,  # slender whole with a seam
    1.03,  # grid
)


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of one rectangle into pieces, each tight around its ink; strips left out are in none.

    axis: 0 into rows, 1 into columns. kind: "gutter" or "seam". features: the values of FEATURES. ahead: log-odds
    from cuts of the pieces.
    """

    pieces: tuple[Rect, ...]
    axis: int
    kind: str
    features: tuple[float, ...]
    ahead: float = 0.0

    @property
    def alike(self) -> bool:
        """Return whether gutters part pieces of similar size."""
        areas = [_area(piece) for piece in self.pieces]
        return self.kind == "gutter" and min(areas) >= LIKE * max(areas)

    @property
    def odds(self) -> float:
        """Log-odds of the cut against leaving the rectangle whole."""
        return self.ahead + sum(one * other for one, other in zip(COEFFICIENTS, self.features, strict=True))


def image_layout(canvas: Canvas, expected: int | None = None, doubt: float = 0.0) -> list[Part]:
    """The panels that the image shows by itself; never none. score: the chance of the least sure cut around it.

    expected: where the surest cuts give so many parts, those are taken, although the image alone speaks for more
    or for somewhat fewer. doubt: log-odds by which a first cut of the whole along gutters must be
    likelier than no cut: white space within plots and tables looks like them.
    """
    finder = CutFinder.of(canvas)
    whole = Part(finder.root)
    waiting = [(whole, finder.likeliest(whole.rect))]
    likely: list[Part] | None = None
    while len(waiting) != expected:
        part, cut = max(waiting, key=lambda each: each[1].odds if each[1] is not None else -math.inf)
        doubted = len(waiting) == 1 and cut is not None and cut.kind == "gutter"
        if cut is None or cut.odds <= (doubt if doubted else 0.0):
            likely = likely or _whole(waiting)
            # So many parts are not to be had by likely cuts.
            if cut is None or expected is None or len(waiting) > expected or cut.odds <= UNLIKELY:
                return likely
        waiting.remove((part, cut))
        chance = min(SUREST, 1.0 / (1.0 + math.exp(-cut.odds)))
        for piece in cut.pieces:
            surer = part.score <= chance
            found = replace(part, rect=piece) if surer else Part(piece, chance, cut.kind)
            stitched = STITCHED if cut.kind == "seam" else 0.0
            waiting.append((found, finder.likeliest(piece, seamed=not cut.alike, stitched=stitched)))
    return _whole(waiting)


def _whole(waiting: Sequence[tuple[Part, Cut | None]]) -> list[Part]:
    """The parts that stay, each with the odds of the cut across it that is not made."""
    odds = [-MOST_FURTHER if cut is None else cut.odds for _, cut in waiting]
    return [
        replace(part, further=min(MOST_FURTHER, max(-MOST_FURTHER, own)))
        for (part, _), own in zip(waiting, odds, strict=True)
    ]


class CutFinder:
    """The cuts that rectangles of one picture offer.

    root: the whole figure, without margins and caption. loose: pieces reach to the middle of gutters, instead of
    being tight around their ink.
    """

    def __init__(self, canvas: Canvas, root: Rect, *, loose: bool = False) -> None:
        self.canvas, self.root, self.loose = canvas, root, loose
        self.smallest = max(4, int(SMALLEST * canvas.longest))
        self._grounds: dict[int, CutFinder] = {}

    @classmethod
    def of(cls, canvas: Canvas) -> CutFinder:
        """That of a figure as it is."""
        area = figure_area(canvas)
        return cls(canvas, canvas.tight(area) or area)

    def likeliest(self, rect: Rect, *, seamed: bool = True, stitched: float = 0.0) -> Cut | None:
        """The likeliest cut, None if there is none. seamed: look for seams where no gutter is likely.

        stitched: log-odds that seams have besides.
        """
        cut = self._likeliest_gutters(rect)
        if cut is None or cut.odds <= 0.0:
            others = [replace(each, ahead=stitched) for each in self.seam_cuts(rect)] if seamed else []
            others += [] if cut is None else [cut]
            cut = max([*others, *self.other_grounds(rect, grey=seamed)], key=lambda each: each.odds, default=None)
        return cut

    def _likeliest_gutters(self, rect: Rect) -> Cut | None:
        found = sorted(self.gutter_cuts(rect), key=lambda each: -each.odds)
        cut = found[0] if found else None
        if cut is not None and cut.odds <= 0.0 and _area(rect) > WHOLE * _area(self.root):
            cut = next((each for each in map(self._followed, found[:FOLLOWED]) if each.odds > 0.0), cut)
        return cut

    def other_grounds(self, rect: Rect, *, grey: bool = True) -> Iterator[Cut]:
        """The likeliest gutters of a filled rectangle on black, if its border is, and on a grey of its own.

        grey: look for the latter.
        """
        if self.canvas.share(rect) < FILLED:
            return
        found = self.canvas.grey_ground(rect, self.smallest) if grey else None
        levels = [] if found is None else [found]
        for level in (*levels, 0) if self.canvas.black_border(rect) else levels:
            finder = self._grounds.get(level)
            if finder is None:
                finder = CutFinder(self.canvas.on_ground(level), self.root, loose=not level)
                self._grounds[level] = finder
            cut = finder._likeliest_gutters(rect)
            if cut is not None:
                yield cut if level else replace(cut, ahead=cut.ahead - BLACK_ODDS)

    def _followed(self, cut: Cut) -> Cut:
        """The cut, likelier where most of its pieces can be cut across: rows of panels, where a plot has none."""
        if cut.odds <= -AHEAD:
            return cut
        across = [
            max((band.odds for band in self._along_bands(piece, 1 - cut.axis, ())), default=-1.0)
            for piece in cut.pieces
        ]
        parted = sum(odds > 0.0 for odds in across)
        return replace(cut, ahead=AHEAD) if parted > 1 and parted >= MOST_PARTED * len(across) else cut

    def gutter_cuts(self, rect: Rect) -> Iterator[Cut]:
        """Cuts along empty bands, with and without strips at the ends of these."""
        plain = [list(self._along_bands(rect, axis, ())) for axis in (0, 1)]
        for axis in (0, 1):
            found = chain(
                plain[axis],
                *(self._along_bands(rest, axis, strips) for rest, strips in self._rests(rect, 1 - axis)),
            )
            across = max((cut.features[-1] for cut in plain[1 - axis]), default=0.0)
            for cut in found:
                yield replace(cut, features=(*cut.features[:-1], min(across, cut.features[-1])))

    def seam_cuts(self, rect: Rect) -> Iterator[Cut]:
        """Cuts along seams, the surest alone first."""
        for axis in (0, 1):
            chosen: list[tuple[int, float]] = []
            for place, weight in seams(self.canvas, rect, axis, self.smallest):
                if all(abs(place - other) >= self.smallest for other, _ in chosen):
                    chosen.append((place, weight))
            for size, (_, weight) in enumerate(chosen[:CUTS], start=1):
                bands = sorted((place, place) for place, _ in chosen[:size])
                pieces = self._pieces(rect, axis, bands)
                if pieces:
                    shape = self._shape(rect, axis, bands, pieces)
                    features = (1.0, 0.0, 0.0, *shape, 0.0, 0.0, 1.0, weight, _slender(rect), 0.0)
                    yield Cut(pieces, axis, "seam", features)

    def _rests(self, rect: Rect, axis: int) -> Iterator[tuple[Rect, tuple[int, ...]]]:
        """Trim thin strips at the ends of a rectangle; also return their thickness in pixels."""
        first, last = _span(rect, axis)
        length, thickest = last - first, THICKEST * self.canvas.longest
        runs = empty_runs(self.canvas.inked(rect, axis), _breadth(rect, axis))
        begins = [0, *[stop for start, stop in runs if start <= thickest][-STRIPS:]]
        ends = [length, *[start for start, stop in runs if length - stop <= thickest][:STRIPS]]
        for low, high in product(begins, ends):
            if 0.5 * length <= high - low < length:
                tight = self.canvas.tight(_slice(rect, axis, low, high))
                if tight is not None:
                    yield tight, tuple(each for each in (low, length - high) if each)

    def _along_bands(self, rect: Rect, axis: int, strips: Sequence[int]) -> Iterator[Cut]:
        """Cuts along the widest empty bands, the widest alone first. strips: pixels of those left out."""
        counts, breadth = self.canvas.inked(rect, axis), _breadth(rect, axis)
        runs = empty_runs(counts, breadth)
        chosen: list[tuple[int, int]] = []
        for band in sorted(runs, key=lambda run: run[0] - run[1]):
            marks = sorted([(0, 0), *chosen, band, (len(counts), len(counts))])
            if all(after[0] - before[1] >= self.smallest for before, after in pairwise(marks)):
                chosen.append(band)
        widths = [stop - start for start, stop in chosen]
        sizes = [
            size for size, (one, after) in enumerate(pairwise([*widths, 0]), start=1) if after <= NARROWER * one
        ]
        left_out = float(len(strips)), sum(strips) / self.canvas.longest
        for size in sizes[:CUTS]:
            bands = sorted(chosen[:size])
            pieces = self._pieces(rect, axis, bands)
            if pieces:
                other = max((stop - start for start, stop in runs if (start, stop) not in bands), default=0)
                contrast = math.log((widths[size - 1] + 0.5) / (other + 0.5))
                solid = sum(solid_edges(counts, band, breadth) for band in bands) / size
                told = min(MOST_CONTRAST, max(-MOST_CONTRAST, contrast)), solid
                shape = self._shape(rect, axis, bands, pieces)
                alike = _alike(shape[1], size + 1) if contrast > 0.0 else 0.0
                features = (1.0, *told, *shape, *left_out, 0.0, 0.0, 0.0, alike * shape[-1])
                yield Cut(pieces, axis, "gutter", features)

    def _pieces(self, rect: Rect, axis: int, bands: Sequence[tuple[int, int]]) -> tuple[Rect, ...]:
        """Return the pieces between bands; none if a piece would be empty."""
        first, last = _span(rect, axis)
        if self.loose:
            bands = [((start + stop) // 2, (start + stop) // 2) for start, stop in bands]
        marks = pairwise([(0, 0), *bands, (last - first, last - first)])
        found = [_slice(rect, axis, low, high) for (_, low), (high, _) in marks]
        tight = [self.canvas.tight(each) for each in found]
        pieces = tuple(
            one if self.loose else other for one, other in zip(found, tight, strict=True) if other is not None
        )
        return pieces if len(pieces) == len(found) else ()

    def _shape(
        self, rect: Rect, axis: int, bands: Sequence[tuple[int, int]], pieces: Sequence[Rect]
    ) -> tuple[float, ...]:
        """The features of how pieces stand to one another and to the figure."""
        first, last = _span(rect, axis)
        length = last - first
        sides = [high - low for (_, low), (high, _) in pairwise([(0, 0), *bands, (length, length)])]
        breadths = [_breadth(piece, axis) for piece in pieces]
        return (
            math.log(min(sides) / self.canvas.longest),
            math.log(min(sides) / max(sides)),
            max(_slender(piece) for piece in pieces),
            _slender(rect),
            math.log(min(breadths) / max(breadths)),
            float(axis == 0),
            float(_area(rect) > WHOLE * _area(self.root)),
        )


def _alike(evenness: float, count: int) -> float:
    """Return the number of pieces less one, reduced if they are of different size. evenness: log of the ratio."""
    return min(MOST_ALIKE, count - 1.0) * max(0.0, 1.0 + evenness / UNLIKE)


def _slice(rect: Rect, axis: int, low: int, high: int) -> Rect:
    """The rows (axis 0) or columns (axis 1) of a rectangle from one to another, counted from its start."""
    x0, y0, x1, y1 = rect
    return (x0, y0 + low, x1, y0 + high) if axis == 0 else (x0 + low, y0, x0 + high, y1)


def _span(rect: Rect, axis: int) -> tuple[int, int]:
    """Return where the rows (axis 0) or columns (axis 1) of a rectangle start and stop."""
    return (rect[1], rect[3]) if axis == 0 else (rect[0], rect[2])


def _breadth(rect: Rect, axis: int) -> int:
    """The length of a row (axis 0) or column (axis 1)."""
    return rect[2] - rect[0] if axis == 0 else rect[3] - rect[1]


def _slender(rect: Rect) -> float:
    return abs(math.log((rect[2] - rect[0]) / (rect[3] - rect[1])))


def _area(rect: Rect) -> int:
    return (rect[2] - rect[0]) * (rect[3] - rect[1])
