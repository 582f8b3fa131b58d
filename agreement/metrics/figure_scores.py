"""How far annotators agree on each figure, over all pairs, and where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.metrics.losses import Loss
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
    names = sorted(set().union(*(pair.figures for pair in scored)))
    numbers = {name: number for number, name in enumerate(names)}
    totals, counts = np.zeros(len(names)), np.zeros(len(names), dtype=np.int64)
    losses = np.zeros((len(names), len(Loss)))
    for pair in scored:
        # A figure is in a pair once, so nothing is added to one place twice.
        places = np.fromiter(map(numbers.__getitem__, pair.figures), dtype=np.int64, count=len(pair.figures))
        totals[places] += pair.totals
        counts[places] += pair.counts
        losses[places] += detailed(pair).losses
    causes = tuple(Loss)
    return tuple(
        FigureMean(name, total / count if count else None, count, causes[cause] if lost else None)
        for name, total, count, cause, lost in zip(
            names,
            totals.tolist(),
            counts.tolist(),
            losses.argmax(axis=1).tolist(),
            (losses != 0.0).any(axis=1).tolist(),
            strict=True,
        )
    )


def worst_first(figures: Iterable[FigureMean]) -> Sequence[FigureMean]:
    """Those on which something is missing, the lowest score first; of equal ones the larger, then by id."""
    scored = [each for each in figures if each.score is not None and each.lost is not None]
    return sorted(scored, key=lambda each: (each.score, -each.counted, each.figure))
