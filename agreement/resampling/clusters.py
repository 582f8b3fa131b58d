"""Ratios of sums over figures, with intervals from draws of clusters of figures: their articles.

Figures of one article share its style, layouts and captions' grammar, so articles are drawn. With one figure per
cluster these are the intervals of `bootstrap`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import RESAMPLES
from agreement.primitives.token_sets import Mask
from agreement.resampling.bootstrap import MAX_BOOTSTRAP_FIGURES, NEVER_DRAWN, NO_RESAMPLES
from agreement.resampling.draws import Cells, Interval, around, draws, percentiles, standard_error
from agreement.resampling.estimate import Estimate

#: Why there is no ratio or no interval.
NOTHING_COUNTS = "nothing counts"
ONE_CLUSTER = "one article alone cannot be resampled"


@dataclass(frozen=True, slots=True)
class Ratio:
    """total / count over some figures. value: None if the count is 0.

    interval: 95 % CI, None if undefined, and `reason` says why ("" otherwise). clusters: those with a count above
    0.
    """

    value: float | None
    total: float
    count: float
    interval: Interval | None
    clusters: int
    reason: str


def ratios(
    totals: Matrix,
    counts: Matrix,
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    low: float = 0.0,
    high: float = 1.0,
) -> tuple[Ratio, ...]:
    """Return K ratios over F figures, with intervals from `resamples` seeded draws of clusters, with replacement.

    totals, counts: (F, K), counts 0 or more. clusters: (F,) cluster of each figure. low, high: the ratio's range;
    used above `MAX_BOOTSTRAP_FIGURES` clusters, where the linearised standard error replaces the bootstrap. The
    order of the figures does not matter.
    """
    names = sorted(set(clusters))
    numbers = {name: number for number, name in enumerate(names)}
    places = np.array([numbers[name] for name in clusters], dtype=np.int64)
    width = totals.shape[1]
    cells = Cells(
        _summed(totals, places, len(names)),
        _summed(counts, places, len(names)),
        np.zeros((len(names), width)),
    )
    scores, counting = cells.scores(), (cells.counts > 0.0).sum(axis=0)
    found = _intervals(cells, resamples, seed, (low, high)) if len(names) else [None] * width
    made = []
    for column in range(width):
        reason = _why(int(counting[column]), resamples)
        interval = None if reason else found[column]
        made.append(
            Ratio(
                float(scores[column]) if counting[column] else None,
                float(cells.totals[:, column].sum()),
                float(cells.counts[:, column].sum()),
                interval,
                int(counting[column]),
                reason or ("" if interval is not None else NEVER_DRAWN),
            )
        )
    return tuple(made)


def beyond_chance(disagreement: Ratio, nothing: str) -> Estimate:
    """Return 1 - observed / expected disagreement. nothing: why it is undefined if none is expected."""
    if disagreement.value is None:
        return Estimate(None, nothing)
    ends = disagreement.interval
    interval = None if ends is None else (1 - ends[1], 1 - ends[0])
    return Estimate(1 - disagreement.value, disagreement.reason, interval, "" if interval is None else "bootstrap")


def _summed(table: Matrix, places: Indices, number: int) -> Matrix:
    """Return (number, K) sums of the rows at each place; sorted first, so that order changes no bit."""
    order = np.lexsort((*table.T, places))
    summed = np.zeros((number, table.shape[1]))
    np.add.at(summed, places[order], table[order])
    return summed


def _why(counting: int, resamples: int) -> str:
    """counting: number of clusters with a count above 0."""
    if counting < 2:
        return ONE_CLUSTER if counting else NOTHING_COUNTS
    return "" if resamples else NO_RESAMPLES


def _intervals(cells: Cells, resamples: int, seed: int, bounds: tuple[float, float]) -> list[Interval | None]:
    if len(cells.totals) > MAX_BOOTSTRAP_FIGURES:
        spread = zip(cells.scores().tolist(), cells.moves().T, strict=True)
        return [around(score, standard_error(own), low=bounds[0], high=bounds[1]) for score, own in spread]
    if not resamples:
        return [None] * len(cells.totals.T)
    return [percentiles(column) for column in draws(cells, resamples, seed).T]


class Part(StrEnum):
    """The figures of a ratio: all, those that could be looked at, or those of separate articles."""

    ALL = "all"
    REST = "rest"
    APART = "kept apart"


@dataclass(frozen=True, slots=True)
class Measure:
    """A ratio of sums over F figures. key: for scripts. name: for people.

    totals, counts: (F,). low: lower bound of the ratio.
    """

    key: str
    name: str
    totals: Vector
    counts: Vector
    low: float = 0.0


def compare_clusters(
    measures: Sequence[Measure],
    clusters: Sequence[str],
    apart: Collection[str] = (),
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[Part, tuple[Ratio, ...]]:
    """Return the ratios of all figures, and of the figures in and outside the clusters `apart`.

    apart: names of clusters. Parts without a figure are left out.
    """
    kept = np.array([name in apart for name in clusters], dtype=np.bool_)
    parts: dict[Part, Mask] = {Part.ALL: np.ones(len(kept), dtype=np.bool_)}
    if kept.any():
        parts |= {Part.REST: ~kept, Part.APART: kept}
    found = {}
    for part, chosen in parts.items():
        if not chosen.any() and part is not Part.ALL:
            continue
        own = [name for name, there in zip(clusters, chosen.tolist(), strict=True) if there]
        found[part] = tuple(
            ratios(
                each.totals[chosen][:, None],
                each.counts[chosen][:, None],
                own,
                resamples=resamples,
                seed=seed,
                low=each.low,
            )[0]
            for each in measures
        )
    return found
