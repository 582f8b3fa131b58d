"""The editing work that predictions leave on a set of figures, compared to annotating from scratch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from agreement.primitives import RESAMPLES
from agreement.resampling import Measure, Part, Ratio, compare_clusters
from panelwise.domain import Figure, Subfigure
from prelabel.effort.editing import KEEP, NOTHING, OPERATORS, Editing, Operators, editing

#: Further IoU thresholds, reported in addition to the one in use.
THRESHOLDS = (0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class Pair:
    """The gold and prediction of one figure. document: its article. predicted: None without a prediction."""

    figure: Figure
    gold: tuple[Subfigure, ...]
    predicted: tuple[Subfigure, ...] | None
    document: str


@dataclass(frozen=True, slots=True)
class FigureEffort:
    """The work on one figure: with the prediction (`needed`), and from scratch. predicted: has a prediction."""

    figure_id: str
    document: str
    predicted: bool
    needed: Editing
    nothing: Editing


@dataclass(frozen=True, slots=True)
class Saving:
    """One kind of work. saved: share of it that predictions save, by part of the figures."""

    key: str
    name: str
    needed: float
    nothing: float
    saved: Mapping[Part, Ratio]


@dataclass(frozen=True, slots=True)
class Effort:
    """needed, nothing: sums over all figures, with predictions and from scratch. missing: figures without a
    prediction.

    savings: box operations, words toggled, seconds. at: share of box operations saved at other IoUs from which
    boxes are left unchanged. Figures without a prediction are annotated from scratch.
    """

    figures: tuple[FigureEffort, ...]
    operators: Operators
    keep: float
    needed: Editing
    nothing: Editing
    savings: tuple[Saving, ...]
    at: Mapping[float, Ratio]
    missing: tuple[str, ...]

    def worst(self, number: int) -> Sequence[FigureEffort]:
        """Return the figures with the most work left, most first, ties by id; omits figures without work."""
        order = sorted(self.figures, key=lambda figure: (-figure.needed.seconds(self.operators), figure.figure_id))
        return [each for each in order if each.needed != NOTHING][:number]


def effort(
    pairs: Iterable[Pair],
    *,
    keep: float = KEEP,
    operators: Operators = OPERATORS,
    apart: Collection[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Effort:
    """Return the work that predictions leave, per figure and over all; see `editing` for the counts.

    apart: separate documents. Intervals are from draws of documents.
    """
    every = sorted(pairs, key=lambda pair: pair.figure.id)
    found = tuple(_of(each, keep) for each in every)
    documents = [each.document for each in found]

    def saving(key: str, name: str, work: Sequence[tuple[float, float]]) -> Saving:
        needed, nothing = (np.array([each[side] for each in work], dtype=np.float64) for side in (0, 1))
        measure = Measure(key, name, nothing - needed, nothing, low=-np.inf)
        parts = compare_clusters([measure], documents, apart, resamples=resamples, seed=seed)
        return Saving(
            key, name, float(needed.sum()), float(nothing.sum()), {part: own[0] for part, own in parts.items()}
        )

    def each_by(measured: str) -> list[tuple[float, float]]:
        return [(getattr(own.needed, measured), getattr(own.nothing, measured)) for own in found]

    def seconds(each_box: bool) -> list[tuple[float, float]]:
        return [
            (own.needed.seconds(operators, each_box=each_box), own.nothing.seconds(operators, each_box=each_box))
            for own in found
        ]

    savings = (
        saving("box_operations", "box operations", each_by("box_operations")),
        saving("tokens_toggled", "words toggled", each_by("toggled")),
        saving("seconds", "seconds", seconds(each_box=False)),
        saving("seconds_each_box", "seconds, each box", seconds(each_box=True)),
    )
    at = {}
    for threshold in THRESHOLDS:
        others = [_of(each, threshold) for each in every]
        work = [(float(own.needed.box_operations), float(own.nothing.box_operations)) for own in others]
        at[threshold] = saving("", "", work).saved[Part.ALL]
    return Effort(
        found,
        operators,
        keep,
        reduce(add, (each.needed for each in found), NOTHING),
        reduce(add, (each.nothing for each in found), NOTHING),
        savings,
        at,
        tuple(each.figure_id for each in found if not each.predicted),
    )


def _of(pair: Pair, keep: float) -> FigureEffort:
    caption = pair.figure.caption
    return FigureEffort(
        pair.figure.id,
        pair.document,
        pair.predicted is not None,
        editing(pair.gold, pair.predicted or (), caption, keep=keep),
        editing(pair.gold, (), caption),
    )
