"""Agreement as the adjudication view shows it: measured when asked for, kept until something new is saved.

What is kept is known by the store's mark of the work in it, so that nothing older is ever taken for the present
state. A large campaign takes longer to measure than a request may: the measuring goes on beside, and whoever asks
meanwhile gets the state before with `fresh` false, or nothing yet.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agreement.pairs.figure_scores import FigureMean, worst_first
from agreement.report.full_report import Course
from annotator.campaign.pseudonyms import Pseudonyms, stored_pseudonyms
from annotator.measurement.report import ReportOptions, measure
from panelwise.domain.errors import StoreError

if TYPE_CHECKING:
    from agreement.pairs.pairwise import PairScore, Passed
    from agreement.report.summary import Report
    from agreement.resampling.bootstrap import Interval
    from annotator.campaign.home import Home
    from annotator.store.store import Store
    from panelwise.domain.campaign import Campaign

#: Figures listed as the worst.
WORST = 20
#: Scores of figures in pairs that are kept at most, all phases together: some 200 MB. One phase is always kept.
CACHED_SCORES = 1_500_000
#: Seconds that a request waits for a measuring.
PATIENCE = 5.0

#: What a measurement depends on: the campaign's settings, and a mark of all work.
Mark = tuple["Campaign", str]


class UnknownPhase(StoreError):
    """The campaign has no phase of that name."""


@dataclass(frozen=True, slots=True)
class PairFigure:
    """One figure in a pair. score: mean F1 over the gold subfigures that count, None where none does. passed: why
    the figure is no part of the pair's score, None where it is.
    """

    figure_id: str
    score: float | None
    counted: int
    passed: Passed | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The agreement in one phase. mark: of what it was measured on. keys: annotator -> name for addresses.

    at: when it was measured. worst: at most WORST figures. short: how many figures are below 1.
    """

    mark: Mark
    report: Report
    keys: dict[str, str]
    at: datetime
    worst: tuple[FigureMean, ...]
    short: int
    _orders: dict[tuple[str, str], tuple[PairFigure, ...]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def weight(self) -> int:
        """How many scores of figures in pairs are held."""
        return sum(len(pair.figures) for pair in self.report.pairs)

    def pair(self, gold: str, predicted: str) -> tuple[PairScore, Interval | None] | None:
        """The ordered pair with its interval; None where the two are no pair."""
        pairs = zip(self.report.pairs, self.report.intervals.pairs, strict=True)
        return next((each for each in pairs if (each[0].gold, each[0].predicted) == (gold, predicted)), None)

    def figures(self, gold: str, predicted: str) -> tuple[PairFigure, ...]:
        """The figures that both submitted, worst of the pair first: those without a score behind, by id."""
        found = self.pair(gold, predicted)
        if found is None:
            return ()
        if (gold, predicted) not in self._orders:
            self._orders[gold, predicted] = _in_order(found[0])
        return self._orders[gold, predicted]


def _in_order(pair: PairScore) -> tuple[PairFigure, ...]:
    scored = [
        PairFigure(figure, total / count if count else None, count)
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True)
    ]
    passed = [PairFigure(figure, None, 0, why) for why, figures in pair.passed.items() for figure in figures]
    return tuple(
        sorted(
            scored + passed,
            key=lambda each: (
                each.passed is not None,
                each.score is None,
                each.score or 0.0,
                -each.counted,
                each.figure_id,
            ),
        )
    )


class LiveAgreement:
    """The agreement in a campaign's phases, for threads to ask at the same time. Each state is measured once."""

    def __init__(self, home: Callable[[], Home], store: Store, *, cached_scores: int = CACHED_SCORES) -> None:
        """home: returns the campaign's home with its settings as they are now."""
        self._home = home
        self._store = store
        self._cached_scores = cached_scores
        self._lock = threading.Lock()
        #: One measuring at a time: several would each take as long as all of them in a row.
        self._measuring = threading.Lock()
        self._kept: OrderedDict[str, Measured] = OrderedDict()
        self._running: dict[tuple[str, Mark], Future[Measured]] = {}

    def phases(self) -> tuple[list[str], set[str]]:
        """All phases, the campaign's own first and in its order; and those that somebody submitted work of."""
        with self._store.read() as tx:
            worked = tx.annotated_phases()
        known = [phase.name for phase in self._home().campaign.phases]
        return [*known, *sorted(worked - set(known))], worked

    def of(self, phase: str, *, patience: float = PATIENCE) -> tuple[Measured | None, bool]:
        """The agreement in a phase that has work, and whether it is that of the present state.

        Where measuring takes longer than `patience` (s): that of the state before, or None where there is none.
        Raises what `measure` raises.
        """
        with self._store.read() as tx:
            mark = self._home().campaign, tx.work_mark()
        with self._lock:
            before = self._kept.get(phase)
            if before is not None and before.mark == mark:
                self._kept.move_to_end(phase)
                return before, True
            future = self._running.get((phase, mark))
            if future is None:
                future = Future()
                # Kept only once it runs: what never starts would be waited for by everyone who asks.
                threading.Thread(target=self._run, args=(phase, mark, future), daemon=True).start()
                self._running[phase, mark] = future
        if wait([future], patience).done:
            return future.result(), True
        return before, False

    def last(self, phase: str) -> Measured | None:
        """What was measured last, of whatever state; None where nothing was."""
        with self._lock:
            return self._kept.get(phase)

    def _run(self, phase: str, mark: Mark, future: Future[Measured]) -> None:
        try:
            with self._measuring:
                measured = self._measure(phase)
        except BaseException as error:
            with self._lock:
                del self._running[phase, mark]
            future.set_exception(error)
            return
        with self._lock:
            del self._running[phase, mark]
            self._kept[phase] = measured
            self._kept.move_to_end(phase)
            while len(self._kept) > 1 and sum(each.weight for each in self._kept.values()) > self._cached_scores:
                self._kept.popitem(last=False)
        future.set_result(measured)

    def _measure(self, phase: str) -> Measured:
        # Read before the work is: what is saved in between makes the next one measure again, never this one old.
        home = self._home()
        with self._store.read() as tx:
            mark = home.campaign, tx.work_mark()
            names = Pseudonyms(home.secret(), stored_pseudonyms(tx))
        before = self.last(phase)
        if before is not None and before.mark == mark:
            return before
        at = datetime.now(UTC)
        # The page shows nothing of the course over time, which takes about as long as all the rest.
        report = measure(
            self._store, options=ReportOptions(phase=phase, course=Course(by=None)), campaign=home.campaign
        )
        worst = worst_first(report.figures)
        # In order of names, as everywhere: of two that would share a pseudonym the later one gets another.
        keys = {person.name: names.of(person.name) for person in report.annotators}
        return Measured(mark, report, keys, at, tuple(worst[:WORST]), len(worst))
