"""Draws of figures and the pairs' scores in them; and the same by the scores' first derivatives.

Results are bitwise the same for any number of threads: totals are split so that none of their sums is rounded. So
pairs of equal work have equal scores in every draw, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from agreement.pairs.figure_index import FigureIndex, index_resampled
from agreement.pairs.pairwise import PairScore
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.rules import nothing_to_count

#: Quantile of the normal distribution for a two-sided 95% interval.
NORMAL_95 = 1.959963984540054
#: Numbers drawn at a time: work within a processor's cache is twice as fast.
_DRAWN_AT_ONCE = 300_000
#: Numbers of pairs times draws, or figures, that are held at a time: 32 MB.
_HELD_AT_ONCE = 4_000_000
#: Numbers of cached draws, three times: 50 MB each.
_KEPT_AT_MOST = 25_000_000
#: A table with fewer than one number in so many is summed over these alone.
_SPARSE = 16
#: Bits of a float64's whole numbers, less one that rounding may need.
_BITS = 52

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Sums behind the scores of P pairs over F figures.

    totals, counts: (F, P), 0 for a figure missing in a pair. zeros: (F, P) 1 for figures of pairs that score 0 if
    no subfigure counts (official-code); 0 elsewhere.
    """

    totals: Matrix
    counts: Matrix
    zeros: Matrix

    def scores(self) -> Vector:
        """Return the micro means, (P,); 0 if none counts and the mode scores that 0, NaN without a score."""
        counted = self.counts.sum(axis=0)
        scores: Vector = np.where(self.zeros.any(axis=0), 0.0, np.nan)
        np.divide(self.totals.sum(axis=0), counted, out=scores, where=counted > 0.0)
        return scores

    def moves(self) -> Matrix:
        """Return each figure's influence on each pair's score, (F, P): first derivatives, which sum to 0 over the
        figures.

        0 if no subfigure counts.
        """
        counted = self.counts.sum(axis=0)
        apart = self.totals - np.nan_to_num(self.scores()) * self.counts
        moves: Matrix = np.divide(apart, counted, out=np.zeros_like(apart), where=counted > 0.0)
        return moves


def cells_of(pairs: Sequence[PairScore], index: FigureIndex) -> Cells:
    """Return the cells of these pairs. index: may include figures of other pairs."""
    totals, counts, zeros = np.zeros((3, len(index.names), len(pairs)))
    for column, (pair, places) in enumerate(zip(pairs, index.places, strict=True)):
        # Of an article there are several figures, in order of their ids.
        np.add.at(totals[:, column], places, pair.totals)
        np.add.at(counts[:, column], places, pair.counts)
        zeros[places, column] = nothing_to_count(pair.mode) is not None
    return Cells(totals, counts, zeros)


