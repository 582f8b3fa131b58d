"""Agreement over the time of a campaign: by week, by batch, or in equal parts of the work.

A figure belongs to the time when its last accepted annotation was saved, since only then agreement can be
measured. So it is in one period, however long its annotators were apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np

from agreement.columns.corpus import microseconds
from agreement.columns.figure_names import FigureNames
from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore, mean_of_pairs, reasons_of
from agreement.pairs.parts import part_of
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import MAX_BOOTSTRAP_FIGURES, NEVER_DRAWN, NO_RESAMPLES, Intervals, why_none
from agreement.resampling.draws import Interval, around, drawn_means, moves_of, percentiles, standard_error
from agreement.resampling.part_scores import PartScore

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The stored value of an unknown time (annotations in MedICaT's layout have none), and its microseconds.
UNKNOWN_TIME, UNKNOWN = _EPOCH, 0
_DAY = 86_400_000_000


class Grouping(StrEnum):
    """The kind of period: an ISO week (UTC), a batch named by the figures, or one of equal parts of the work."""

    WEEK = "week"
    BATCH = "batch"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Period(PartScore):
    """Agreement over the figures of one period.

    name: "2026-W47", the batch, or "1 of 4". first, last: times of its figures, None if unknown.
    """

    name: str
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of the IAA per period: the slope of a weighted least-squares line.

    It uses periods with at least two figures that count, weighted by their figures. Weeks without figures count as
    steps, so that the slope is per week. interval: 95 % CI. Both None if undefined, and `reason` says why.
    """

    slope: float | None
    interval: Interval | None
    reason: str


