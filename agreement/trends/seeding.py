"""Agreement of seeded work apart from the rest: annotators who correct the same prediction agree more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore, mean_of_pairs
from agreement.pairs.parts import part_of
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Intervals, difference_interval, intervals, linearised
from agreement.resampling.estimate import Estimate
from agreement.resampling.part_scores import NO_FIGURE, PartScore, part_score

_NONE_SEEDED = "no scored figure began from a prediction"
_NONE_UNSEEDED = "no scored figure began from nothing"
_NOT_BOTH_KINDS = "needs figures where both of a pair began from a prediction, and others where one did"


@dataclass(frozen=True, slots=True)
class SeededPair:
    """One ordered pair on the figures where either began from a prediction, and on those where neither did."""

    gold: str
    predicted: str
    seeded: PartScore
    unseeded: PartScore


@dataclass(frozen=True, slots=True)
class Seeded:
    """Agreement of work that began from a prediction, which inflates it, and of the rest.

    annotations, of: number of seeded annotations, and of all. seeded, unseeded: on the figures of each pair where
    either annotation began from a prediction, and on the others; with three annotators one figure may be in both.
    effect: the IAA on figures of a pair where both began from a prediction (figures_both), less that where one did
    (figures_one): what pre-labels do to agreement, where chance drew the tasks that began without.
    """

    annotations: int
    of: int
    seeded: PartScore
    unseeded: PartScore
    pairs: tuple[SeededPair, ...]
    effect: Estimate
    figures_both: int
    figures_one: int


def seeded_apart(
    pairs: Sequence[PairScore],
    annotations: int,
    of: int,
    *,
    whole: Intervals | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Seeded:
    """Split the pairs' agreement by seeding. annotations, of: counts to include in the result.

    whole: the intervals of all pairs, reused if all or none are seeded; None: computed here.
    """
    if whole is None:
        whole = intervals(pairs, resamples=resamples, seed=seed)
    seeded, unseeded = (
        [part_of(pair, np.flatnonzero(pair.seeded == mark)) for pair in pairs] for mark in (True, False)
    )
    scored = any(pair.figures for pair in pairs)
    halves = [
        _half(seeded, unseeded, whole, _NONE_SEEDED if scored else NO_FIGURE, resamples, seed),
        _half(unseeded, seeded, whole, _NONE_UNSEEDED if scored else NO_FIGURE, resamples, seed),
    ]
    (ours, ours_by_pair), (theirs, theirs_by_pair) = halves
    of_pairs = zip(pairs, ours_by_pair, theirs_by_pair, strict=True)
    apart = tuple(SeededPair(pair.gold, pair.predicted, one, other) for pair, one, other in of_pairs)
    return Seeded(annotations, of, ours, theirs, apart, *_effect(pairs, resamples, seed))


def _effect(pairs: Sequence[PairScore], resamples: int, seed: int) -> tuple[Estimate, int, int]:
    """Return the effect of pre-labels on agreement, and the figures where both, and one, began from one."""
    both = [part_of(pair, np.flatnonzero(pair.both_seeded)) for pair in pairs]
    one = [part_of(pair, np.flatnonzero(pair.seeded & ~pair.both_seeded)) for pair in pairs]
    figures = len(index_figures(both).names), len(index_figures(one).names)
    with_both, with_one = mean_of_pairs(both), mean_of_pairs(one)
    if with_both is None or with_one is None:
        return Estimate(None, _NOT_BOTH_KINDS), *figures
    interval, reason, method = difference_interval(both, one, resamples=resamples, seed=seed)
    return Estimate(with_both - with_one, reason, interval, method), *figures


def _half(
    own: Sequence[PairScore], other: Sequence[PairScore], whole: Intervals, nothing: str, resamples: int, seed: int
) -> tuple[PartScore, list[PartScore]]:
    """Return the score of one part, over all pairs and of each; nothing: why it may have no figure."""
    if not any(pair.figures for pair in other):
        found = whole
    elif whole.method == "linearised":
        # One report, one method: parts of what is too large for a bootstrap are not drawn either.
        found = linearised(own)
    else:
        found = intervals(own, resamples=resamples, seed=seed)
    each = zip(own, found.pairs, found.reasons, strict=True)
    by_pair = [part_score([pair], replace(found, iaa=ends, reason=why), nothing) for pair, ends, why in each]
    return part_score(own, found, nothing), by_pair