def blocks(pairs: Sequence[PairScore], index: FigureIndex, width: int) -> Iterator[Cells]:
    """Yield the cells of blocks of pairs, to bound memory. width: numbers stored per pair."""
    step = max(1, _HELD_AT_ONCE // max(1, width, len(index.names)))
    for start in range(0, len(pairs), step):
        own = slice(start, start + step)
        yield cells_of(pairs[own], replace(index, places=index.places[own]))


def draws(cells: Cells, resamples: int, seed: int) -> Matrix:
    """Scores of the pairs in each resample, (resamples, P): of as many figures as there are, with replacement.

    NaN if nothing counts; 0 if that scores 0 and the draw holds a figure of the pair. One seed gives the
    same draws to whatever pairs over as many figures.
    """
    number, pairs = cells.totals.shape
    silent = np.flatnonzero((cells.zeros > cells.counts).any(axis=0))
    table = np.hstack([*exact_parts(cells.totals), cells.counts, cells.zeros[:, silent]])
    # Of a crowd's pairs each has a few of the figures; the others add exactly 0.
    scored = (cells.counts > 0.0) | (cells.zeros > 0.0)
    used = np.flatnonzero(scored.any(axis=1))
    table = table[used]
    sums_of = _sparse_sums(table) if scored.sum() * _SPARSE < len(used) * pairs else partial(_dense_sums, table)
    found = np.full((resamples, pairs), np.nan)
    start = 0
    for weights in _weights(number, resamples, seed):
        sums = sums_of(weights[:, used])
        coarse, fine, counted, within = np.split(sums, (pairs, 2 * pairs, 3 * pairs), axis=1)
        own = found[start : start + len(weights)]
        start += len(weights)
        own[:, silent] = np.where(within > 0.0, 0.0, np.nan)
        np.divide(coarse + fine, counted, out=own, where=counted > 0.0)
    return found


def _dense_sums(table: Matrix, weights: NDArray[np.uint16]) -> Matrix:
    return weights.astype(np.float64) @ table


def _sparse_sums(table: Matrix) -> Callable[[NDArray[np.uint16]], Matrix]:
    """Return a function of weights, (R, F), to their product with the table, (F, P): mostly zeros, not all."""
    columns, figures = np.nonzero(table.T)
    values = table[figures, columns]
    filled, starts = np.unique(columns, return_index=True)

    def sums_of(weights: NDArray[np.uint16]) -> Matrix:
        sums = np.zeros((len(weights), table.shape[1]))
        # By rows of figures, each contiguous.
        weighted = np.ascontiguousarray(weights.T)[figures] * values[:, None]
        sums[:, filled] = np.add.reduceat(weighted, starts, axis=0).T
        return sums

    return sums_of


def _weights(number: int, resamples: int, seed: int) -> Iterable[NDArray[np.uint16]]:
    """Return how often each of `number` figures is in each resample, (size, number) at a time.

    Caches the last ones: a report's only period has as many figures as the whole.
    """
    if number * resamples > _KEPT_AT_MOST:
        return _drawn(number, resamples, seed)
    return _kept(number, resamples, seed)


@lru_cache(maxsize=3)
def _kept(number: int, resamples: int, seed: int) -> Sequence[NDArray[np.uint16]]:
    return list(_drawn(number, resamples, seed))


def _drawn(number: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint16]]:
    generator = np.random.default_rng(seed)
    batch = max(1, _DRAWN_AT_ONCE // number)
    for start in range(0, resamples, batch):
        size = min(batch, resamples - start)
        drawn = generator.integers(0, number, size=(size, number))
        drawn += number * np.arange(size)[:, None]
        # No figure is drawn more often than there are figures, 20,000 at most.
        yield np.bincount(drawn.ravel(), minlength=size * number).reshape(size, number).astype(np.uint16)


def exact_parts(values: Matrix) -> tuple[Matrix, Matrix]:
    """Two parts of the values, (F, P), whose sums over any draw of F figures no addition rounds.

    With F times the greatest of a column below 2^e, its coarse part is in multiples of 2^(e-52). So what F draws
    sum up to, and each sum on the way, is a whole multiple of that below 2^53: a float64 holds it, in whatever
    order it came about. The fine part is what is left, below 2^(e-53), cut in the same way; what this leaves in
    turn is dropped. That is less than F * 2^(e-105) of a figure's total, far below what a float64 has.
    """
    coarse = _in_steps(values)
    return coarse, _in_steps(values - coarse)


def _in_steps(values: Matrix) -> Matrix:
    _, powers = np.frexp(len(values) * np.abs(values).max(axis=0, initial=0.0))
    step = np.ldexp(1.0, powers - _BITS)
    rounded: Matrix = np.rint(values / step) * step
    return rounded


class Means:
    """The mean over defined pairs in each of several draws; pairs are added a block at a time."""

    def __init__(self, draws: int) -> None:
        self._whole: Vector = np.zeros(draws)
        self._number: Vector = np.zeros(draws)

    def add(self, scores: Matrix) -> None:
        """Add scores: (draws, P), NaN if a pair is not defined."""
        defined = ~np.isnan(scores)
        self._number += defined.sum(axis=1)
        self._whole += np.where(defined, scores, 0.0).sum(axis=1)

    def means(self) -> Vector:
        """Return the means, (draws,), NaN if no pair is defined."""
        nothing = np.full(len(self._whole), np.nan)
        means: Vector = np.divide(self._whole, self._number, out=nothing, where=self._number > 0.0)
        return means


def drawn_means(sides: Sequence[Sequence[PairScore]], resamples: int, seed: int) -> Matrix:
    """Return the IAA of each side in each of `resamples` draws, (resamples, len(sides)); NaN without any.

    A draw is of the figures of all sides together, the same for each. An IAA is the mean over the pairs that the
    draw leaves defined.
    """
    found = []
    for pairs, index in _on_one_index(sides):
        means = Means(resamples)
        for cells in blocks(pairs, index, resamples):
            means.add(draws(cells, resamples, seed))
        found.append(means.means())
    return np.stack(found, axis=1)


def moves_of(sides: Sequence[Sequence[PairScore]]) -> Matrix:
    """Return each figure's influence on the IAA of each side, (F, len(sides)), over all figures; see
    `Cells.moves`.

    A side needs a defined pair.
    """
    found = []
    for pairs, index in _on_one_index(sides):
        whole, number = np.zeros(len(index.names)), 0
        for cells in blocks(pairs, index, 0):
            whole += cells.moves().sum(axis=1)
            number += int((~np.isnan(cells.scores())).sum())
        found.append(whole / number)
    return np.stack(found, axis=1)


def _on_one_index(
    sides: Sequence[Sequence[PairScore]],
) -> Iterator[tuple[Sequence[PairScore], FigureIndex]]:
    index = index_resampled([pair for pairs in sides for pair in pairs])
    start = 0
    for pairs in sides:
        yield pairs, replace(index, places=index.places[start : start + len(pairs)])
        start += len(pairs)


def percentiles(values: Vector, *, outside: float = 0.05) -> Interval | None:
    """Return the central interval without a share `outside` of the values; None without values. NaN is skipped."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.percentile(known, (50 * outside, 100 - 50 * outside))
    return float(low), float(high)


def standard_error(moves: Vector) -> float:
    """Return the linearised standard error, given the figures' influences `moves`; two figures or more."""
    return float(np.sqrt(np.square(moves).sum() * len(moves) / (len(moves) - 1)))


def around(value: float, error: float, *, low: float, high: float) -> Interval:
    """Return the normal 95 % CI, clipped to [low, high]."""
    return max(low, value - NORMAL_95 * error), min(high, value + NORMAL_95 * error)
