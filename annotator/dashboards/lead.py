"""The lead's dashboard: progress, pace and time per figure, also week by week.

Counted by the database and cached until something is saved; a reloaded page only asks for a mark.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from statistics import fmean, median

from annotator.assignment.schedule import BatchState, NextBatch, batch_states, is_late, next_batches, waiting
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import pseudonyms
from annotator.checks.qualification import Qualification, all_not_admitted, hidden_admissions, qualifications
from annotator.consensus.items import is_adjudicated
from annotator.queue.pages import answered_figures, stored_states
from annotator.store.queries.statistics import StatisticsQueries
from annotator.store.rows.records import DayCount, Facet, Hidden, QueueCounts, TaskGroup
from annotator.store.store import Store, Transaction
from panelwise.domain import Attention, Campaign, FigureState, Phase, TaskType, describe_states

#: A count that took longer than this (s) is cached for this many times its duration, even after changes.
SLOW, LASTS = 1.0, 20
#: Days of throughput shown, including today.
DAYS = 14
#: Days over which the current pace is measured.
PACE = 7
#: Failed sign-ins are counted over this many days.
FAILED = 7


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One annotator in one phase. key: the name for addresses.

    late: open past the batch's deadline. later: not released yet. seconds: median time per figure, None if
    unknown. lately: figures submitted in the last `PACE` days, in any phase. attention: None if
    not recorded.
    """

    phase: str
    annotator: str
    key: str
    done: int
    open: int
    redo: int
    seconds: float | None
    lately: int
    late: int = 0
    later: int = 0
    attention: Attention | None = None

    @property
    def whole(self) -> int:
        """Return the number of figures in all batches."""
        return self.done + self.open + self.redo + self.later


@dataclass(frozen=True, slots=True)
class PhaseRows:
    """A phase with its annotators, by name. deadline: or None. queued: whether its figures are adjudicated.

    batches: if there are several. following: the next batch, None if all are released. releases_hidden: which
    tasks are released, open or late depends on work that is hidden from the reader; all count as released then.
    """

    phase: str
    task_type: TaskType
    deadline: datetime | None
    queued: bool
    rows: tuple[AnnotatorRow, ...]
    batches: tuple[BatchState, ...] = ()
    following: NextBatch | None = None
    releases_hidden: bool = False

    @property
    def done(self) -> int:
        """Return the number of figures done by all annotators."""
        return sum(row.done for row in self.rows)

    @property
    def whole(self) -> int:
        """Return the number of figures of all annotators."""
        return sum(row.whole for row in self.rows)

    @property
    def late(self) -> int:
        """Return the number of figures open past their deadline, of all annotators."""
        return sum(row.late for row in self.rows)


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """One reviewer. adjudicated: figures. seconds: median time on a figure, None if unknown."""

    reviewer: str
    adjudicated: int
    lately: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Day:
    """Work done on one day (UTC) by all people."""

    day: date
    submitted: int
    adjudicated: int


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """A campaign at a glance. figures: in the store; queued, adjudicated: in the queue, and decided on of those.

    annotation_seconds, decision_seconds: median time on a figure, over all people; None if unknown.
    failed: sign-ins that did not get in, in the last `FAILED` days. at: when it was counted. states: how many
    figures are in each state. answered: see `answered_figures`.
    measured: how annotators did on hidden gold and in training phases, with their names
    for addresses. weeks: () before there are two. findings: figures of the queue with guideline findings.
    """

    at: datetime
    figures: int
    queued: int
    adjudicated: int
    phases: tuple[PhaseRows, ...]
    reviewers: tuple[ReviewerRow, ...]
    days: tuple[Day, ...]
    annotation_seconds: float | None
    decision_seconds: float | None
    failed: int
    states: Mapping[FigureState, int] = field(default_factory=dict, hash=False)
    answered: int = 0
    measured: tuple[tuple[str, Qualification], ...] = ()
    weeks: tuple[_Week, ...] = ()
    findings: int = 0

    @property
    def status(self) -> str:
        """Describe the number of figures in each state, in one line."""
        return describe_states(self.states, answered=self.answered, phrases=True)

    @property
    def busiest(self) -> int:
        """Return the largest number of figures on one day, at least 1."""
        return max([1, *(count for day in self.days for count in (day.submitted, day.adjudicated))])

    @property
    def busy_days(self) -> tuple[Day, ...]:
        """Return the days since the first with any work; always includes today."""
        busy = (number for number, day in enumerate(self.days) if day.submitted or day.adjudicated)
        return self.days[next(busy, len(self.days) - 1) :]

    @property
    def busiest_week(self) -> int:
        """Return the largest number of figures in one week, at least 1."""
        return max([1, *(count for week in self.weeks for count in (week.submitted, week.adjudicated))])

    @property
    def end(self) -> date | None:
        """Return the day on which the queue is adjudicated at the current pace; None without a pace."""
        days = self.days_to_go
        return None if days is None else (self.at + timedelta(days=days)).date()

    @property
    def paced(self) -> int:
        """Return the days over which the pace is measured: the last `PACE`, or those since the first decision.

        0 if the first decision was today, or without recent decisions.
        """
        worked = [number for number, day in enumerate(reversed(self.days)) if day.adjudicated]
        if worked and self.adjudicated > sum(day.adjudicated for day in self.days):
            worked.append(len(self.days))  # some figures were adjudicated before these days
        if not worked or worked[0] >= PACE:
            return 0
        return min(worked[-1] + 1, PACE) if worked[-1] else 0

    @property
    def early(self) -> bool:
        """Return whether adjudication began today, so that there is no pace yet."""
        return self.paced == 0 and bool(self.days) and self.days[-1].adjudicated > 0

    @property
    def days_to_go(self) -> float | None:
        """Return the days until the queue is adjudicated at the current pace, None without a pace; see `paced`."""
        if not self.paced:
            return None
        return (
            (self.queued - self.adjudicated)
            * self.paced
            / sum(day.adjudicated for day in self.days[-self.paced :])
        )


