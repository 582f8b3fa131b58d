"""The figures that pairs of annotators are scored on, and each pair's indices among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.columns.figure_names import FigureNames, together
from agreement.pairs.pairwise import PairScore
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices


@dataclass(frozen=True, slots=True, eq=False)
class FigureIndex:
    """names: F figures that any of P pairs is scored on, in order of their ids. places: P arrays, the indices of
    each pair's figures. articles: whether the names are of articles, so that places may repeat.
    """

    names: FigureNames
    places: tuple[Indices, ...]
    articles: bool = False


def index_figures(pairs: Iterable[PairScore]) -> FigureIndex:
    """Build the index of these pairs."""
    return FigureIndex(*together([pair.figures for pair in pairs]))


def index_resampled(pairs: Sequence[PairScore]) -> FigureIndex:
    """Build the index of what intervals resample: articles if some figures share one, else figures.

    A figure without an article is one of its own.
    """
    index = index_figures(pairs)
    articles = next((pair.articles for pair in pairs if pair.articles), {})
    if not articles:
        return index
    keys = [(name not in articles, articles.get(name, name)) for name in index.names]
    if len(set(keys)) == len(keys):
        return index
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    own = np.array([numbers[key] for key in keys], dtype=np.int64)
    names = FigureNames(tuple(name for _, name in numbers), np.arange(len(numbers)))
    return FigureIndex(names, tuple(own[places] for places in index.places), articles=True)


def by_figure(pairs: Iterable[PairScore]) -> tuple[Matrix, Matrix]:
    """Return totals and counts, (F, P), of the figures of `index_figures`; 0 for figures a pair does not share."""
    scored = list(pairs)
    index = index_figures(scored)
    totals, counts = np.zeros((2, len(index.names), len(scored)))
    for column, (pair, places) in enumerate(zip(scored, index.places, strict=True)):
        totals[places, column] = pair.totals
        counts[places, column] = pair.counts
    return totals, counts


def agreement_by_figure(totals: Matrix, counts: Matrix) -> Vector:
    """Return each figure's agreement, (F,): the mean over pairs with a count above 0; NaN without any.

    It is the IAA over that figure alone. totals, counts: as `by_figure` returns them.
    """
    there = counts > 0.0
    scores = np.divide(totals, counts, out=np.zeros_like(totals), where=there)
    found: Vector = np.divide(
        scores.sum(axis=1), there.sum(axis=1), out=np.full(len(totals), np.nan), where=there.any(axis=1)
    )
    return found


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Return the mean over figures of `agreement_by_figure`; None if it is undefined for all."""
    # Figures are in order of their ids, so that the last bit does not depend on the order of the pairs.
    scores = agreement_by_figure(*by_figure(pairs))
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else None
