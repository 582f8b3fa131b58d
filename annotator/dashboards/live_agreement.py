"""Agreement for the adjudication view: measured on request, cached until new work is saved.

Cached results are keyed by the store's mark of the work, so an old result is never taken for the current one. A
large campaign takes longer than a request may: it is measured in the background, and requests meanwhile get the
previous result with `fresh` false, or None.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agreement.pairs import FigureMean, worst_first
from agreement.report import Course
from annotator.campaign.choices import phases_in_order
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Pseudonyms, annotators_by_number, stored_pseudonyms
from annotator.measurement.report import ReportOptions, measure
from annotator.store.store import Store
from panelwise.domain import Campaign, StoreError

if TYPE_CHECKING:
    from agreement.columns import Passed
    from agreement.pairs import PairScore
    from agreement.report import Report
    from agreement.resampling import Interval


#: Number of worst figures listed.
WORST = 20
#: Maximum number of cached scores of figures in pairs, over all phases: about 200 MB. One phase is always cached.
CACHED_SCORES = 1_500_000
#: Seconds that a request waits for a measuring.
PATIENCE = 5.0

#: What a measurement depends on: the campaign's settings, and a mark of all work.
Mark = tuple["Campaign", str]


class UnknownPhase(StoreError):
    """The campaign has no phase of the requested name."""


@dataclass(frozen=True, slots=True)
class PairFigure:
    """One figure in a pair. score: mean F1 over the scored gold subfigures, None without any. passed: why the
    figure is not part of the pair's score, None if it is.
    """

    figure_id: str
    score: float | None
    counted: int
    passed: Passed | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The agreement in one phase. mark: of the measured work. keys: annotator -> name for addresses. called:
    annotator -> "Annotator N", for people who don't see names.

    at: time of measuring. worst: at most WORST figures. short: number of figures below 1.
    """

    mark: Mark
    report: Report
    keys: dict[str, str]
    called: dict[str, str]
    at: datetime
    worst: tuple[FigureMean, ...]
    short: int
    _orders: dict[tuple[str, str], tuple[PairFigure, ...]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def weight(self) -> int:
        """Return the number of scores of figures in pairs."""
        return sum(len(pair.figures) for pair in self.report.pairs)

    def pair(self, gold: str, predicted: str) -> tuple[PairScore, Interval | None] | None:
        """Return the ordered pair with its confidence interval; None if there is no such pair."""
        pairs = zip(self.report.pairs, self.report.intervals.pairs, strict=True)
        return next((pair for pair in pairs if (pair[0].gold, pair[0].predicted) == (gold, predicted)), None)

    def figures(self, gold: str, predicted: str) -> tuple[PairFigure, ...]:
        """Return the figures that both submitted, worst first; those without a score last, by id."""
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
    """The agreement in a campaign's phases, thread-safe. Each state is measured once."""

    def __init__(self, home: Callable[[], Home], store: Store, *, cached_scores: int = CACHED_SCORES) -> None:
        """home: returns the campaign's home with its settings as they are now."""
        self._home = home
        self._store = store
        self._cached_scores = cached_scores
        self._lock = threading.Lock()
        #: One measurement at a time: parallel ones would each take as long as all in sequence.
        self._measuring = threading.Lock()
        self._kept: OrderedDict[str, Measured] = OrderedDict()
        self._running: dict[tuple[str, Mark], Future[Measured]] = {}

    def phases(self) -> tuple[list[str], set[str]]:
        """Return the campaign's phases in order, then other phases with submitted work."""
        with self._store.read() as tx:
            return phases_in_order(tx, self._home().campaign)

    def of(self, phase: str, *, patience: float | None = None) -> tuple[Measured | None, bool]:
        """Return the agreement in a phase with work, and whether it is current.

        If measuring takes longer than `patience` (s; None for PATIENCE), returns the previous result, or None.
        Raises what `measure` raises.
        """
        with self._store.read() as tx:
            mark = self._home().campaign, tx.annotations.mark()
        with self._lock:
            before = self._kept.get(phase)
            if before is not None and before.mark == mark:
                self._kept.move_to_end(phase)
                return before, True
            future = self._running.get((phase, mark))
            if future is None:
                future = Future()
                # Stored only once it runs: all requests would wait for a measurement that never starts.
                threading.Thread(target=self._run, args=(phase, mark, future), daemon=True).start()
                self._running[phase, mark] = future
        if wait([future], PATIENCE if patience is None else patience).done:
            return future.result(), True
        return before, False

    def last(self, phase: str) -> Measured | None:
        """Return the last measured result, current or not; None without one."""
        with self._lock:
            return self._kept.get(phase)

    def _run(self, phase: str, mark: Mark, future: Future[Measured]) -> None:
        try:
            with self._measuring:
                measured = self._measure(phase)
                # Stored before the next one begins, which may be of the same state.
                self._keep(phase, measured)
        except BaseException as error:
            with self._lock:
                del self._running[phase, mark]
            future.set_exception(error)
            return
        with self._lock:
            del self._running[phase, mark]
        future.set_result(measured)

    def _keep(self, phase: str, measured: Measured) -> None:
        with self._lock:
            self._kept[phase] = measured
            self._kept.move_to_end(phase)
            while len(self._kept) > 1 and sum(each.weight for each in self._kept.values()) > self._cached_scores:
                self._kept.popitem(last=False)

    def _measure(self, phase: str) -> Measured:
        # Read before the work: a save in between causes another measurement, never an outdated result.
        home = self._home()
        with self._store.read() as tx:
            mark = home.campaign, tx.annotations.mark()
            names = Pseudonyms(home.secret(), stored_pseudonyms(tx))
        before = self.last(phase)
        if before is not None and before.mark == mark:
            return before
        at = datetime.now(UTC)
        # The page doesn't show drift, which takes about as long as everything else.
        report = measure(
            self._store, options=ReportOptions(phase=phase, course=Course(by=None)), campaign=home.campaign
        )
        worst = worst_first(report.figures)
        # In order of names, as everywhere, because of two equal pseudonyms the later one is changed.
        keys = {person.name: names.of(person.name) for person in report.annotators}
        with self._store.read() as tx:
            called = annotators_by_number(tx.queue.annotators(), names.of, keys)
        return Measured(mark, report, keys, called, at, tuple(worst[:WORST]), len(worst))
