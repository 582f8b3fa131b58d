"""The human ceiling: how far people agree with each other on the figures that a model is scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.pairs.figure_index import index_figures, index_resampled
from agreement.pairs.pairwise import PairScore, mean_of_pairs
from agreement.pairs.parts import part_of
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import MAX_BOOTSTRAP_FIGURES, NO_RESAMPLES, why_none
from agreement.resampling.draws import Interval, around, drawn_means, moves_of, percentiles, standard_error

NO_COMMON_FIGURE = "no figure that both the people and this one did"


@dataclass(frozen=True, slots=True)
class Gap:
    """A model beside the people, over the figures that both did.

    people: their IAA there. score: the model's, compared to the gold. gap: people minus score; interval: its
    95 % CI, by draws of figures that are the same for both. figures: number. Each value is None if undefined, and
    `reason` says why.
    """

    name: str
    figures: int
    people: float | None
    score: float | None
    gap: float | None
    interval: Interval | None
    reason: str


@dataclass(frozen=True, slots=True)
class Ceiling:
    """People's agreement beside each model. people: their names. method: "bootstrap", "linearised" or "".

    unit: what was resampled, "article" if figures share some.
    """

    people: tuple[str, ...]
    gaps: tuple[Gap, ...]
    method: str
    unit: str = "figure"


def human_ceiling(
    people: Sequence[PairScore], models: Sequence[PairScore], *, resamples: int = RESAMPLES, seed: int = 0
) -> Ceiling:
    """Compare the IAA of `people` (all ordered pairs) with each of `models` (scored against one gold)."""
    gaps = tuple(_gap(people, model, resamples, seed) for model in models)
    index = index_resampled([*people, *models])
    most = len(index.names) if index.articles else max((each.figures for each in gaps), default=0)
    return Ceiling(
        people=tuple(sorted({name for pair in people for name in (pair.gold, pair.predicted)})),
        gaps=gaps,
        method=_method(most) if any(each.interval is not None for each in gaps) else "",
        unit="article" if index.articles else "figure",
    )


def _gap(people: Sequence[PairScore], model: PairScore, resamples: int, seed: int) -> Gap:
    common = tuple(sorted({*index_figures(people).names} & {*model.figures}))
    ours = [_within(pair, common) for pair in people]
    theirs = _within(model, common)
    iaa, score = mean_of_pairs(ours), theirs.score
    if iaa is None or score is None:
        reason = theirs.reason if iaa is not None else "the people have no agreement on these figures"
        return Gap(model.predicted, len(common), iaa, score, None, None, reason if common else NO_COMMON_FIGURE)
    reason = NO_RESAMPLES if resamples < 1 else why_none(ours) or why_none([theirs])
    interval = None if reason else _interval(ours, theirs, iaa - score, resamples, seed)
    return Gap(model.predicted, len(common), iaa, score, iaa - score, interval, reason)


def _interval(
    people: Sequence[PairScore], model: PairScore, gap: float, resamples: int, seed: int
) -> Interval | None:
    sides = (people, [model])
    if _method(len(index_resampled([*people, model]).names)) == "linearised":
        moves = moves_of(sides)
        return around(gap, standard_error(moves[:, 0] - moves[:, 1]), low=-1.0, high=1.0)
    drawn = drawn_means(sides, resamples, seed)
    return percentiles(drawn[:, 0] - drawn[:, 1])


def _within(pair: PairScore, figures: Sequence[str]) -> PairScore:
    return part_of(pair, np.flatnonzero(pair.figures.among(figures)))


def _method(figures: int) -> str:
    return "linearised" if figures > MAX_BOOTSTRAP_FIGURES else "bootstrap"
