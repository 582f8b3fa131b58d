"""How far annotators agree on each figure, over all pairs, and where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.metrics.figure_index import by_figure, index_figures
from agreement.metrics.losses import CAUSES, Loss
from agreement.metrics.pairwise import PairScore, detailed


@dataclass(frozen=True, slots=True)
class FigureMean:
    """One figure over all pairs that scored it. score: mean F1 over the gold subfigures that count; None of none.

    counted: how many count. lost: what is missing to 1 by its greatest cause, None where nothing is.
    """

    figure: str
    score: float | None
    counted: int
    lost: Loss | None


def figure_means(pairs: Iterable[PairScore]) -> tuple[FigureMean, ...]:
    """Every figure that some pair scored, by id. The pairs need their details."""
    scored = list(pairs)
    index = index_figures(scored)
    names = index.names
    totals, counts = (cells.sum(axis=1) for cells in by_figure(scored))
    losses = np.zeros((len(names), len(CAUSES)))
    for pair, places in zip(scored, index.places, strict=True):
        # A figure is in a pair once, so nothing is added to one place twice.
        losses[places] += detailed(pair).losses
    return tuple(
        FigureMean(name, total / count if count else None, count, CAUSES[cause] if lost else None)
        for name, total, count, cause, lost in zip(
            names,
            totals.tolist(),
            counts.astype(np.int64).tolist(),
            losses.argmax(axis=1).tolist(),
            (losses != 0.0).any(axis=1).tolist(),
            strict=True,
        )
    )


def worst_first(figures: Iterable[FigureMean]) -> Sequence[FigureMean]:
    """Those on which something is missing, the lowest score first; of equal ones the larger, then by id."""
    scored = [each for each in figures if each.score is not None and each.lost is not None]
    return sorted(scored, key=lambda each: (each.score, -each.counted, each.figure))
