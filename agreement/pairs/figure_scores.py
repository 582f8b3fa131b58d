"""Agreement on each figure over all pairs, and the main cause of disagreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from agreement.pairs.figure_index import agreement_by_figure, index_figures
from agreement.pairs.pairwise import PairScore, detailed
from agreement.primitives.iou import Vector
from agreement.primitives.matching import Indices
from agreement.score.losses import CAUSES, Loss


@dataclass(frozen=True, slots=True)
class FigureMean:
    """One figure over all pairs that scored it. score: its agreement, as `agreement_by_figure`; None if undefined.

    counted: gold subfigures that count, over all pairs. lost: the cause that costs most, None for none.
    """

    figure: str
    score: float | None
    counted: int
    lost: Loss | None


@dataclass(frozen=True, slots=True, eq=False)
class FigureMeans(Sequence[FigureMean]):
    """The means of N figures. Equal to any sequence of the same means.

    names: of figures that some pair scored; numbers: (N,) indices in it. scores: (N,), NaN if undefined. counted:
    (N,). causes: (N,) index in `CAUSES` of the largest loss, -1 without loss.
    """

    names: Sequence[str]
    numbers: Indices
    scores: Vector
    counted: Indices
    causes: Indices

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> FigureMean: ...

    @overload
    def __getitem__(self, place: slice) -> FigureMeans: ...

    def __getitem__(self, place: int | slice) -> FigureMean | FigureMeans:
        """Return one mean, or a slice. Raises IndexError for an invalid index."""
        if isinstance(place, slice):
            return self.take(np.arange(len(self))[place])
        counted, cause = int(self.counted[place]), int(self.causes[place])
        return FigureMean(
            self.names[int(self.numbers[place])],
            float(self.scores[place]) if counted else None,
            counted,
            CAUSES[cause] if cause >= 0 else None,
        )

    def __iter__(self) -> Iterator[FigureMean]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def take(self, places: Indices) -> FigureMeans:
        """Return the means at these indices, in this order. places: (M,)."""
        return FigureMeans(
            self.names, self.numbers[places], self.scores[places], self.counted[places], self.causes[places]
        )


def figure_means(pairs: Iterable[PairScore]) -> FigureMeans:
    """Return the means of all figures that some pair scored, by id. The pairs need their details."""
    scored = list(pairs)
    index = index_figures(scored)
    agreement, counted = agreement_by_figure(scored)
    losses = np.zeros((len(index.names), len(CAUSES)))
    for pair, places in zip(scored, index.places, strict=True):
        # A figure is in a pair once, so no index is repeated.
        losses[places] += detailed(pair).losses / np.maximum(pair.counts, 1)[:, np.newaxis]
    return FigureMeans(
        index.names,
        np.arange(len(index.names)),
        agreement,
        counted.astype(np.int64),
        np.where((losses != 0.0).any(axis=1), losses.argmax(axis=1), -1),
    )


def worst_first(figures: Iterable[FigureMean]) -> Sequence[FigureMean]:
    """Return the figures below perfect agreement, lowest score first; ties by more subfigures, then by id."""
    if isinstance(figures, FigureMeans):
        there = np.flatnonzero((figures.counted > 0) & (figures.causes >= 0))
        scores, counted = figures.scores[there], figures.counted[there]
        return figures.take(there[np.lexsort((figures.numbers[there], -counted, scores))])
    scored = [each for each in figures if each.score is not None and each.lost is not None]
    return sorted(scored, key=lambda each: (each.score, -each.counted, each.figure))
