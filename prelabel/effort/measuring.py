"""How much work predictions leave to people on a set of figures, against starting from nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from agreement.primitives.rules import RESAMPLES
from agreement.resampling.clusters import Measure, Part, Ratio, compare_clusters
from panelwise.domain.annotation import Subfigure
from panelwise.domain.figure import Figure
from prelabel.effort.editing import KEEP, NOTHING, Editing, editing, from_nothing
from prelabel.effort.keystrokes import OPERATORS, Operators

#: Thresholds of IoU at which a box is left alone that are told beside the one chosen.
THRESHOLDS = (0.5, 0.75, 0.9)


@dataclass(frozen=True, slots=True)
class Pair:
    """The gold of one figure and what was predicted of it. document: its article. predicted: None for nothing."""

    figure: Figure
    gold: tuple[Subfigure, ...]
    predicted: tuple[Subfigure, ...] | None
    document: str


@dataclass(frozen=True, slots=True)
class FigureEffort:
    """The work on one figure: with the prediction, and from nothing. predicted: whether there is a prediction."""

    figure_id: str
    document: str
    predicted: bool
    needed: Editing
    nothing: Editing

    def lost(self, operators: Operators) -> float:
        """Seconds of the work with the prediction; the worst figure is the one with the most."""
        return self.needed.seconds(operators)


@dataclass(frozen=True, slots=True)
class Saving:
    """What is left of one kind of work. saved: share of it that predictions save, by part of the figures."""

    key: str
    name: str
    needed: float
    nothing: float
    saved: Mapping[Part, Ratio]


@dataclass(frozen=True, slots=True)
class Effort:
    """needed, nothing: of all figures together. savings: box operations, words toggled, seconds.

    at: the share of box operations saved where boxes are left alone from another IoU on. missing: figures without
    a prediction, which are done from nothing.
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
        """The figures that take longest, those first that save least of it."""
        order = sorted(self.figures, key=lambda each: (-each.lost(self.operators), each.figure_id))
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
    """The work that predictions leave, figure by figure and over all; see `editing` for what counts as what.

    apart: documents kept apart. Intervals are from draws of documents.
    """
    every = sorted(pairs, key=lambda each: each.figure.id)
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
        from_nothing(pair.gold, caption),
    )
