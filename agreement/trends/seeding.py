"""Agreement of seeded work apart from the rest: annotators who correct the same prediction agree more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.pairs.pairwise import PairScore
from agreement.pairs.parts import part_of
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Intervals, intervals, linearised
from agreement.resampling.part_scores import NO_FIGURE, PartScore, part_score

_NONE_SEEDED = "no scored figure began from a prediction"
_NONE_UNSEEDED = "no scored figure began from nothing"


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
    """

    annotations: int
    of: int
    seeded: PartScore
    unseeded: PartScore
    pairs: tuple[SeededPair, ...]


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
    return Seeded(annotations, of, ours, theirs, apart)


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
