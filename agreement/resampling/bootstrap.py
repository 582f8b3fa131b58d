"""Confidence intervals by resampling figures: a figure's subfigures are not independent, so figures are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.draws import Cells, Means, around, blocks, draws, percentiles, standard_error
from agreement.resampling.draws import Interval as Interval

#: Above this many figures the linearised standard error replaces the bootstrap.
MAX_BOOTSTRAP_FIGURES = 20_000
#: Why there is no interval: draws of one figure do not vary.
ONE_FIGURE = "one figure alone cannot be resampled"
NO_RESAMPLES = "no resamples were asked for"
NOTHING_COUNTS = "no gold subfigure with a counted token"
NEVER_DRAWN = "no resample holds anything that counts"


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % CIs of the IAA and of each pair's score. None if undefined, and `reason` says why for the IAA.

    method: "bootstrap" (percentiles), "linearised" or "" without any. pairs: in the order of the pairs; reasons:
    why each of them is None, "" otherwise.
    """

    iaa: Interval | None
    pairs: tuple[Interval | None, ...]
    method: str
    reason: str
    reasons: tuple[str, ...] = ()


def intervals(pairs: Sequence[PairScore], *, resamples: int = RESAMPLES, seed: int = 0) -> Intervals:
    """Return intervals from `resamples` seeded draws, with replacement, of as many figures as there are.

    A draw's IAA is the mean of its defined pairs; draws without any are skipped. A pair scored by official-code is
    defined, with 0, if a draw has figures of it without a subfigure that counts. Figures without one are drawn
    too. The order of annotations does not matter.
    """
    if resamples < 1:
        return _none(pairs, NO_RESAMPLES)
    if len(index_figures(pairs).names) > MAX_BOOTSTRAP_FIGURES:
        return linearised(pairs)
    reason = why_none(pairs)
    if reason:
        return _none(pairs, reason)
    means = Means(resamples)

    def ranges(cells: Cells) -> list[Interval | None]:
        scores = draws(cells, resamples, seed)
        means.add(scores)
        return [percentiles(column) for column in scores.T]

    each = _of_each(pairs, ranges, resamples)
    iaa = percentiles(means.means())
    return _made(pairs, iaa, each, "bootstrap")


def linearised(pairs: Sequence[PairScore]) -> Intervals:
    """Return `intervals` by the linearised error, for any number of figures: for parts of a large whole."""
    reason = why_none(pairs)
    if reason:
        return _none(pairs, reason)
    whole, known = np.zeros(len(index_figures(pairs).names)), []

    def ranges(cells: Cells) -> list[Interval | None]:
        nonlocal whole
        scores, moves = cells.scores(), cells.moves()
        whole = whole + moves.sum(axis=1)
        known.extend(scores[~np.isnan(scores)].tolist())
        spread = zip(scores.tolist(), moves.T, strict=True)
        return [around(score, standard_error(own), low=0.0, high=1.0) for score, own in spread]

    each = _of_each(pairs, ranges, 0)
    iaa = around(sum(known) / len(known), standard_error(whole / len(known)), low=0.0, high=1.0)
    return _made(pairs, iaa, each, "linearised")


def why_none(pairs: Sequence[PairScore]) -> str:
    """Return why the figures of these pairs cannot be resampled; "" if they can.

    At least two figures must count: draws of one do not vary.
    """
    index = index_figures(pairs)
    counting = np.zeros(len(index.names), dtype=np.bool_)
    for pair, places in zip(pairs, index.places, strict=True):
        counting[places[pair.counts > 0]] = True
    if any(pair.score is not None for pair in pairs):
        return _why(int(counting.sum()))
    return "no pair is defined"


def _why(counting: int) -> str:
    """counting: number of figures with a subfigure that counts."""
    if counting < 2:
        return ONE_FIGURE if counting else NOTHING_COUNTS
    return ""


def _none(pairs: Sequence[PairScore], reason: str) -> Intervals:
    return Intervals(None, (None,) * len(pairs), "", reason, tuple(pair.reason or reason for pair in pairs))


def _of_each(
    pairs: Sequence[PairScore], ranges: Callable[[Cells], list[Interval | None]], width: int
) -> list[Interval | None]:
    """Apply `ranges` to the cells of each pair, in blocks of columns."""
    found: list[Interval | None] = []
    for cells in blocks(pairs, index_figures(pairs), width):
        found += ranges(cells)
    return found


def _made(pairs: Sequence[PairScore], iaa: Interval | None, each: list[Interval | None], method: str) -> Intervals:
    own: list[Interval | None] = []
    reasons = []
    for pair, interval in zip(pairs, each, strict=True):
        reason = pair.reason or _why(int(np.count_nonzero(pair.counts)))
        own.append(None if reason else interval)
        reasons.append(reason or ("" if interval is not None else NEVER_DRAWN))
    reason = "" if iaa is not None else NEVER_DRAWN
    return Intervals(iaa, tuple(own), method if iaa is not None else "", reason, tuple(reasons))
