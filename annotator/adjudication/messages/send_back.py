"""Send an annotator's work on a figure back, with a reason; and withdraw that.

The reviewer names the annotator by the figure's key of them. Work that the annotator saves afterwards ends it: the
figure is up for review again. Whom blind annotation keeps from seeing that work is refused by `web.app.blindfold`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.history import annotators_called
from annotator.adjudication.standing import refuse_withdrawn
from annotator.campaign.home import Home
from annotator.consensus.items import is_adjudicated
from annotator.queue.ranking import leave_to_score, score_disagreement
from annotator.store.queries.work import FigureWork
from annotator.store.rows.records import SentBack
from annotator.store.store import Store, Transaction
from panelwise.domain import Annotation, InvalidAnnotation

#: Characters of a reason at most.
LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True)
class Recipient:
    """An annotator to whom work on a figure can be sent back. called: as the figure's screens call them."""

    key: str
    phase: str
    called: str


@dataclass(frozen=True, slots=True)
class Returned:
    """A figure sent back, and the name that screens show for its annotator."""

    entry: SentBack
    called: str


@dataclass(frozen=True, slots=True)
class Returns:
    """recipients: to whom the figure can be sent back now. entries: what was, newest first."""

    recipients: tuple[Recipient, ...]
    entries: tuple[Returned, ...]


def returns_of(store: Store, home: Home, figure_id: str) -> Returns:
    """List the work sent back on a figure, and the work that can be sent back. Raises UnknownFigure."""
    with store.read() as tx:
        work = tx.work.of(figure_id)
        entries = tx.sent_back.on_figure(figure_id)
        possible = _possible(tx, home, work, entries)
    keys = Keys(home.secret(), figure_id)
    called = annotators_called(work, home, keys)
    return Returns(
        possible,
        tuple(
            Returned(each, called.get(keys.of(each.annotator), "An annotator no longer shown"))
            for each in reversed(entries)
        ),
    )


def send_back(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    key: str,
    phase: str,
    reason: str,
    *,
    now: datetime | None = None,
) -> None:
    """Send the work of the annotator with that key back, with a reason that they will read.

    Raises UnknownFigure; InvalidAnnotation without a reason, or where that annotator has no work there to correct.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise InvalidAnnotation(f"give a reason of 1 to {LONGEST_REASON:,} characters; the annotator will read it")
    with store.transaction() as tx:
        work = tx.work.of(figure_id)
        refuse_withdrawn(tx, work)
        possible = _possible(tx, home, work, tx.sent_back.on_figure(figure_id))
        if not any((each.key, each.phase) == (key, phase) for each in possible):
            raise InvalidAnnotation(
                f'figure "{figure_id}" has no work of this annotator that can be sent back; reload the page'
            )
        keys = Keys(home.secret(), figure_id)
        sent = next(each for each in work.annotations if (keys.of(each.annotator), each.phase) == (key, phase))
        at = tx.work.time_after(figure_id, now or datetime.now(UTC))
        tx.sent_back.add(figure_id, phase, sent.annotator, reviewer, reason, at)
        leave_to_score(tx, [figure_id])
    score_disagreement(store, home.campaign, [figure_id])


def withdraw(
    store: Store, home: Home, figure_id: str, reviewer: str, number: int, *, now: datetime | None = None
) -> None:
    """Withdraw what was sent back under that number: the work stands as it is. Raises InvalidAnnotation if it
    is not open any more.
    """
    with store.transaction() as tx:
        if not any(each.open and each.id == number for each in tx.sent_back.on_figure(figure_id)):
            raise InvalidAnnotation("the annotator handed this in again, or it was withdrawn; reload the page")
        tx.sent_back.end(number, reviewer, now or datetime.now(UTC))
        leave_to_score(tx, [figure_id])
    score_disagreement(store, home.campaign, [figure_id])


def returns_at(tx: Transaction, home: Home, work: FigureWork) -> tuple[bool, bool]:
    """Return whether work on a figure was sent back, or can be; and whether some is still to be corrected."""
    entries = tx.sent_back.on_figure(work.figure.id)
    awaited = any(each.open and is_adjudicated(home.campaign.phase(each.phase)) for each in entries)
    return bool(entries or _submitted(tx, home, work)), awaited


def recipients(tx: Transaction, home: Home, work: FigureWork) -> list[Recipient]:
    """The annotators of the present revision: on tasks of theirs, in a phase that is not blind."""
    keys = Keys(home.secret(), work.figure.id)
    called = annotators_called(work, home, keys)
    found = [
        Recipient(keys.of(each.annotator), each.phase, called[keys.of(each.annotator)])
        for each in _submitted(tx, home, work)
        if keys.of(each.annotator) in called
    ]
    return sorted(found, key=lambda each: (each.called, each.phase))


def _submitted(tx: Transaction, home: Home, work: FigureWork) -> list[Annotation]:
    """Return submissions of assigned tasks that reviewers adjudicate, in phases that are not blind."""
    assigned = {(task.annotator, task.phase) for task in tx.tasks.on([work.figure.id])}
    submitted = [each for each in work.annotations if (each.annotator, each.phase) in assigned]
    phases = {each.phase: home.campaign.phase(each.phase) for each in submitted}
    return [each for each in submitted if is_adjudicated(phases[each.phase]) and not phases[each.phase].blind]


def _possible(
    tx: Transaction, home: Home, work: FigureWork, entries: tuple[SentBack, ...]
) -> tuple[Recipient, ...]:
    """Whose work can be sent back: that of recipients who are not to correct it already."""
    keys = Keys(home.secret(), work.figure.id)
    due = {(keys.of(each.annotator), each.phase) for each in entries if each.open}
    return tuple(each for each in recipients(tx, home, work) if (each.key, each.phase) not in due)
