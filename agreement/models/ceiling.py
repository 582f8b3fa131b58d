"""The human ceiling: how far people agree with each other on the figures that a model is scored on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.pairs.figure_index import index_figures, index_resampled
from agreement.pairs.pairwise import PairScore, mean_of_pairs
from agreement.pairs.parts import within
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Interval, difference_interval

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
    found = [_gap(people, model, resamples, seed) for model in models]
    return Ceiling(
        people=tuple(sorted({name for pair in people for name in (pair.gold, pair.predicted)})),
        gaps=tuple(gap for gap, _ in found),
        method=max((method for _, method in found), default=""),
        unit="article" if index_resampled([*people, *models]).articles else "figure",
    )


def _gap(people: Sequence[PairScore], model: PairScore, resamples: int, seed: int) -> tuple[Gap, str]:
    """Return a model's gap, and the method of its interval, "" without one."""
    common = tuple(sorted({*index_figures(people).names} & {*model.figures}))
    ours, theirs = [within(pair, common) for pair in people], within(model, common)
    iaa, score = mean_of_pairs(ours), theirs.score
    if iaa is None or score is None:
        reason = theirs.reason if iaa is not None else "the people have no agreement on these figures"
        reason = reason if common else NO_COMMON_FIGURE
        return Gap(model.predicted, len(common), iaa, score, None, None, reason), ""
    interval, reason, method = difference_interval(ours, [theirs], resamples=resamples, seed=seed)
    return Gap(model.predicted, len(common), iaa, score, iaa - score, interval, reason), method
