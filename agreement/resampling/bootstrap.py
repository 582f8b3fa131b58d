"""Confidence intervals by resampling figures: a figure's subfigures are not independent, so figures are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.pairs.figure_index import FigureIndex, index_resampled
from agreement.pairs.pairwise import PairScore, mean_of_pairs
from agreement.primitives.matching import Indices
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.draws import (
    Cells,
    Means,
    around,
    blocks,
    drawn_means,
    draws,
    moves_of,
    percentiles,
    standard_error,
)
from agreement.resampling.draws import Interval as Interval

#: Above this many figures, or ordered pairs of annotators, the linearised standard error replaces the bootstrap.
MAX_BOOTSTRAP_FIGURES = MAX_BOOTSTRAP_PAIRS = 20_000
#: Why there is no interval: draws of one figure do not vary.
ONE_FIGURE = "one figure alone cannot be resampled"
ONE_ARTICLE = "one article alone cannot be resampled"
NO_RESAMPLES = "no resamples were asked for"
NOTHING_COUNTS = "no gold subfigure with a counted token"
NEVER_DRAWN = "no resample holds anything that counts"
NOT_BOTH = "no resample holds figures of both phases"


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % CIs of the IAA and of each pair's score. None if undefined, and `reason` says why for the IAA.

    method: "bootstrap" (percentiles), "linearised" or "" without any. pairs: in the order of the pairs; reasons:
    why each of them is None, "" otherwise. unit: what was resampled, "article" if figures share some.
    """

    iaa: Interval | None
    pairs: tuple[Interval | None, ...]
    method: str
    reason: str
    reasons: tuple[str, ...] = ()
    unit: str = "figure"


def intervals(pairs: Sequence[PairScore], *, resamples: int = RESAMPLES, seed: int = 0) -> Intervals:
    """Return intervals from `resamples` seeded draws, with replacement, of as many figures as there are.

    A draw's IAA is the mean of its defined pairs; draws without any are skipped. A pair scored by official-code is
    defined, with 0, if a draw has figures of it without a subfigure that counts. Figures without one are drawn
    too. The order of annotations does not matter.
    """
    if resamples < 1:
        return _none(pairs, NO_RESAMPLES)
    index = index_resampled(pairs)
    if _is_large(pairs, index):
        return linearised(pairs)
    reason = _why_none(pairs, index)
    if reason:
        return _none(pairs, reason)
    means = Means(resamples)

    def ranges(cells: Cells) -> list[Interval | None]:
        scores = draws(cells, resamples, seed)
        means.add(scores)
        # A pair that one figure decides has no interval.
        several = ((cells.counts > 0.0).sum(axis=0) > 1).tolist()
        return [percentiles(column) if many else None for column, many in zip(scores.T, several, strict=True)]

    each = _of_each(pairs, index, ranges, resamples)
    return _made(pairs, index, percentiles(means.means()), each, "bootstrap")


def linearised(pairs: Sequence[PairScore]) -> Intervals:
    """Return `intervals` by the linearised error, for any number of figures: for parts of a large whole."""
    index = index_resampled(pairs)
    reason = _why_none(pairs, index)
    if reason:
        return _none(pairs, reason)
    whole, known = np.zeros(len(index.names)), []

    def ranges(cells: Cells) -> list[Interval | None]:
        nonlocal whole
        scores, moves = cells.scores(), cells.moves()
        whole = whole + moves.sum(axis=1)
        known.extend(scores[~np.isnan(scores)].tolist())
        spread = zip(scores.tolist(), moves.T, strict=True)
        return [around(score, standard_error(own), low=0.0, high=1.0) for score, own in spread]

    each = _of_each(pairs, index, ranges, 0)
    iaa = around(sum(known) / len(known), standard_error(whole / len(known)), low=0.0, high=1.0)
    return _made(pairs, index, iaa, each, "linearised")


def difference_interval(
    here: Sequence[PairScore], there: Sequence[PairScore], *, resamples: int, seed: int
) -> tuple[Interval | None, str, str]:
    """Return the 95 % CI of the IAA of `here` minus that of `there`, why there is none, and its method.

    Figures are resampled, those of both sides together, so that their difficulty is no difference. Both IAAs are
    defined. The method is "bootstrap", "linearised" or "".
    """
    if resamples < 1:
        return None, NO_RESAMPLES, ""
    # If one side is constant, the spread of the other would be taken for that of the difference.
    reason = why_none(here) or why_none(there)
    if reason:
        return None, reason, ""
    both = [*here, *there]
    if _is_large(both, index_resampled(both)):
        ours, theirs = moves_of((here, there)).T
        difference = (mean_of_pairs(here) or 0.0) - (mean_of_pairs(there) or 0.0)
        return around(difference, standard_error(ours - theirs), low=-1.0, high=1.0), "", "linearised"
    ours, theirs = drawn_means((here, there), resamples, seed).T
    interval = percentiles(ours - theirs)
    return (None, NOT_BOTH, "") if interval is None else (interval, "", "bootstrap")


def why_none(pairs: Sequence[PairScore]) -> str:
    """Return why the figures of these pairs, or their articles, cannot be resampled; "" if they can.

    At least two must count: draws of one do not vary.
    """
    return _why_none(pairs, index_resampled(pairs))


def _is_large(pairs: Sequence[PairScore], index: FigureIndex) -> bool:
    return len(index.names) > MAX_BOOTSTRAP_FIGURES or len(pairs) > MAX_BOOTSTRAP_PAIRS


def _why_none(pairs: Sequence[PairScore], index: FigureIndex) -> str:
    if any(pair.score is not None for pair in pairs):
        return _why(pairs, index, index.places)
    return "no pair is defined"


def _why(pairs: Sequence[PairScore], index: FigureIndex, every: Sequence[Indices]) -> str:
    """every: the indices of each pair's figures."""
    counting = np.zeros(len(index.names), dtype=np.bool_)
    for pair, places in zip(pairs, every, strict=True):
        counting[places[pair.counts > 0]] = True
    if counting.sum() > 1:
        return ""
    return NOTHING_COUNTS if not counting.any() else ONE_ARTICLE if index.articles else ONE_FIGURE


def _none(pairs: Sequence[PairScore], reason: str) -> Intervals:
    return Intervals(None, (None,) * len(pairs), "", reason, tuple(pair.reason or reason for pair in pairs))


def _of_each(
    pairs: Sequence[PairScore], index: FigureIndex, ranges: Callable[[Cells], list[Interval | None]], width: int
) -> list[Interval | None]:
    """Apply `ranges` to the cells of each pair, in blocks of columns."""
    found: list[Interval | None] = []
    for cells in blocks(pairs, index, width):
        found += ranges(cells)
    return found


def _made(
    pairs: Sequence[PairScore],
    index: FigureIndex,
    iaa: Interval | None,
    each: list[Interval | None],
    method: str,
) -> Intervals:
    own: list[Interval | None] = []
    reasons = []
    for pair, places, interval in zip(pairs, index.places, each, strict=True):
        reason = pair.reason or _why([pair], index, [places])
        own.append(None if reason else interval)
        reasons.append(reason or ("" if interval is not None else NEVER_DRAWN))
    reason = "" if iaa is not None else NEVER_DRAWN
    unit = "article" if index.articles else "figure"
    return Intervals(iaa, tuple(own), method if iaa is not None else "", reason, tuple(reasons), unit)
