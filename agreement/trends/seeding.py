"""Agreement of seeded work apart from the rest: annotators who correct the same prediction agree more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore, mean_of_pairs
from agreement.pairs.parts import part_of
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Interval, Intervals, intervals, linearised


@dataclass(frozen=True, slots=True)
class SeededPair:
    """One ordered pair on the figures where either began from a prediction, and on those where neither did.

    Scores and intervals are None if undefined, and the reasons say why. figures, counted, unseeded_figures,
    unseeded_counted: numbers of figures and gold subfigures behind each score.
    """

    gold: str
    predicted: str
    figures: int
    counted: int
    score: float | None
    reason: str
    interval: Interval | None
    interval_reason: str
    unseeded_figures: int
    unseeded_counted: int
    unseeded_score: float | None
    unseeded_reason: str
    unseeded_interval: Interval | None
    unseeded_interval_reason: str


@dataclass(frozen=True, slots=True)
class Seeded:
    """Agreement of work that began from a prediction, which inflates it, and of the rest.

    annotations, of: number of seeded annotations, and of all. figures, unseeded_figures: with a seeded pair
    (either annotation began from a prediction), and with another pair; with three annotators one figure may be in
    both. iaa, unseeded_iaa: mean over the pairs, on these figures alone; None if undefined, and `reason`,
    `unseeded_reason` say why; likewise their 95 % CIs.
    """

    annotations: int
    of: int
    figures: int
    unseeded_figures: int
    iaa: float | None
    unseeded_iaa: float | None
    reason: str
    unseeded_reason: str
    interval: Interval | None
    unseeded_interval: Interval | None
    interval_reason: str
    unseeded_interval_reason: str
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
    seeded, unseeded = (
        [part_of(pair, np.flatnonzero(pair.seeded == mark)) for pair in pairs] for mark in (True, False)
    )
    if whole is None:
        whole = intervals(pairs, resamples=resamples, seed=seed)
    found = []
    for own, other in ((seeded, unseeded), (unseeded, seeded)):
        alone = not any(pair.figures for pair in other)
        if alone:
            found.append(whole)
        else:
            # One report, one method: parts of what is too large for a bootstrap are not drawn either.
            large = whole.method == "linearised"
            found.append(linearised(own) if large else intervals(own, resamples=resamples, seed=seed))
    ours, theirs = found
    iaa, unseeded_iaa = mean_of_pairs(seeded), mean_of_pairs(unseeded)
    reason = "" if iaa is not None else _why(seeded, pairs, _SEEDED)
    unseeded_reason = "" if unseeded_iaa is not None else _why(unseeded, pairs, _UNSEEDED)
    return Seeded(
        annotations=annotations,
        of=of,
        figures=len(index_figures(seeded).names),
        unseeded_figures=len(index_figures(unseeded).names),
        iaa=iaa,
        unseeded_iaa=unseeded_iaa,
        reason=reason,
        unseeded_reason=unseeded_reason,
        interval=ours.iaa,
        unseeded_interval=theirs.iaa,
        interval_reason=reason or ours.reason,
        unseeded_interval_reason=unseeded_reason or theirs.reason,
        pairs=tuple(
            SeededPair(
                one.gold, one.predicted, *_part(one, place, ours, _SEEDED), *_part(other, place, theirs, _UNSEEDED)
            )
            for place, (one, other) in enumerate(zip(seeded, unseeded, strict=True))
        ),
    )


_SEEDED = "no scored figure began from a prediction"
_UNSEEDED = "no scored figure began from nothing"


def _part(
    pair: PairScore, place: int, found: Intervals, nothing: str
) -> tuple[int, int, float | None, str, Interval | None, str]:
    """Return one half of a `SeededPair`. place: the pair's index in the intervals. nothing: why it may have no
    figure.
    """
    reason = pair.reason if pair.figures else nothing
    return len(pair.figures), pair.counted, pair.score, reason, found.pairs[place], reason or found.reasons[place]


def _why(part: Sequence[PairScore], pairs: Sequence[PairScore], nothing: str) -> str:
    if not any(pair.figures for pair in pairs):
        return "no figure was scored"
    if not any(pair.figures for pair in part):
        return nothing
    return "; ".join(sorted({pair.reason for pair in part if pair.figures}))
