"""The lead's dashboard: how far a campaign is, how fast it goes, and how long a figure takes.

Counted by the database and kept until something is saved: a page that is loaded again asks for a mark only.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from annotator.domain.campaign import TaskType
from annotator.services.pseudonyms import pseudonyms

if TYPE_CHECKING:
    from annotator.domain.campaign import Phase
    from annotator.services.home import Home
    from annotator.store.records import DayCount
    from annotator.store.store import Store, Transaction

#: A count that took longer than this (s) is shown for this many times as long, whatever is saved meanwhile.
SLOW, LASTS = 1.0, 20
#: Days that throughput is shown for, today among them.
DAYS = 14
#: Days over which the present pace is taken.
PACE = 7
#: Failed sign-ins are counted over this many days.
FAILED = 7


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One annotator in one phase. key: the name for addresses.

    seconds: the median time spent on a figure, None where no time is known. lately: figures submitted in the last
    `PACE` days, in whatever phase.
    """

    phase: str
    annotator: str
    key: str
    done: int
    open: int
    redo: int
    seconds: float | None
    lately: int

    @property
    def share(self) -> float:
        """How much of it is done, in [0, 1]."""
        whole = self.done + self.open + self.redo
        return self.done / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class PhaseRows:
    """A phase with its annotators, by name. deadline: None for none. queued: reviewers settle its figures."""

    phase: str
    deadline: datetime | None
    queued: bool
    rows: tuple[AnnotatorRow, ...]

    @property
    def done(self) -> int:
        """Figures done, over all annotators."""
        return sum(row.done for row in self.rows)

    @property
    def whole(self) -> int:
        """Figures to be done, over all annotators."""
        return sum(row.done + row.open + row.redo for row in self.rows)


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """One reviewer. settled: figures decided on. seconds: median time on a figure, None where none is known."""

    reviewer: str
    settled: int
    lately: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Day:
    """What was done on one day (UTC), by all together."""

    day: date
    submitted: int
    settled: int


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """A campaign at a glance. figures: in the store; queued, settled: in the queue, and decided on of those.

    annotation_seconds, decision_seconds: median time on a figure, over everybody; None where none is known.
    failed: sign-ins that did not get in, in the last `FAILED` days. at: when it was counted.
    """

    at: datetime
    figures: int
    queued: int
    settled: int
    phases: tuple[PhaseRows, ...]
    reviewers: tuple[ReviewerRow, ...]
    days: tuple[Day, ...]
    annotation_seconds: float | None
    decision_seconds: float | None
    failed: int

    @property
    def busiest(self) -> int:
        """The most figures of a kind on one day; 1 at least."""
        return max([1, *(count for day in self.days for count in (day.submitted, day.settled))])

    @property
    def days_to_go(self) -> float | None:
        """Days until the queue is settled at the pace of the last `PACE` days; None where nothing was settled."""
        lately = sum(day.settled for day in self.days[-PACE:])
        return (self.queued - self.settled) * PACE / lately if lately else None


class LiveDashboard:
    """The dashboard of one campaign, for threads to ask at the same time; counted anew when something changed."""

    def __init__(self, home: Home, store: Store) -> None:
        self._home = home
        self._store = store
        self._lock = threading.Lock()
        self._kept: tuple[str, DashboardPage] | None = None
        self._lasts = 0.0

    def page(self, *, now: datetime | None = None) -> DashboardPage:
        """The dashboard as it is now; of a campaign that takes long to count, as it was a little while ago."""
        now = now or datetime.now(UTC)
        with self._store.read() as tx:
            # The day is part of it: at midnight everything moves.
            mark = f"{now.date()} {tx.work_mark()} {tx.dashboard_mark()} {_failures_mark(tx)}"
        with self._lock:
            if self._kept is not None:
                known, page = self._kept
                if known == mark or 0 <= (now - page.at).total_seconds() < self._lasts:
                    return page
            begun = time.monotonic()
            with self._store.read() as tx:
                page = _count(tx, self._home, now)
            spent = time.monotonic() - begun
            self._kept, self._lasts = (mark, page), LASTS * spent if spent > SLOW else 0.0
            return page


def _failures_mark(tx: Transaction) -> str:
    last = tx.sign_ins(failed=True, limit=1)
    return last[0].at.isoformat() if last else ""


def _count(tx: Transaction, home: Home, now: datetime) -> DashboardPage:
    campaign, of = home.campaign, pseudonyms(home, tx).of
    since = _midnight(now) - timedelta(days=DAYS - 1)
    counts = tx.queue_counts()
    spent: dict[tuple[str, str], list[float]] = defaultdict(list)
    for phase, annotator, seconds in tx.annotation_seconds():
        spent[phase, annotator].append(seconds)
    settling: dict[str, list[float]] = defaultdict(list)
    for reviewer, seconds in tx.decision_seconds():
        settling[reviewer].append(seconds)
    submitted, settled = tx.submitted_by_day(since), tx.settled_by_day(since)
    pace = (_midnight(now) - timedelta(days=PACE - 1)).date().isoformat()
    annotators_lately, reviewers_lately = _since(submitted, pace), _since(settled, pace)
    rows: dict[str, list[AnnotatorRow]] = {phase.name: [] for phase in campaign.phases}
    for (phase, annotator), each in tx.task_counts().items():
        typical = _median(spent[phase, annotator])
        row = AnnotatorRow(
            phase, annotator, of(annotator), each.done, each.open, each.redo, typical, annotators_lately[annotator]
        )
        rows.setdefault(phase, []).append(row)
    return DashboardPage(
        at=now,
        figures=tx.count_figures(),
        queued=counts.total,
        settled=counts.decided,
        phases=tuple(_phase(campaign.phase(name), found) for name, found in rows.items() if found),
        reviewers=tuple(
            ReviewerRow(name, count, reviewers_lately[name], _median(settling[name]))
            for name, count in sorted(tx.settled_by_reviewer().items())
        ),
        days=_days(submitted, settled, since),
        annotation_seconds=_median([seconds for each in spent.values() for seconds in each]),
        decision_seconds=_median([seconds for each in settling.values() for seconds in each]),
        failed=tx.count_failed_sign_ins(now - timedelta(days=FAILED)),
    )


def _phase(phase: Phase, rows: list[AnnotatorRow]) -> PhaseRows:
    return PhaseRows(phase.name, phase.deadline, phase.task_type is TaskType.SUBFIGURES, tuple(rows))


def _days(submitted: Iterable[DayCount], settled: Iterable[DayCount], since: datetime) -> tuple[Day, ...]:
    """Each day from `since` on, days on which nothing was done too."""
    totals: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for total, counts in zip(totals, (submitted, settled), strict=True):
        for each in counts:
            total[each.day] += each.figures
    days = [since.date() + timedelta(days=number) for number in range(DAYS)]
    return tuple(Day(day, totals[0][day.isoformat()], totals[1][day.isoformat()]) for day in days)


def _since(counts: Iterable[DayCount], day: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in counts:
        if each.day >= day:
            found[each.name] += each.figures
    return found


def _median(values: list[float]) -> float | None:
    return median(values) if values else None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
