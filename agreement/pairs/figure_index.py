"""The figures that pairs of annotators are scored on, and each pair's indices among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.columns.figure_names import FigureNames, together
from agreement.pairs.pairwise import PairScore
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices

#: Numbers of pairs times figures that are held at a time: 32 MB.
_HELD_AT_ONCE = 4_000_000


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


def _by_figure(pairs: Sequence[PairScore], index: FigureIndex) -> Iterator[tuple[Matrix, Matrix]]:
    """Yield totals and counts, (some figures, P), in the index's order; 0 for figures that a pair does not share.

    A few figures at a time: of a crowd's pairs nearly all are 0.
    """
    places = np.concatenate([*index.places, np.zeros(0, dtype=np.int64)])
    order = np.argsort(places, kind="stable")
    columns = np.repeat(np.arange(len(pairs)), [len(own) for own in index.places])[order]
    totals = np.concatenate([*(pair.totals for pair in pairs), np.zeros(0)])[order]
    counts = np.concatenate([*(pair.counts for pair in pairs), np.zeros(0)])[order]
    places, step = places[order], max(1, _HELD_AT_ONCE // max(1, len(pairs)))
    for start in range(0, len(index.names), step):
        first, last = np.searchsorted(places, (start, start + step))
        cells = np.zeros((2, min(step, len(index.names) - start), len(pairs)))
        for cell, values in zip(cells, (totals, counts), strict=True):
            cell[places[first:last] - start, columns[first:last]] = values[first:last]
        yield cells[0], cells[1]


def agreement_by_figure(pairs: Iterable[PairScore]) -> tuple[Vector, Vector]:
    """Return each figure's agreement, (F,), and how many subfigures count in all pairs, (F,).

    The agreement is the mean over pairs with a count above 0, the IAA over that figure alone; NaN without any.
    Figures are those of `index_figures`.
    """
    scored = list(pairs)
    blocks = [_of_block(*block) for block in _by_figure(scored, index_figures(scored))]
    found = np.concatenate([*blocks, np.zeros((2, 0))], axis=1)
    return found[0], found[1]


def _of_block(totals: Matrix, counts: Matrix) -> Matrix:
    there = counts > 0.0
    scores = np.divide(totals, counts, out=np.zeros_like(totals), where=there)
    found: Vector = np.divide(
        scores.sum(axis=1), there.sum(axis=1), out=np.full(len(totals), np.nan), where=there.any(axis=1)
    )
    return np.stack([found, counts.sum(axis=1)])


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Return the mean over figures of `agreement_by_figure`; None if it is undefined for all."""
    # Figures are in order of their ids, so that the last bit does not depend on the order of the pairs.
    scores, _ = agreement_by_figure(pairs)
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else None