class LiveDashboard:
    """The dashboard of one campaign, thread-safe, recounted after a change."""

    def __init__(self, home: Callable[[], Home], store: Store) -> None:
        """home: returns the campaign's home with its settings as they are now."""
        self._home = home
        self._store = store
        self._lock = threading.Lock()
        self._kept: tuple[tuple[Campaign, str], DashboardPage] | None = None
        self._lasts = 0.0

    def page(self, *, now: datetime | None = None, hidden: Hidden | None = None) -> DashboardPage:
        """Return the current dashboard; for a campaign that takes long to count, a recent one.

        hidden: figures that its reader annotates blind, without which it is counted anew.
        """
        now, home = now or datetime.now(UTC), self._home()
        if hidden is not None:
            with self._store.read() as tx:
                return _count(tx, home, now, hidden)
        with self._store.read() as tx:
            # Includes the day and passed deadlines, which change the dashboard without new work.
            time_mark = f"{now.date()} {_deadlines_passed(home, now)}"
            work_mark = f"{tx.annotations.mark()} {tx.statistics.mark()} {_failures_mark(tx)}"
            # States are worked out after work or tasks have changed.
            mark = home.campaign, f"{time_mark} {work_mark} {stored_states(tx)}"
        with self._lock:
            if self._kept is not None:
                known, page = self._kept
                slow = 0 <= (now - page.at).total_seconds() < self._lasts
                if known == mark or (known[0] == home.campaign and slow):
                    return page
            begun = time.monotonic()
            with self._store.read() as tx:
                page = _count(tx, home, now)
            spent = time.monotonic() - begun
            self._kept, self._lasts = (mark, page), LASTS * spent if spent > SLOW else 0.0
            return page


def _deadlines_passed(home: Home, now: datetime) -> int:
    return sum(
        is_late(deadline, now)
        for phase in home.campaign.phases
        for deadline in (phase.deadline, *phase.batch_deadlines)
    )


def _failures_mark(tx: Transaction) -> str:
    last = tx.sign_ins.newest(failed=True, limit=1)
    return last[0].at.isoformat() if last else ""


