"""Agreement on panels with their text as one object, beyond chance: by a distance between two annotators' work.

Two panels are alike by GIoU (below 0 as 0) times the F1 of their tokens. The panels of two annotations are
matched one to one so that the sum is greatest; the distance of the annotations is 1 - 2 · sum / panels of both.
That is the mean over all panels of 1 - the likeness to the matched panel, 1 for a panel without one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.chance.token_panels import MergedPanels, NotMerged, clusters_of, pairs_within
from agreement.columns.corpus import Corpus
from agreement.primitives.iou import Boxes, Vector, aligned_giou
from agreement.primitives.matching import Indices, Overlaps, overlaps, ranges
from agreement.primitives.rules import FEWER_RESAMPLES, RESAMPLES
from agreement.primitives.token_sets import starts_of
from agreement.resampling.clusters import beyond_chance, ratios
from agreement.resampling.estimate import Estimate
from agreement.score.detection import best_matching

#: Up to this many pairs of annotations of different figures all are compared; of more, about as many by seed.
MOST_EXPECTED = 10_000
#: Pairs of annotations that are compared at a time, which bounds memory.
_AT_ONCE = 20_000
_ONE_FIGURE = "chance is known from different figures, and there is one only"
_ALL_ALIKE = "all figures have the same panels and text"
_ONE_PANEL = "no figure with two panels"
_ALL_IN_ONE = "panels of a figure do not differ"


@dataclass(frozen=True, slots=True)
class JointAgreement:
    """Agreement on boxes with their text, of figures that two or more accepted on one caption and size.

    alpha: 1 - observed / expected, where observed is the mean distance of two annotations of a figure, and
    expected that of annotations of different figures, on the unit square with tokens by their relative place in
    the caption. within: the same with the distance to be expected if panels of a figure were matched at random.
    separation: Kolmogorov and Smirnov's statistic between both distributions of distances: 1 if all annotations of
    a figure are closer to each other than to any of another figure. Intervals are of articles. observed, expected:
    None if undefined. pairs: of annotations of one figure.
    """

    alpha: Estimate
    within: Estimate
    separation: Estimate
    observed: float | None
    expected: float | None
    figures: int
    pairs: int


@dataclass(frozen=True, slots=True, eq=False)
class _Panels:
    """A annotations with P panels on the unit square, whose text is R runs of tokens.

    starts: (A + 1,). boxes: (P, 4). length: (P,) counted tokens of the caption, at least 1. tokens: (P,) of the
    panel. run_starts: (P + 1,). first, last: (R,) places of each run, last exclusive.
    """

    starts: Indices
    boxes: Boxes
    length: Indices
    tokens: Indices
    run_starts: Indices
    first: Indices
    last: Indices

    @classmethod
    def of(cls, work: Corpus) -> _Panels:
        content = work.content[np.repeat(np.arange(len(work)), work.panels)]
        panel, first, last = work.text.runs(work.counted[content])
        number = len(work.boxes)
        return cls(
            work.panel_starts,
            work.boxes / np.tile(np.maximum(work.sizes[content], 1), 2),
            np.maximum(work.counted[content], 1),
            np.bincount(panel, last - first, number).astype(np.int64),
            starts_of(np.bincount(panel, minlength=number)),
            first,
            last,
        )

    def likeness(self, one: Indices, other: Indices) -> Vector:
        """Return GIoU, below 0 as 0, times F1 of the tokens, of panels side by side, (K,) in [0, 1]."""
        likeness: Vector = np.maximum(aligned_giou(self.boxes[one], self.boxes[other]), 0.0)
        near = np.flatnonzero(likeness)
        likeness[near] *= self._text_f1(one[near], other[near])
        return likeness

    def _text_f1(self, one: Indices, other: Indices) -> Vector:
        """Return the F1 of panels' tokens, each a step of its caption, whose length is 1; 1 if both have none."""
        runs = np.diff(self.run_starts)
        whose = np.repeat(np.arange(len(one)), runs[one])
        options = runs[other][whose]
        left = np.repeat(ranges(self.run_starts[one], runs[one]), options)
        right, pair = ranges(self.run_starts[other][whose], options), np.repeat(whose, options)
        # Steps of both captions are whole numbers of the step of their lengths' product.
        ours, theirs = self.length[other], self.length[one]
        end = np.minimum(self.last[left] * ours[pair], self.last[right] * theirs[pair])
        begin = np.maximum(self.first[left] * ours[pair], self.first[right] * theirs[pair])
        shared = np.bincount(pair, np.maximum(end - begin, 0), len(one))
        whole = self.tokens[one] * ours + self.tokens[other] * theirs
        f1: Vector = np.divide(2 * shared, whole, out=np.ones(len(one)), where=whole > 0)
        return f1

    def distances(self, one: Indices, other: Indices) -> NDArray[np.float64]:
        """Return the distances of annotations side by side, and those to be expected of random matches, (2, K)."""
        parts = [
            self._distances(one[at : at + _AT_ONCE], other[at : at + _AT_ONCE])
            for at in range(0, len(one), _AT_ONCE)
        ]
        return np.concatenate([np.zeros((2, 0)), *parts], axis=1)

    def _distances(self, one: Indices, other: Indices) -> NDArray[np.float64]:
        sizes = np.diff(self.starts)
        ours, theirs = sizes[one], sizes[other]
        left, right = ranges(self.starts[one], ours), ranges(self.starts[other], theirs)
        met = overlaps(self.boxes[left], ours, self.boxes[right], theirs)
        likeness = self.likeness(left[met.one], right[met.other])
        some = np.flatnonzero(likeness)
        met = Overlaps(met.one[some], met.other[some], likeness[some])
        pair = np.repeat(np.arange(len(one)), ours)
        matches = best_matching(met, ours, theirs)
        best = np.bincount(pair[matches.one], matches.iou, len(one))
        random = np.bincount(pair[met.one], met.iou, len(one)) / np.maximum(np.maximum(ours, theirs), 1)
        # Two that draw nothing agree.
        drawn = ours + theirs
        return np.where(drawn > 0, 1 - 2 * np.stack([best, random]) / np.maximum(drawn, 1), 0.0)


