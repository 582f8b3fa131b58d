"""The part of the queue behind one cell of the agreement matrix, worst figures of the pair first.

Reviewers see annotators under the pseudonyms of releases; leads, who run the reports, see names. Addresses contain
pseudonyms for both, because figure screens, which show no names, have them too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotator.dashboards.live_agreement import LiveAgreement, Measured, PairFigure, UnknownPhase
from annotator.queue.pages import PairPlace, Progress, QueuePage, Show, outside, rows_in
from annotator.store.store import Store, Transaction
from panelwise.domain import Campaign, Person, Role, StoreError, one_line

if TYPE_CHECKING:
    from agreement.pairs import PairScore
    from agreement.resampling import Interval

#: Maximum length of a name repeated in messages.
_SHOWN = 80


class UnknownSlice(StoreError):
    """The address doesn't name two annotators of the phase."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names under which one person sees a phase's annotators. keys: annotator -> name for addresses.

    called: annotator -> "Annotator N". real: whether the person sees names.
    """

    keys: dict[str, str]
    called: dict[str, str]
    real: bool

    def shown(self, annotator: str) -> str:
        """Return the displayed name."""
        return annotator if self.real else self.called[annotator]

    def order(self, annotator: str) -> tuple[int, str]:
        """Return a key by which annotators are listed: by name, or by number."""
        shown = self.shown(annotator)
        return (0 if self.real else len(shown), shown)

    def find(self, typed: str) -> str | None:
        """Return the annotator of that name; None if unknown, or if this person may not use that name."""
        if self.real and typed in self.keys:
            return typed
        return next((name for name, key in self.keys.items() if key == typed), None)


@dataclass(frozen=True, slots=True)
class Slice:
    """A cell of the matrix: two annotators of a phase. pair, interval: as measured. fresh: whether current."""

    gold: str
    predicted: str
    phase: str
    names: Names
    measured: Measured
    fresh: bool
    pair: PairScore
    interval: Interval | None

    @property
    def address(self) -> dict[str, str]:
        """Return the query parameters of the slice."""
        return {
            "gold": self.names.keys[self.gold],
            "predicted": self.names.keys[self.predicted],
            "phase": self.phase,
        }

    @property
    def figures(self) -> tuple[PairFigure, ...]:
        """Return the figures that both submitted, worst first."""
        return self.measured.figures(self.gold, self.predicted)


def names_for(person: Person, measured: Measured) -> Names:
    """Return the names under which the person sees the annotators."""
    return Names(measured.keys, measured.called, Role.LEAD in person.roles)


def chosen_phase(live: LiveAgreement, typed: str | None) -> str:
    """Return the requested phase; by default the last with work in the campaign's order, else the first.

    Raises UnknownPhase for an unknown name.
    """
    return _phase_among(*live.phases(), typed)


def _phase_among(phases: Sequence[str], worked: Collection[str], given: str | None) -> str:
    if given is None:
        return next((phase for phase in reversed(phases) if phase in worked), phases[0] if phases else "")
    if given not in phases:
        known = ", ".join(phases)
        raise UnknownPhase(f'phase "{one_line(given)[:_SHOWN]}" is not in this campaign; it has {known}')
    return given


def chosen_slice(
    live: LiveAgreement,
    person: Person,
    gold: str | None,
    predicted: str | None,
    phase: str | None,
    *,
    patience: float | None = None,
) -> Slice | None:
    """Return the slice of an address; None while it is being measured.

    phase: may be None if only one phase has work. Raises UnknownPhase, and UnknownSlice if the names are not two
    annotators of that phase.
    """
    if not gold or not predicted:
        raise UnknownSlice("the address needs both gold and predicted; choose a cell of the agreement matrix")
    phases, worked = live.phases()
    if phase is None and len(worked) > 1:
        raise UnknownSlice(f"the phase is missing; add &phase= with one of {', '.join(sorted(worked))}")
    phase = _phase_among(phases, worked, phase)
    if phase not in worked:
        raise UnknownSlice(f'no submitted work in phase "{phase}" yet; choose another phase')
    measured, fresh = live.of(phase, patience=patience)
    if measured is None:
        return None
    names = names_for(person, measured)
    one, other = (_annotator(names, given, phase) for given in (gold, predicted))
    found = measured.pair(one, other)
    if found is None:
        raise UnknownSlice("gold and predicted are the same annotator; choose a cell of the agreement matrix")
    return Slice(one, other, phase, names, measured, fresh, *found)


def _annotator(names: Names, given: str, phase: str) -> str:
    found = names.find(given)
    if found is None:
        hint = "" if names.real else ", which shows annotators under pseudonyms"
        raise UnknownSlice(
            f'no annotator "{one_line(given)[:_SHOWN]}" has submitted work in phase "{phase}"; '
            f"choose a cell of the agreement matrix{hint}"
        )
    return found


def slice_page(
    store: Store,
    campaign: Campaign,
    chosen: Slice,
    *,
    show: Show = Show.ALL,
    page: int = 1,
    per_page: int = 50,
    reviewer: str = "",
) -> QueuePage:
    """Return a page of a slice, the last one if `page` is beyond it. reviewer: as for `queue_page`."""
    now = datetime.now(UTC)
    with store.read() as tx:
        decided = tx.queue.decided()
        undecided = [figure for figure in chosen.figures if figure.figure_id not in decided]
        adjudicated = [figure for figure in chosen.figures if figure.figure_id in decided]
        listed = {Show.OPEN: undecided, Show.ADJUDICATED: adjudicated, Show.ALL: list(chosen.figures)}[show]
        pages = max(1, -(-len(listed) // per_page))
        page = min(max(page, 1), pages)
        part = listed[(page - 1) * per_page : page * per_page]
        entries = tx.queue.entries([each.figure_id for each in part])
        rows = rows_in(
            tx,
            campaign,
            [entries.get(each.figure_id) or outside(each.figure_id) for each in part],
            pairs={
                each.figure_id: PairPlace(
                    each.score, each.counted, "" if each.passed is None else each.passed.display
                )
                for each in part
            },
            reviewer=reviewer,
            now=now,
        )
        worst = _next(tx, chosen.figures, decided, reviewer, "", now)
    progress = Progress(len(adjudicated), len(chosen.figures))
    return QueuePage(
        show,
        rows,
        page,
        pages,
        progress,
        worst,
        progress,
        {"page": page - 1} if page > 1 else None,
        {"page": page + 1} if page < pages else None,
    )


def next_in_slice(store: Store, figures: Sequence[PairFigure], after: str, reviewer: str = "") -> str | None:
    """Return the slice's worst undecided figure other than `after`; None if there is none.

    reviewer: for whom; figures that others have open, or that the reviewer skipped, come last.
    """
    with store.read() as tx:
        return _next(tx, figures, tx.queue.decided(), reviewer, after, datetime.now(UTC))


def _next(
    tx: Transaction,
    figures: Sequence[PairFigure],
    decided: Collection[str],
    reviewer: str,
    after: str,
    now: datetime,
) -> str | None:
    wanted = [
        figure.figure_id for figure in figures if figure.figure_id not in decided and figure.figure_id != after
    ]
    if not reviewer:
        return next(iter(wanted), None)
    skipped = tx.presence.skipped(reviewer)
    taken = {lease.figure_id for lease in tx.presence.leases(None, now=now) if lease.reviewer != reviewer}
    # Sorting keeps the order within each group.
    order = sorted(wanted, key=lambda name: 2 if name in skipped else 1 if name in taken else 0)
    return next(iter(order), None)
