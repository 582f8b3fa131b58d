"""Parts of a pair's figures, and draws of figures for several means: periods, phases, seeded work apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from agreement.metrics.bootstrap import NORMAL_95, Interval, Intervals, draws, intervals
from agreement.metrics.figure_index import by_figure, index_figures
from agreement.metrics.iou import Matrix, Vector
from agreement.metrics.matching import Indices
from agreement.metrics.pairwise import PairScore
from agreement.metrics.subfigure_f1 import Mode, nothing_to_count

#: What one IAA is made of: totals and counts, (F, P) each; 0 where a pair lacks a figure.
Cells = tuple[Matrix, Matrix]


def part_of(pair: PairScore, places: Indices, mode: Mode, figures: tuple[str, ...] | None = None) -> PairScore:
    """The pair over some of its figures, without details. places: (N,), where they stand in `pair.figures`.

    figures: their names, where these are known already.

    What the pair left out is told for all its figures, not for a part of them: both are empty here.
    """
    totals, counts = pair.totals[places], pair.counts[places]
    counted = int(counts.sum())
    reason = ""
    score: float | None = None
    if counted:
        score = float(totals.sum()) / counted
    elif len(places):
        score = nothing_to_count(mode)
        reason = "" if score is not None else "no gold subfigure with a counted token in the figures they share"
    else:
        reason = "no figure in common"
    if figures is None:
        figures = tuple([pair.figures[place] for place in places.tolist()])
    return replace(
        pair,
        figures=figures,
        totals=totals,
        counts=counts,
        seeded=pair.seeded[places],
        left_out={},
        passed={},
        score=score,
        reason=reason,
        details=None,
    )


def drawn_means(sides: Sequence[Cells], resamples: int, seed: int) -> Matrix:
    """IAAs in each of `resamples` draws of as many figures as there are, (resamples, len(sides)); NaN where none.

    sides: over the same F figures, so that a draw holds the same figures for each. An IAA is the mean of the
    pairs that the draw leaves defined.
    """
    scores = draws(
        np.hstack([totals for totals, _ in sides]), np.hstack([counts for _, counts in sides]), resamples, seed
    )
    edges = np.cumsum([0, *(totals.shape[1] for totals, _ in sides)])
    return np.stack([_means(scores[:, start:end]) for start, end in pairwise(edges.tolist())], axis=1)


def _means(scores: Matrix) -> Vector:
    """The mean of what is defined in each row; NaN where nothing is."""
    defined = ~np.isnan(scores)
    number = defined.sum(axis=1)
    whole = np.where(defined, scores, 0.0).sum(axis=1)
    means: Vector = np.divide(whole, number, out=np.full(len(scores), np.nan), where=number > 0)
    return means


def moves_of(cells: Cells) -> Vector:
    """What each figure moves the IAA by, (F,): its first derivative, which sums to 0. Some pair must count.

    The square root of the sum of squares times F / (F - 1) is the linearised standard error.
    """
    totals, counts = cells
    counted = counts.sum(axis=0)
    defined = counted > 0.0
    scores = totals.sum(axis=0)[defined] / counted[defined]
    moves: Vector = ((totals[:, defined] - scores * counts[:, defined]) / counted[defined]).mean(axis=1)
    return moves


def linearised(pairs: Sequence[PairScore]) -> Intervals:
    """As `intervals`, but by the linearised error however few figures there are: for parts of a large whole."""
    if len(index_figures(pairs).names) < 2 or not any(pair.counted for pair in pairs):
        return intervals(pairs)
    totals, counts = by_figure(pairs)
    each: list[Interval | None] = []
    for column, pair in enumerate(pairs):
        cells = totals[:, [column]], counts[:, [column]]
        each.append(_normal(float(cells[0].sum() / pair.counted), cells) if pair.counted else None)
    mean = [float(pair.totals.sum()) / pair.counted for pair in pairs if pair.counted]
    return Intervals(_normal(sum(mean) / len(mean), (totals, counts)), tuple(each), "linearised", "")


def _normal(value: float, cells: Cells) -> Interval:
    return around(value, standard_error(moves_of(cells)), low=0.0, high=1.0)


def standard_error(moves: Vector) -> float:
    """The linearised standard error of what `moves` are the figures' shares in; two figures or more."""
    return float(np.sqrt(np.square(moves).sum() * len(moves) / (len(moves) - 1)))


def around(value: float, error: float, *, low: float, high: float) -> Interval:
    """The normal 95% interval, held within [low, high]."""
    return max(low, value - NORMAL_95 * error), min(high, value + NORMAL_95 * error)
