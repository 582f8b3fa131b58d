"""The state of a figure by its history: the current decision, the review it waits for, and who reopened it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.adjudication import second_review
from annotator.adjudication.state import Review
from annotator.consensus.outdated import describe_outdated, not_done_again
from annotator.queue.pages import Progress, changed_since
from annotator.store.queries.work import FigureWork
from annotator.store.store import Transaction
from panelwise.domain import Annotation, Awaits, Campaign, Decision, InvalidAnnotation, Reopening, Status

#: The reason shown for a figure with annotations after its decision.
CHANGED = "changed since it was adjudicated"
#: The reason shown for a figure whose decisions are all on another revision.
UNSETTLED = "adjudicated before its caption or image was replaced"
#: The note of what was adjudicated with others at once: it is none of its reviewer's.
TOGETHER = "settled together: all annotators agree"


def standing(history: Sequence[Decision | Reopening], revision: int) -> Decision | None:
    """The decision that holds for a revision of a figure, by its history; None if there is none.

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
    """The decision that held on a revision until the figure was reopened; None if it is not open again."""
    there = [entry for entry in history if entry.figure.revision == revision]
    if not there or not isinstance(there[-1], Reopening):
        return None
    while there and isinstance(there[-1], Reopening):
        there.pop()
    return standing(there, revision)


def starting_decision(work: FigureWork) -> Decision | None:
    """Return the decision that a screen starts from: the one that holds, else the one before the reopening.

    Without the note of a figure that was adjudicated together with others, which no reviewer wrote.
    """
    history, revision = work.history, work.figure.revision
    if (holds := standing(history, revision)) is not None:
        return holds
    before = before_reopening(history, revision)
    return replace(before, note="") if before is not None and before.note == TOGETHER else before


def review_of(work: FigureWork, reviewer: str) -> tuple[Review, Mapping[str, Decision]]:
    """Whose word the figure waits for; and the two decisions between which this reviewer breaks the tie, if so."""
    said = second_review.words(work.history, work.figure.revision)
    involved = {annotation.annotator for annotation in work.annotations}
    needs = second_review.waits_for(said)
    may = needs is not None and second_review.may_speak(said, involved, reviewer)
    review = Review(needs, may, second_review.refusal(said, involved, reviewer))
    return review, said if may and needs is Awaits.TIE_BREAK else {}


def reasons_of(
    work: FigureWork, decision: Decision | None, reasons: tuple[str, ...], annotations: Iterable[Annotation]
) -> tuple[str, ...]:
    """List the reasons shown for a figure: those from its history, then `reasons`.

    decision: the one that holds. annotations: those that may have changed since.
    """
    if changed_since(decision, annotations):
        reasons = (*reasons, CHANGED)
    last = work.history[-1] if work.history else None
    if last is not None and last.figure.revision != work.figure.revision and decision is None:
        reasons = (UNSETTLED, *reasons)
    elif isinstance(last, Reopening):
        reasons = (reopened(last), *reasons)
    if behind := not_done_again(work.earlier, work.annotations):
        reasons = (describe_outdated(behind, work.figure), *reasons)
    return reasons


def figure_basics(
    work: FigureWork,
    annotations: Collection[Annotation],
    reasons: tuple[str, ...],
    reviewer: str,
    progress: Progress,
) -> dict[str, Any]:
    """Return the fields of `FigureBasics` that both screens fill alike.

    annotations: of those whose work the screen is on. reasons: what they differ in.
    """
    figure, decision = work.figure, standing(work.history, work.figure.revision)
    return {
        "figure_id": figure.id,
        "revision": figure.revision,
        "width": figure.width,
        "height": figure.height,
        "references": figure.shareable().references,
        "version": work.version,
        "reasons": reasons_of(work, decision, reasons, annotations),
        "phase": ", ".join(sorted({annotation.phase for annotation in annotations})),
        "progress": progress,
        "reviewer": reviewer,
        "review": review_of(work, reviewer)[0],
    }


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
    """The decision with whose word it waits for. Raises InvalidAnnotation if its reviewer has no say.

    history, annotations: of its figure. required: its reviewer asks for a second one.
    """
    said = second_review.words(history, decision.figure.revision)
    involved = {annotation.annotator for annotation in annotations}
    # A figure that is put off has no decision that a second reviewer would have to agree to.
    required = required or (campaign.second_reviewer and decision.status is not Status.IGNORED)
    return replace(decision, awaits=second_review.awaited(said, decision, involved, required=required))


def reopened(entry: Reopening) -> str:
    """List the reasons shown for a figure that was reopened."""
    return f"{entry.reviewer} reopened it" + (f": {entry.note}" if entry.note else "")


def conflict_message(figure_id: str, history: Sequence[Decision | Reopening], loaded: int) -> str:
    """Explain why a decision based on version `loaded` is outdated, and what to do."""
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
