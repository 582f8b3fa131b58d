"""What a figure's history says: the decision that holds, whose word it waits for, and who reopened it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.adjudication import second_review
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign
from panelwise.domain.decision import Decision, Reopening
from panelwise.domain.errors import InvalidAnnotation

if TYPE_CHECKING:
    from annotator.store.queries.work import FigureWork
    from annotator.store.store import Transaction

#: The note of what was adjudicated with others at once: it is none of its reviewer's.
TOGETHER = "settled together: all annotators agree"


def standing(history: Sequence[Decision | Reopening], revision: int) -> Decision | None:
    """The decision that holds for a revision of a figure, by its history; None where there is none.

    Where a reviewer put the figure off while another's decision waits for a second one, that is the other's.
    """
    last = next((entry for entry in reversed(history) if entry.figure.revision == revision), None)
    if not isinstance(last, Decision):
        return None
    if last.status is not Status.IGNORED or last.awaits is None:
        return last
    said = second_review.words(history, revision)
    return max(said.values(), key=lambda each: each.version, default=last)


def before_reopening(history: Sequence[Decision | Reopening], revision: int) -> Decision | None:
    """The decision that held on a revision until the figure was reopened; None where it is not open again."""
    there = [entry for entry in history if entry.figure.revision == revision]
    if not there or not isinstance(there[-1], Reopening):
        return None
    while there and isinstance(there[-1], Reopening):
        there.pop()
    return standing(there, revision)


def refuse_withdrawn(tx: Transaction, work: FigureWork) -> None:
    """Raise InvalidAnnotation for work on a figure that was taken out of the campaign."""
    if work.withdrawn:
        name = work.figure.id
        reason = tx.withdrawals.standing([name])[name].reason
        raise InvalidAnnotation(f'figure "{name}" was withdrawn from the campaign: {reason}')


def awaiting(
    campaign: Campaign,
    decision: Decision,
    history: Sequence[Decision | Reopening],
    annotations: Iterable[Annotation],
    *,
    required: bool = False,
) -> Decision:
    """The decision with whose word it waits for. Raises InvalidAnnotation where its reviewer has no say.

    history, annotations: of its figure. wanted: its reviewer asks for a second one.
    """
    said = second_review.words(history, decision.figure.revision)
    involved = {annotation.annotator for annotation in annotations}
    # A figure that is put off has no decision that a second reviewer would have to agree to.
    required = required or (campaign.second_reviewer and decision.status is not Status.IGNORED)
    return replace(decision, awaits=second_review.awaited(said, decision, involved, required=required))


def reopened(entry: Reopening) -> str:
    """What there is to say of a figure that is to be adjudicated again."""
    return f"{entry.reviewer} reopened it" + (f": {entry.note}" if entry.note else "")


def conflict_message(figure_id: str, history: Sequence[Decision | Reopening], loaded: int) -> str:
    """Why a decision that was loaded at the version `loaded` comes too late, and what to do."""
    last = history[-1] if history else None
    if last is None:
        return f'figure "{figure_id}" has no decision, but version {loaded} was to be replaced; reload the page'
    if isinstance(last, Reopening):
        return (
            f"{last.reviewer} reopened this figure at {last.reopened_at:%H:%M} UTC, after you opened it; "
            "save again if your decision stands"
        )
    return (
        f"{last.reviewer} adjudicated this figure at {last.decided_at:%H:%M} UTC, after you opened it; "
        "compare that decision with yours, then save again"
    )
