"""The unrounded values of the agreement page for one phase."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from agreement.report import HEAT_FLOOR, LossRow, heat, loss_rows
from annotator.campaign.choices import newest_measured
from annotator.dashboards.live_agreement import LiveAgreement, Measured
from annotator.dashboards.pair_queue import Names, chosen_phase, names_for
from annotator.queue.pages import QueueRow, rows_of
from annotator.store.store import Store
from panelwise.domain import Campaign, Person
from panelwise.runtime import counted

if TYPE_CHECKING:
    from agreement.pairs import FigureMean
    from agreement.questions import PairKappa
    from agreement.report import PersonScore, Report
    from agreement.resampling import Interval


@dataclass(frozen=True, slots=True)
class Cell:
    """One ordered pair. gold, predicted: displayed names. address: query parameters of its part of the queue.

    score, interval: None if undefined, for `reason` and `interval_reason`. figures: number that both submitted.
    """

    gold: str
    predicted: str
    address: dict[str, str]
    score: float | None
    interval: Interval | None
    counted: int
    figures: int
    reason: str
    interval_reason: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One annotator as gold, with a cell for each predictor; None on the diagonal."""

    gold: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """The agreement in a phase. reason: why there is no IAA. names: displayed names of the annotators, in order.

    fresh: whether no work was saved after `at`, the time of measuring. short: number of figures below 1.
    """

    report: Report
    reason: str
    names: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]
    people: tuple[tuple[str, PersonScore], ...]
    losses: tuple[LossRow, ...]
    statuses: tuple[PairKappa, ...]
    worst: tuple[tuple[FigureMean, QueueRow], ...]
    short: int
    at: datetime
    fresh: bool

    @property
    def floor(self) -> float:
        """Return the lower end of the matrix's colour scale, which begins at 1."""
        return HEAT_FLOOR

    def shade(self, score: float) -> float:
        """Return a score's place on the colour scale: 0 at 1, 1 at the floor."""
        return heat(score)


@dataclass(frozen=True, slots=True)
class AgreementPage:
    """One phase. phases: all, and whether each has annotations. numbers: None without any, and while measuring.

    pseudonyms: whether annotators are shown under pseudonyms.
    """

    phase: str
    phases: tuple[tuple[str, bool], ...]
    numbers: Numbers | None
    measuring: bool
    pseudonyms: bool


def agreement_page(
    store: Store,
    campaign: Campaign,
    live: LiveAgreement,
    person: Person,
    phase: str | None = None,
    *,
    patience: float | None = None,
) -> AgreementPage:
    """Return the page of a phase for one person; by default `newest_measured`. Raises UnknownPhase."""
    if phase is None:
        with store.read() as tx:
            phase = newest_measured(tx, campaign) or None
    phase = chosen_phase(live, phase)
    names, worked = live.phases()
    phases = tuple((name, name in worked) for name in names)
    if phase not in worked:
        return AgreementPage(phase, phases, None, False, False)
    measured, fresh = live.of(phase, patience=patience)
    if measured is None:
        return AgreementPage(phase, phases, None, True, False)
    shown = names_for(person, measured)
    rows = rows_of(store, campaign, [each.figure for each in measured.worst])
    worst = tuple(zip(measured.worst, rows, strict=True))
    numbers = _numbers(measured, shown, worst, fresh)
    return AgreementPage(phase, phases, numbers, False, not shown.real)


def _numbers(
    measured: Measured, names: Names, worst: tuple[tuple[FigureMean, QueueRow], ...], fresh: bool
) -> Numbers:
    report = measured.report
    # In the order of what is shown: that of the names behind pseudonyms would tell something of them.
    ordered = sorted(report.annotators, key=lambda annotator: names.order(annotator.name))
    people = [(names.shown(each.name), each) for each in ordered]
    cells = {
        (pair.gold, pair.predicted): Cell(
            gold=names.shown(pair.gold),
            predicted=names.shown(pair.predicted),
            address={
                "gold": names.keys[pair.gold],
                "predicted": names.keys[pair.predicted],
                "phase": report.phase or "",
            },
            score=pair.score,
            interval=interval,
            counted=pair.counted,
            figures=len(pair.figures) + sum(map(len, pair.passed.values())),
            reason=pair.reason,
            interval_reason=why_not,
        )
        for pair, interval, why_not in zip(
            report.pairs, report.intervals.pairs, report.intervals.reasons, strict=True
        )
    }
    return Numbers(
        report=report,
        # The report's own words name the one annotator.
        reason="one annotator only; agreement needs two" if len(people) == 1 else report.reason,
        names=tuple(name for name, _ in people),
        matrix=tuple(
            MatrixRow(name, tuple(cells.get((gold.name, other.name)) for _, other in people))
            for name, gold in people
        ),
        people=tuple(people),
        losses=loss_rows(report.losses),
        statuses=tuple(
            sorted(
                (replace(status, annotators=_both(names, status.annotators)) for status in report.statuses),
                key=lambda each: each.annotators,
            )
        ),
        worst=worst,
        short=measured.short,
        at=measured.at,
        fresh=fresh,
    )


def _both(names: Names, annotators: tuple[str, str]) -> tuple[str, str]:
    one, other = sorted(annotators, key=names.order)
    return names.shown(one), names.shown(other)


def left_out_lines(report: Report) -> tuple[str, ...]:
    """Return what the scores leave out, one line per reason."""
    counts = report.counts
    gold = [f"{counted(number, 'subfigure')} as gold: {why.value}" for why, number in counts.left_out.items()]
    return (*gold, *(f"{counted(len(each), 'figure')}: {why.display}" for why, each in counts.passed.items()))
