"""Saving a reviewer's decision: in one transaction, whose result holds what the screen goes on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from annotator.adjudication.anonymity import Keys, names_behind, names_by_key
from annotator.adjudication.draft import Draft
from annotator.adjudication.screens import SCREENS
from annotator.adjudication.standing import awaiting, conflict_message, refuse_withdrawn
from annotator.campaign.home import Home
from annotator.queue.pages import Progress, progress_in
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store, Transaction
from panelwise.domain import Conflict, Decision, InvalidAnnotation


@dataclass(frozen=True, slots=True)
class Saved:
    """A decision that was saved. work: what it was made on. following: the next figure to adjudicate, if any.

    progress: of the queue, the decision included.
    """

    decision: Decision
    work: FigureWork
    progress: Progress
    following: str | None


def decide(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    draft: Draft,
    *,
    revision: int | None = None,
    following: Callable[[Transaction], str | None] | None = None,
    now: datetime | None = None,
) -> Saved:
    """Save a draft of subfigures, or of items, as the figure's current decision; what it is not on stays.

    revision: of the figure that the reviewer saw, None if unknown. following: looks up the figure to
    adjudicate next, last in the transaction that keeps the decision. Raises UnknownFigure; InvalidAnnotation for
    what the figure or the domain refuses, an unknown key in `based_on`, and where caption or image were replaced
    meanwhile; Conflict where someone decided since the draft's version was loaded. Nothing is overwritten: every
    decision stays in the figure's history.
    """
    with store.transaction() as tx:
        work = _work_to_decide(tx, figure_id, draft.version, revision)
        subfigures, items = SCREENS[type(draft)].content(work, home, draft)
        decision = Decision(
            figure=work.figure,
            reviewer=reviewer,
            version=draft.version + 1,
            status=draft.status,
            subfigures=subfigures,
            based_on=names_behind(draft.based_on, names_by_key(work, Keys(home.secret(), figure_id))),
            decided_at=tx.work.time_after(figure_id, now or datetime.now(UTC)),
            items=items,
            note=draft.note.strip(),
            seconds=draft.seconds,
            error_kind=draft.error_kind,
            guideline_flag=(draft.guideline_flag or "").strip(),
        )
        decision = awaiting(home.campaign, decision, work.history, work.annotations, required=draft.second)
        tx.decisions.add(decision)
        progress = progress_in(tx, home, reviewer)
        return Saved(decision, work, progress, None if following is None else following(tx))


def _work_to_decide(tx: Transaction, figure_id: str, version: int, revision: int | None) -> FigureWork:
    """Everything about the figure, where a decision may follow the one of that version.

    revision: of the figure that the reviewer saw, None if unknown. Raises UnknownFigure;
    InvalidAnnotation if the figure is withdrawn, or caption or image were replaced meanwhile; Conflict where
    someone decided since.
    """
    work = tx.work.of(figure_id)
    refuse_withdrawn(tx, work)
    if revision is not None and revision != work.figure.revision:
        raise InvalidAnnotation(
            f'the caption or image of figure "{figure_id}" was replaced after you opened it; reload the page'
        )
    if version != work.version:
        raise Conflict(conflict_message(figure_id, work.history, version))
    return work