def _count(tx: Transaction, home: Home, now: datetime, hidden: Hidden | None = None) -> DashboardPage:
    campaign, of = home.campaign, pseudonyms(home, tx).of
    since = _midnight(now) - timedelta(days=DAYS - 1)
    statistics = tx.statistics.without(hidden)
    facets = {} if hidden is None else tx.queue.facet_counts(hidden)
    counts = tx.queue.counts() if hidden is None else facets.get((Facet.ALL, ""), QueueCounts(0, 0))
    spent: dict[tuple[str, str], list[float]] = defaultdict(list)
    for phase, annotator, seconds in statistics.annotation_seconds():
        spent[phase, annotator].append(seconds)
    adjudicating: dict[str, list[float]] = defaultdict(list)
    for reviewer, seconds in statistics.decision_seconds():
        adjudicating[reviewer].append(seconds)
    submitted, adjudicated = statistics.submitted_by_day(since), statistics.adjudicated_by_day(since)
    pace = (_midnight(now) - timedelta(days=PACE - 1)).date().isoformat()
    annotators_lately, reviewers_lately = _since(submitted, pace), _since(adjudicated, pace)
    rows: dict[str, list[AnnotatorRow]] = {phase.name: [] for phase in campaign.phases}
    closed = set() if hidden is None else tx.blind.hidden_figures(hidden)
    unknown = hidden_admissions(tx, campaign.phases, closed)
    groups = [_all_released(group) if group.phase in unknown else group for group in tx.tasks.groups(hidden)]
    waits = waiting(groups, campaign, now)
    attention = statistics.attention()
    for (phase, annotator), each in statistics.task_counts().items():
        wait = waits[phase, annotator]
        row = AnnotatorRow(
            phase,
            annotator,
            of(annotator),
            each.done,
            each.open - wait["later"],
            each.redo,
            _median(spent[phase, annotator]),
            annotators_lately[annotator],
            late=wait["late"],
            later=wait["later"],
            attention=attention.get((phase, annotator)),
        )
        rows.setdefault(phase, []).append(row)
    away = {person.name for person in tx.people.all() if not person.active}
    states = batch_states(groups, campaign, now)
    following = next_batches(groups, campaign, now, away=away, barred=all_not_admitted(tx, campaign))
    return DashboardPage(
        at=now,
        figures=tx.figures.count(),
        queued=counts.total,
        adjudicated=counts.decided,
        phases=tuple(
            replace(_phase(campaign.phase(name), found, states, following), releases_hidden=name in unknown)
            for name, found in rows.items()
            if found
        ),
        reviewers=tuple(
            ReviewerRow(name, count, reviewers_lately[name], _median(adjudicating[name]))
            for name, count in sorted(statistics.adjudicated_by_reviewer().items())
        ),
        days=_days(submitted, adjudicated, since),
        annotation_seconds=_median([seconds for each in spent.values() for seconds in each]),
        decision_seconds=_median([seconds for each in adjudicating.values() for seconds in each]),
        failed=tx.sign_ins.count_failed(now - timedelta(days=FAILED)),
        states=stored_states(tx),
        answered=answered_figures(tx, campaign),
        weeks=_weeks_of(statistics),
        findings=tx.queue.counts(Facet.FINDINGS, "").total,
        measured=tuple((of(each.annotator), each) for each in qualifications(tx, campaign)),
    )


def _all_released(group: TaskGroup) -> TaskGroup:
    return replace(group, released=group.tasks, open=group.tasks - group.done - group.redo)


def _phase(
    phase: Phase, rows: list[AnnotatorRow], states: Iterable[BatchState], following: Iterable[NextBatch]
) -> PhaseRows:
    batches = tuple(state for state in states if state.phase == phase.name)
    return PhaseRows(
        phase.name,
        phase.task_type,
        phase.deadline,
        is_adjudicated(phase),
        tuple(rows),
        batches if len(batches) > 1 else (),
        next((each for each in following if each.phase == phase.name), None),
    )


def _days(submitted: Iterable[DayCount], adjudicated: Iterable[DayCount], since: datetime) -> tuple[Day, ...]:
    """Return each day from `since` on, including days without work."""
    totals: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for total, counts in zip(totals, (submitted, adjudicated), strict=True):
        for count in counts:
            total[count.day] += count.figures
    days = [since.date() + timedelta(days=number) for number in range(DAYS)]
    return tuple(Day(day, totals[0][day.isoformat()], totals[1][day.isoformat()]) for day in days)


def _since(counts: Iterable[DayCount], day: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for count in counts:
        if count.day >= day:
            found[count.name] += count.figures
    return found


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


#: Weeks shown at most, the last ones.
_WEEKS = 26


@dataclass(frozen=True, slots=True)
class _Week:
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


def _weeks_of(statistics: StatisticsQueries) -> tuple[_Week, ...]:
    """Return the weeks with any work, the last `_WEEKS` of them; () for fewer than two."""
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
    return tuple(
        _Week(
            monday,
            submitted[monday],
            adjudicated[monday],
            fmean(scores[monday]) if scores[monday] else None,
            sum(spent[monday]) / 3600,
            median(spent[monday]) if spent[monday] else None,
        )
        for monday in worked[-_WEEKS:]
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
