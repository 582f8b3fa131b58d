"""Which figures some pairs are scored on, and where each pair's stand among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from agreement.metrics.figure_names import FigureNames, together
from agreement.metrics.iou import Matrix
from agreement.metrics.matching import Indices
from agreement.metrics.pairwise import PairScore


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


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Mean over figures of a figure's mean F1 over its gold subfigures in all pairs; None where none counts."""
    totals, counts = (cells.sum(axis=1) for cells in by_figure(pairs))
    there = counts > 0.0
    # Figures are in order of their ids, so that the last bit does not hang on the order of the pairs.
    return float((totals[there] / counts[there]).mean()) if there.any() else None
