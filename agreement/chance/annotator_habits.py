"""Each annotator's habits with boxes as a model: panels missed, panels that are not there, boxes too large.

The model: a panel is drawn by each annotator with a probability of their own, whoever else drew it; what is drawn
by no one else may be a panel that all others missed, or none. So the panels that two others drew say how often an
annotator misses one, as in capture and recapture; and from the rates of the others follows how many of the boxes
that an annotator drew alone are panels. Boxes of a panel differ by each annotator's factor of size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from agreement.chance.panel_agreement import MISSING, PanelUnits
from agreement.chance.token_panels import MergedPanels, NotMerged
from agreement.primitives.iou import Matrix, Vector, box_area
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import Mask
from agreement.resampling.draws import around, standard_error
from agreement.resampling.estimate import Estimate

#: Bits after the point of a logarithm of a length: sums of 100,000 such logarithms are exact.
_BITS = 30
#: Blocks of figures or articles that are left out in turn, at most.
_MOST_BLOCKS = 500
_NEEDS_THREE = "needs panels that two others drew"
_NO_RATES = "needs the rates of missed panels of all others"
_NO_BOX = "no box drawn"
_NOT_SHARED = "no panel drawn by another one, too"
_ONE = "one figure or article alone has no spread"


@dataclass(frozen=True, slots=True)
class Habits:
    """One annotator. missed: probability that a panel is not drawn. extra: share of the boxes that are no panel.

    size: how much larger the boxes are than all annotators' on average, as a share of their length and height.
    panels: those that two others drew; boxes: drawn in figures that another one accepted, too.
    """

    annotator: str
    panels: int
    boxes: int
    missed: Estimate
    extra: Estimate
    size: Estimate


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums by block of clusters, (B, N): panels that two others drew, and of these missed; boxes.

    shared: for each set of annotators who did a figure together, their boxes that another one drew too, (B, size).
    """

    eligible: Matrix
    missed: Matrix
    boxes: Matrix
    shared: dict[tuple[int, ...], Matrix]

    def without(self) -> _Sums:
        """Return the sums over all blocks but each one."""
        return self._each(lambda table: table.sum(axis=0) - table)

    def whole(self) -> _Sums:
        """Return the sums over all blocks, (1, N)."""
        return self._each(lambda table: table.sum(axis=0, keepdims=True))

    def _each(self, summed: Callable[[Matrix], Matrix]) -> _Sums:
        shared = {people: summed(table) for people, table in self.shared.items()}
        return _Sums(summed(self.eligible), summed(self.missed), summed(self.boxes), shared)

    def rates(self) -> tuple[Matrix, Matrix]:
        """Return the rates of missed panels and of extra boxes, (B, N); NaN if they are undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = self.missed / self.eligible
            panels = np.zeros_like(self.boxes)
            for people, table in self.shared.items():
                for place, one in enumerate(people):
                    others = [each for each in people if each != one]
                    seen = 1 - missed[:, others].prod(axis=1)
                    some = table[:, place] > 0
                    panels[some, one] += (table[:, place] / seen)[some]
            return missed, np.clip(1 - panels / self.boxes, 0.0, 1.0)


def annotator_habits(
    merged: MergedPanels | NotMerged, units: PanelUnits | None, articles: Mapping[str, str]
) -> tuple[Habits, ...]:
    """Return the habits of all annotators of figures that two or more accepted, by name; empty if none was merged.

    units: those of `merged`. articles: figure -> its article; figures of one article are not taken as independent.
    Intervals are linearised (missed, extra: by the jackknife).
    """
    if isinstance(merged, NotMerged) or units is None:
        return ()
    people = np.unique(units.annotator)
    clusters, number = _clusters(merged, units, articles)
    drawn = np.zeros((len(units.groups), len(people)), dtype=np.bool_)
    there = drawn.copy()
    column = np.searchsorted(people, units.annotator)
    there[units.unit, column] = True
    drawn[units.unit, column] = units.code != MISSING
    sums = _sums(drawn, there, clusters % _MOST_BLOCKS, min(number, _MOST_BLOCKS))
    whole = sums.whole().rates()
    parts = sums.without().rates()
    sizes = _sizes(merged, units, column, clusters, number, len(people))
    eligible, boxes = sums.eligible.sum(axis=0), sums.boxes.sum(axis=0)
    found = []
    for place, person in enumerate(people.tolist()):
        missed, extra = (
            _jackknifed(float(one[0, place]), part[:, place], table[:, place])
            for one, part, table in zip(whole, parts, (sums.eligible, sums.boxes), strict=True)
        )
        if not boxes[place]:
            extra = Estimate(None, _NO_BOX)
        found.append(
            Habits(
                merged.work.annotators[person],
                int(eligible[place]),
                int(boxes[place]),
                missed or Estimate(None, _NEEDS_THREE),
                extra or Estimate(None, _NO_RATES),
                sizes[place],
            )
        )
    return tuple(found)


def _clusters(merged: MergedPanels, units: PanelUnits, articles: Mapping[str, str]) -> tuple[Indices, int]:
    """Return the article or figure of each unit, (U,), and how many there are."""
    work = merged.work
    figures = work.figure[merged.starts[:-1]][units.groups]
    names = {number: work.figures[number] for number in np.unique(figures).tolist()}
    keys = {number: (name not in articles, articles.get(name, name)) for number, name in names.items()}
    places = {key: place for place, key in enumerate(sorted(set(keys.values())))}
    table = np.zeros(len(work.figures), dtype=np.int64)
    for number, key in keys.items():
        table[number] = places[key]
    return table[figures], len(places)


def _sums(drawn: Mask, there: Mask, blocks: Indices, number: int) -> _Sums:
    def by_block(table: Mask, units: Indices | slice = slice(None)) -> Matrix:
        summed = np.zeros((number, table.shape[1]))
        np.add.at(summed, blocks[units], table)
        return summed

    many = drawn.sum(axis=1, keepdims=True)
    eligible = there & (many - drawn >= 2)
    sets, which = np.unique(there, axis=0, return_inverse=True)
    shared = drawn & (many >= 2)
    tables = {}
    for place, chosen in enumerate(sets):
        people, units = np.flatnonzero(chosen), np.flatnonzero(which.ravel() == place)
        tables[tuple(people.tolist())] = by_block(shared[np.ix_(units, people)], units)
    return _Sums(by_block(eligible), by_block(eligible & ~drawn), by_block(drawn), tables)


def _jackknifed(value: float, parts: Vector, counts: Vector) -> Estimate | None:
    """Return a rate with its interval. parts: without each block; counts: what the rate is of, by block."""
    if np.isnan(value):
        return None
    known = parts[~np.isnan(parts)]
    if len(known) < 2 or (counts > 0).sum() < 2:
        return Estimate(value, _ONE)
    if value in (0.0, 1.0):
        # Nothing varies; what may be behind it is known from how often it was looked for (Clopper and Pearson).
        far = 1 - 0.025 ** (1 / float(counts.sum()))
        return Estimate(value, interval=(0.0, far) if value == 0.0 else (1 - far, 1.0))
    error = float(np.sqrt((len(known) - 1) * np.square(known - known.mean()).mean()))
    return Estimate(value, interval=around(value, error, low=0.0, high=1.0))


def _in_steps(values: Vector) -> Vector:
    """Round to steps so coarse that no sum of such values is rounded, in any order."""
    rounded: Vector = np.rint(np.ldexp(values, _BITS)) / 2**_BITS
    return rounded


def _sizes(
    merged: MergedPanels, units: PanelUnits, column: Indices, clusters: Indices, number: int, people: int
) -> list[Estimate]:
    """Fit log length = the panel's + the annotator's, these 0 on average, by least squares."""
    drawn = units.panel >= 0
    drawn &= np.bincount(units.unit[drawn], minlength=len(units.groups))[units.unit] > 1
    unit, who = units.unit[drawn], column[drawn]
    length = _in_steps(np.log(box_area(merged.work.boxes[units.panel[drawn]])) / 2)
    many = np.bincount(unit, minlength=len(units.groups))
    apart = _in_steps(length - (np.bincount(unit, length, len(units.groups)) / np.maximum(many, 1))[unit])
    design = np.zeros((len(units.groups), people))
    design[unit, who] = 1.0
    normal = np.diag(design.sum(axis=0))
    for times in np.unique(many[many > 1]).tolist():
        own = design[many == times]
        normal -= own.T @ own / times
    inverse = np.linalg.pinv(normal, rcond=1e-9, hermitian=True)
    right = np.zeros((number, people))
    np.add.at(right, (clusters[unit], who), apart)
    bias = inverse @ right.sum(axis=0)
    # Each cluster's pull on the biases: what of its right side they do not explain.
    explained = np.zeros((number, people))
    rest = _in_steps(bias[who] - (np.bincount(unit, bias[who], len(units.groups)) / np.maximum(many, 1))[unit])
    np.add.at(explained, (clusters[unit], who), rest)
    moves = (right - explained) @ inverse
    found = []
    for place in range(people):
        own = who == place
        if not own.any():
            found.append(Estimate(None, _NOT_SHARED))
            continue
        value = float(np.expm1(bias[place]))
        if len(np.unique(clusters[unit[own]])) < 2:
            found.append(Estimate(value, _ONE))
            continue
        low, high = around(float(bias[place]), standard_error(moves[:, place]), low=-np.inf, high=np.inf)
        found.append(Estimate(value, interval=(float(np.expm1(low)), float(np.expm1(high)))))
    return found