@dataclass(frozen=True, slots=True)
class Drift:
    """Agreement by period, in order of time. reason: why there is no period, "" if there is one.

    unplaced: scored figures without a period: no batch, or an unknown time. method: of the intervals, "bootstrap",
    "linearised", or "" without any.
    """

    by: Grouping
    periods: tuple[Period, ...]
    trend: Trend
    unplaced: tuple[str, ...]
    method: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """Completion times of figures. table: names in order. moments: (N,) microseconds since 1970 in UTC; 0 if
    unknown.
    """

    table: tuple[str, ...]
    moments: Indices

    @classmethod
    def of(cls, times: Mapping[str, datetime]) -> Finished:
        """Build from times by figure."""
        table = tuple(sorted(times))
        return cls(table, np.array([microseconds(times[name]) for name in table], dtype=np.int64))

    def at(self, names: FigureNames) -> Indices:
        """Return the moments of these figures, (len(names),), 0 for unknown figures."""
        if names.table is self.table:
            return self.moments[names.numbers]
        known = dict(zip(self.table, self.moments.tolist(), strict=True))
        return np.array([known.get(name, 0) for name in names], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Figures of one period before scoring. number: from 0; step: its position on the axis of the trend.

    figures: indices among all scored figures, ascending.
    """

    name: str
    figures: Indices
    number: int
    step: int


def drift(
    pairs: Sequence[PairScore],
    finished: Finished | Mapping[str, datetime],
    by: Grouping = Grouping.WEEK,
    *,
    parts: int = 4,
    batches: Mapping[str, str] | None = None,
    whole: Intervals | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Drift:
    """Return the pairs' agreement by period.

    finished: completion time of each scored figure; a figure without a time, or at `UNKNOWN_TIME`, has none.
    parts: number of periods for `Grouping.PART`, at most the number of figures. batches: figure -> its batch.
    whole: the intervals of all pairs, reused if one period has all figures.
    Intervals resample figures within each period. Raises ValueError for fewer than one part.
    """
    if parts < 1:
        raise ValueError(f"{parts} parts cannot be; give 1 or more")
    index = index_figures(pairs)
    moments = (finished if isinstance(finished, Finished) else Finished.of(finished)).at(index.names)
    if by is Grouping.WEEK:
        groups = _weeks(moments)
    elif by is Grouping.PART:
        groups = _parts(moments, parts)
    else:
        groups = _batches(index.names, batches or {}, moments)
    period = np.full(len(moments), -1, dtype=np.int64)
    for group in groups:
        period[group.figures] = group.number
    unplaced = tuple(index.names.take(np.flatnonzero(period < 0)))
    if not groups:
        reason = _why_none(by, len(moments), bool((moments != UNKNOWN).any()))
        return Drift(by, (), Trend(None, None, reason), unplaced, "", reason)
    linear = len(moments) - len(unplaced) > MAX_BOOTSTRAP_FIGURES
    # All figures in one period: its draws are those of the whole.
    drawn = whole if whole is not None and len(groups[0].figures) == len(moments) else None
    made = _Made(linear, resamples, seed, drawn)
    periods = []
    for group in groups:
        own = [
            part_of(pair, np.flatnonzero(period[places] == group.number))
            for pair, places in zip(pairs, index.places, strict=True)
        ]
        periods.append(_period(group, own, moments[group.figures], made))
    method = ("linearised" if linear else "bootstrap") if any(each.interval for each in periods) else ""
    return Drift(by, tuple(periods), _trend(made), unplaced, method, "")


class _Line:
    """Least-squares lines through the periods, one per value. Stores sums only."""

    def __init__(self, number: int) -> None:
        self._sums: Matrix = np.zeros((5, number))

    def add(self, step: int, weight: int, values: Vector) -> None:
        """Add one period. values: (N,), NaN if undefined, which that line skips."""
        there = ~np.isnan(values)
        heavy = np.where(there, float(weight), 0.0)
        known = np.where(there, values, 0.0)
        self._sums += np.stack([heavy, heavy * step, heavy * step * step, heavy * known, heavy * step * known])

    def slopes(self) -> Vector:
        """Return the slopes, (N,), NaN with fewer than two periods."""
        whole, x, xx, y, xy = self._sums
        spread = whole * xx - x * x
        slopes: Vector = np.divide(whole * xy - x * y, spread, out=np.full(len(whole), np.nan), where=spread > 0.0)
        return slopes

    def pull(self, step: int, weight: int) -> float:
        """Return the derivative of the first line's slope by a period's value."""
        whole, x, xx, _, _ = self._sums[:, 0]
        return float(weight * (whole * step - x) / (whole * xx - x * x))


class _Made:
    """Computes the intervals, and stores what the trend needs of each period."""

    def __init__(self, linear: bool, resamples: int, seed: int, drawn: Intervals | None) -> None:
        self.linear = linear
        self.resamples = resamples
        self.lines = _Line(resamples)
        self.used: list[tuple[_Group, float]] = []
        self.errors: list[tuple[_Group, float]] = []
        self._seed = seed
        self._drawn = drawn

    def interval(self, group: _Group, pairs: Sequence[PairScore], iaa: float) -> tuple[Interval | None, str]:
        """Return the interval of a period's IAA, and why there is none.

        Each period has draws of its own; the first has those of a whole report.
        """
        why_not = why_none(pairs)
        if why_not:
            return None, why_not
        self.used.append((group, iaa))
        if self.resamples < 1:
            return None, NO_RESAMPLES
        if self.linear:
            error = standard_error(moves_of([pairs])[:, 0])
            self.errors.append((group, error))
            return around(iaa, error, low=0.0, high=1.0), ""
        if self._drawn is not None and self._drawn.method == "bootstrap":
            return self._drawn.iaa, ""
        draws = drawn_means([pairs], self.resamples, self._seed + group.number)[:, 0]
        self.lines.add(group.step, len(group.figures), draws)
        interval = percentiles(draws)
        return interval, "" if interval is not None else NEVER_DRAWN


def _weeks(moments: Indices) -> list[_Group]:
    known = np.flatnonzero(moments != UNKNOWN)
    # The first of January 1970 was a Thursday.
    weeks, which = np.unique((moments[known] // _DAY + 3) // 7, return_inverse=True)
    groups = []
    for number, week in enumerate(weeks.tolist()):
        year, name, _ = (_EPOCH + timedelta(days=7 * week - 3)).isocalendar()
        groups.append(
            _Group(f"{year}-W{name:02}", known[which == number], number, week - int(weeks[0])),
        )
    return groups


def _parts(moments: Indices, number: int) -> list[_Group]:
    """Group in order of time, ties by id. Empty if all were completed at one time."""
    known = np.flatnonzero(moments != UNKNOWN)
    ordered = known[np.argsort(moments[known], kind="stable")]
    if len(ordered) > 1 and moments[ordered[0]] == moments[ordered[-1]]:
        return []
    number = min(number, len(ordered))
    edges = [len(ordered) * part // number for part in range(number + 1)] if number else []
    return [
        _Group(f"{part + 1} of {number}", np.sort(ordered[edges[part] : edges[part + 1]]), part, part)
        for part in range(number)
    ]


def _batches(figures: FigureNames, batches: Mapping[str, str], moments: Indices) -> list[_Group]:
    """Group by batch, in order of the first completed figure; batches without a time follow, by name."""
    found: dict[str, list[int]] = {}
    for place, figure in enumerate(figures):
        if figure in batches:
            found.setdefault(batches[figure], []).append(place)
    own = {name: np.array(places, dtype=np.int64) for name, places in found.items()}
    times = np.where(moments == UNKNOWN, np.iinfo(np.int64).max, moments)
    ordered = sorted(own, key=lambda name: (int(times[own[name]].min()), name))
    return [_Group(name, own[name], place, place) for place, name in enumerate(ordered)]


def _why_none(by: Grouping, figures: int, timed: bool) -> str:
    if not figures:
        return "no figure was scored"
    if by is Grouping.BATCH:
        return "no scored figure names its batch"
    return "all work was saved at one moment, so it has no order" if timed else "no scored figure has a time"


def _period(group: _Group, pairs: Sequence[PairScore], moments: Indices, made: _Made) -> Period:
    """moments: of the group's figures."""
    iaa = mean_of_pairs(pairs)
    reason = "" if iaa is not None else reasons_of([pair for pair in pairs if pair.figures])
    interval, why_not = (None, reason) if iaa is None else made.interval(group, pairs, iaa)
    known = moments[moments != UNKNOWN]
    return Period(
        name=group.name,
        first=_time(known.min()) if len(known) else None,
        last=_time(known.max()) if len(known) else None,
        figures=len(group.figures),
        counted=sum(pair.counted for pair in pairs),
        iaa=iaa,
        reason=reason,
        interval=interval,
        interval_reason=why_not,
    )


def _time(moment: np.int64) -> datetime:
    return _EPOCH + timedelta(microseconds=int(moment))


def _trend(made: _Made) -> Trend:
    line = _Line(1)
    # The error of a period with one figure is unknown: such periods are not included.
    for group, iaa in made.used:
        line.add(group.step, len(group.figures), np.array([iaa]))
    if len(made.used) < 2:
        return Trend(None, None, "fewer than two periods with an IAA over two figures or more")
    slope = float(line.slopes()[0])
    if made.resamples < 1:
        return Trend(slope, None, NO_RESAMPLES)
    if made.linear:
        shares = [line.pull(group.step, len(group.figures)) * error for group, error in made.errors]
        return Trend(slope, around(slope, float(np.sqrt(np.square(shares).sum())), low=-np.inf, high=np.inf), "")
    slopes = made.lines.slopes()
    return Trend(slope, percentiles(slopes), "")
