"""Which figures some pairs are scored on, and where each pair's stand among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from agreement.columns.figure_names import FigureNames, together
from agreement.pairs.pairwise import PairScore
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices


@dataclass(frozen=True, slots=True, eq=False)
class FigureIndex:
    """names: F figures that any of P pairs is scored on, in order of their ids. places: P arrays, where each
    pair's figures stand among them.
    """

    names: FigureNames
    places: tuple[Indices, ...]


def index_figures(pairs: Iterable[PairScore]) -> FigureIndex:
    """The index of these pairs."""
    return FigureIndex(*together([pair.figures for pair in pairs]))


def by_figure(pairs: Iterable[PairScore]) -> tuple[Matrix, Matrix]:
    """Totals and counts, (F, P), of the figures of `index_figures`; 0 where a pair does not share a figure."""
    scored = list(pairs)
    index = index_figures(scored)
    totals, counts = np.zeros((2, len(index.names), len(scored)))
    for column, (pair, places) in enumerate(zip(scored, index.places, strict=True)):
        totals[places, column] = pair.totals
        counts[places, column] = pair.counts
    return totals, counts


def agreement_by_figure(totals: Matrix, counts: Matrix) -> Vector:
    """Each figure's agreement, (F,): the mean over the pairs in which something counts; NaN where nothing does.

    It is the IAA over that figure alone. totals, counts: as `by_figure` returns them.
    """
    there = counts > 0.0
    scores = np.divide(totals, counts, out=np.zeros_like(totals), where=there)
    found: Vector = np.divide(
        scores.sum(axis=1), there.sum(axis=1), out=np.full(len(totals), np.nan), where=there.any(axis=1)
    )
    return found


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Mean over figures of `agreement_by_figure`; None where nothing counts in any."""
    # Figures are in order of their ids, so that the last bit does not hang on the order of the pairs.
    scores = agreement_by_figure(*by_figure(pairs))
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else None
