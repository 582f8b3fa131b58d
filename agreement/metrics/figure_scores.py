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
    totals: dict[str, float] = {}
    counts: dict[str, int] = {}
    losses: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    for pair in pairs:
        rows = zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), detailed(pair).losses, strict=True)
        for figure, total, count, lost in rows:
            totals[figure] = totals.get(figure, 0.0) + total
            counts[figure] = counts.get(figure, 0) + count
            losses[figure] = losses[figure] + lost if figure in losses else lost
    causes = tuple(Loss)
    return tuple(
        FigureMean(
            figure,
            totals[figure] / counts[figure] if counts[figure] else None,
            counts[figure],
            causes[int(losses[figure].argmax())] if losses[figure].any() else None,
        )
        for figure in sorted(totals)
    )


def worst_first(figures: Iterable[FigureMean]) -> Sequence[FigureMean]:
    """Those on which something is missing, the lowest score first; of equal ones the larger, then by id."""
    scored = [each for each in figures if each.score is not None and each.lost is not None]
    return sorted(scored, key=lambda each: (each.score, -each.counted, each.figure))