def joint_agreement(
    merged: MergedPanels | NotMerged,
    articles: Mapping[str, str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> JointAgreement:
    """Return the agreement on boxes with their text; see `merge_panels`.

    articles: figure -> its article; intervals resample articles. seed: also of the pairs of different figures.
    """
    if isinstance(merged, NotMerged):
        nothing = Estimate(None, merged.reason)
        return JointAgreement(nothing, nothing, nothing, None, None, merged.figures, 0)
    work = merged.work
    groups = np.repeat(np.arange(len(merged.starts) - 1), np.diff(merged.starts))
    # Without an order of people and files, pairs by seed would hang on how the work is listed.
    order = np.lexsort((work.annotator, work.content, work.figure))
    work, groups = work.take(order), groups[order]
    panels = _Panels.of(work)
    one, other = pairs_within(merged.starts)
    observed, random = panels.distances(one, other)
    people = np.diff(merged.starts)
    weight: Vector = 2 / (people[groups[one]] - 1)
    apart = _pairs_between(work.figure.astype(np.int64), seed)
    between, _ = panels.distances(*apart)
    by_figure = _summed(groups[one], observed * weight, len(people))
    chance: Vector = np.zeros(len(people))
    expected = None
    if len(between):
        steps = _by_annotation(apart, between, len(work))
        expected = float(steps.mean())
        chance = _summed(groups, _projected(steps, expected), len(people))
    weight[np.maximum(work.panels[one], work.panels[other]) < 2] = 0.0
    of_several, at_random = (_summed(groups[one], each * weight, len(people)) for each in (observed, random))
    alpha, within = ratios(
        np.stack([by_figure, of_several], axis=1),
        np.stack([chance, at_random], axis=1),
        clusters_of(merged, articles),
        resamples=min(resamples, FEWER_RESAMPLES),
        seed=seed,
        high=np.inf,
    )
    return JointAgreement(
        beyond_chance(alpha, _ALL_ALIKE if len(between) else _ONE_FIGURE),
        beyond_chance(within, _ALL_IN_ONE if weight.any() else _ONE_PANEL),
        Estimate.alone(_separation(observed, between) if len(between) else None, _ONE_FIGURE),
        float(by_figure.sum() / len(work)),
        expected,
        merged.figures,
        len(one),
    )


def _pairs_between(figure: Indices, seed: int) -> tuple[Indices, Indices]:
    """Return pairs of annotations of different figures: all, or as many of each annotation by seed."""
    number = len(figure)
    if number * (number - 1) // 2 <= MOST_EXPECTED:
        one, other = np.triu_indices(number, 1)
    else:
        steps = np.random.default_rng(seed).choice(number - 1, -(-MOST_EXPECTED // number), replace=False) + 1
        one = np.repeat(np.arange(number), len(steps))
        other = (one + np.tile(steps, number)) % number
    different = figure[one] != figure[other]
    return one[different], other[different]


def _by_annotation(pairs: tuple[Indices, Indices], distances: Vector, number: int) -> Vector:
    """Return the mean distance of each annotation to those of other figures, (A,)."""
    both = np.concatenate(pairs)
    times, sums = np.bincount(both, minlength=number), _summed(both, np.tile(distances, 2), number)
    means: Vector = np.divide(sums, times, out=np.full(number, distances.mean()), where=times > 0)
    return means


def _summed(places: Indices, values: Vector, number: int) -> Vector:
    """Return the sum of the values of each of `number` places."""
    return np.bincount(places, values, number).astype(np.float64)


def _projected(steps: Vector, mean: float) -> Vector:
    """Return steps of the same mean that vary as the mean of all pairs does: each is in a pair's both places."""
    wide = np.maximum(2 * steps - mean, 0.0)
    total = wide.sum()
    projected: Vector = wide * (mean * len(steps) / total) if total else wide
    return projected


def _separation(within: Vector, between: Vector) -> float:
    every = np.concatenate([within, between])
    shares = [np.searchsorted(np.sort(part), every, side="right") / len(part) for part in (within, between)]
    return float(np.abs(shares[0] - shares[1]).max())
