"""A campaign week by week: what was submitted and adjudicated, how far annotators agreed, and the hours."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import fmean, median

from annotator.store.queries.statistics import StatisticsQueries

#: Weeks shown at most, the last ones.
WEEKS = 26


@dataclass(frozen=True, slots=True)
class Week:
    """One week. monday: its first day (UTC). submitted, adjudicated: figures, each counted once a day and person.

    agreement: mean over figures that several annotators did and whose last annotation is of this week, as the
    queue has it; None without any. hours: spent on annotations that say how long they took; seconds: their median.
    """

    monday: date
    submitted: int
    adjudicated: int
    agreement: float | None
    hours: float
    seconds: float | None


def weeks_of(statistics: StatisticsQueries) -> tuple[Week, ...]:
    """Return the weeks from the first with any work to the last, at most `WEEKS`; () for fewer than two."""
    submitted, adjudicated = (
        _by_week((each.day, each.figures) for each in found)
        for found in (statistics.submitted_by_day(None), statistics.adjudicated_by_day(None))
    )
    scores, spent = defaultdict(list), defaultdict(list)
    for day, agreement in statistics.agreement_by_day():
        scores[_monday(day)].append(agreement)
    for day, seconds in statistics.seconds_by_day():
        spent[_monday(day)].append(seconds)
    worked = sorted({*submitted, *adjudicated})
    if len(worked) < 2:
        return ()
    count = (worked[-1] - worked[0]).days // 7 + 1
    every = [worked[0] + timedelta(weeks=number) for number in range(count)][-WEEKS:]
    return tuple(
        Week(
            monday,
            submitted[monday],
            adjudicated[monday],
            fmean(scores[monday]) if scores[monday] else None,
            sum(spent[monday]) / 3600,
            median(spent[monday]) if spent[monday] else None,
        )
        for monday in every
    )


def _by_week(counts: Iterable[tuple[str, int]]) -> Counter[date]:
    found: Counter[date] = Counter()
    for day, figures in counts:
        found[_monday(day)] += figures
    return found


def _monday(day: str) -> date:
    """Return the first day of a day's week. day: as "2026-11-24"."""
    found = date.fromisoformat(day)
    return found - timedelta(days=found.weekday())
