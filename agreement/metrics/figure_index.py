"""Which figures some pairs are scored on, and where each pair's stand among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from agreement.metrics.iou import Matrix
from agreement.metrics.matching import Indices
from agreement.metrics.pairwise import PairScore


@dataclass(frozen=True, slots=True, eq=False)
class FigureIndex:
    """names: (F,) figures that any of P pairs is scored on, in order of their ids. places: P arrays, where each
    pair's figures stand among them.
    """

    names: tuple[str, ...]
    places: tuple[Indices, ...]


def index_figures(pairs: Iterable[PairScore]) -> FigureIndex:
    """The index of these pairs."""
    return _index(*(pair.figures for pair in pairs))


# A report asks this many times of the same pairs.
@lru_cache(maxsize=4)
def _index(*figures: tuple[str, ...]) -> FigureIndex:
    # Mostly pairs share their figures, and then one object: each is looked through once.
    distinct = list({id(own): own for own in figures}.values())
    if len(distinct) == 1:
        own = distinct[0]
        return FigureIndex(own, (np.arange(len(own)),) * len(figures))
    # Runs that are in order are merged faster than a set is sorted.
    names = tuple(dict.fromkeys(sorted(chain.from_iterable(distinct))))
    numbers = dict(zip(names, range(len(names)), strict=True))
    found = {
        id(own): np.fromiter(map(numbers.__getitem__, own), dtype=np.int64, count=len(own)) for own in distinct
    }
    return FigureIndex(names, tuple(found[id(own)] for own in figures))


def by_figure(pairs: Iterable[PairScore]) -> tuple[Matrix, Matrix]:
    """Totals and counts, (F, P), of the figures of `index_figures`; 0 where a pair does not share a figure."""
    scored = list(pairs)
    index = index_figures(scored)
    totals, counts = np.zeros((2, len(index.names), len(scored)))
    for column, (pair, places) in enumerate(zip(scored, index.places, strict=True)):
        totals[places, column] = pair.totals
        counts[places, column] = pair.counts
    return totals, counts


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Mean over figures of a figure's mean F1 over its gold subfigures in all pairs; None where none counts."""
    totals, counts = (cells.sum(axis=1) for cells in by_figure(pairs))
    there = counts > 0.0
    # Figures are in order of their ids, so that the last bit does not hang on the order of the pairs.
    return float((totals[there] / counts[there]).mean()) if there.any() else None
