"""The state of a figure by its history: the current decision, the review it waits for, and who reopened it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from annotator.adjudication.state import Review
from annotator.consensus.outdated import describe_outdated, not_done_again
from annotator.queue.pages import changed_since
from annotator.store.queries.work import FigureWork
from annotator.store.store import Transaction
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign
from panelwise.domain.decision import Awaits, Decision, Reopening
from panelwise.domain.errors import InvalidAnnotation

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
    said = words(history, revision)
    return max(said.values(), key=lambda each: each.version, default=last)


def before_reopening(history: Sequence[Decision | Reopening], revision: int) -> Decision | None:
    """The decision that held on a revision until the figure was reopened; None if it is not open again."""
    there = [entry for entry in history if entry.figure.revision == revision]
    if not there or not isinstance(there[-1], Reopening):
        return None
    while there and isinstance(there[-1], Reopening):
        there.pop()
    return standing(there, revision)


def review_of(work: FigureWork, reviewer: str) -> tuple[Review, Mapping[str, Decision]]:
    """Whose word the figure waits for; and the two decisions between which this reviewer breaks the tie, if so."""
    said = words(work.history, work.figure.revision)
    involved = {annotation.annotator for annotation in work.annotations}
    needs = waits_for(said)
    may = needs is not None and may_speak(said, involved, reviewer)
    review = Review(needs, may, refusal(said, involved, reviewer))
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

    history, annotations: of its figure. wanted: its reviewer asks for a second one.
    """
    said = words(history, decision.figure.revision)
    involved = {annotation.annotator for annotation in annotations}
    # A figure that is put off has no decision that a second reviewer would have to agree to.
    required = required or (campaign.second_reviewer and decision.status is not Status.IGNORED)
    return replace(decision, awaits=awaited(said, decision, involved, required=required))


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


def words(history: Sequence[Decision | Reopening], revision: int) -> dict[str, Decision]:
    """Return each reviewer's last decision in the open round, in order of their first; empty without a round.

    history: of the figure, oldest first. A decision, a reopening, or work on another revision
    ends a round.
    """
    found: dict[str, Decision] = {}
    for entry in history:
        if isinstance(entry, Reopening) or entry.awaits is None or entry.figure.revision != revision:
            found = {}
        elif entry.status is not Status.IGNORED:
            found[entry.reviewer] = entry
        elif set(found) == {entry.reviewer}:
            # Nobody has answered the decision that its own reviewer takes back.
            found = {}
    return found


def waits_for(decided: Mapping[str, Decision]) -> Awaits | None:
    """Return the review that an open round waits for; None if no round is open."""
    return max(decided.values(), key=lambda each: each.version).awaits if decided else None


def may_speak(decided: Mapping[str, Decision], annotators: Collection[str], reviewer: str) -> bool:
    """Return whether the reviewer is one whose word the round waits for."""
    if waits_for(decided) is Awaits.TIE_BREAK:
        return reviewer not in decided and reviewer not in annotators
    return reviewer not in decided


def awaited(
    decided: Mapping[str, Decision], mine: Decision, annotators: Collection[str], *, required: bool
) -> Awaits | None:
    """Whose word `mine` waits for, where `decided` is the round it comes into.

    annotators: of the figure. required: the reviewer asks for a second one, or the campaign does. Raises
    InvalidAnnotation if another person must break the tie.
    """
    others = [each for name, each in decided.items() if name != mine.reviewer]
    if not others:
        return Awaits.SECOND if required else None
    if mine.status is Status.IGNORED:
        return waits_for(decided)
    if any(mine.agrees_with(other) for other in others):
        return None
    if waits_for(decided) is not Awaits.TIE_BREAK:
        return Awaits.TIE_BREAK
    if not may_speak(decided, annotators, mine.reviewer):
        did = "adjudicated" if mine.reviewer in decided else "annotated"
        raise InvalidAnnotation(
            f'two reviewers differ on figure "{mine.figure.id}" and you {did} it yourself; somebody else breaks '
            "the tie, unless you save what the other reviewer has"
        )
    return None


def refusal(decided: Mapping[str, Decision], annotators: Collection[str], reviewer: str) -> str:
    """Describe what the figure waits for, in one line; "" for nothing."""
    state = waits_for(decided)
    if state is None:
        return ""
    names = " and ".join(decided)
    if state is Awaits.SECOND:
        if reviewer in decided:
            return "You adjudicated this figure; it waits for a second reviewer."
        line = f"{names} adjudicated this figure and it waits for a second reviewer."
        return f"{line} Enter confirms it; or change it first."
    if may_speak(decided, annotators, reviewer):
        return f"{names} adjudicated this figure differently: your decision breaks the tie."
    return f"{names} adjudicated this figure differently: it waits for a reviewer who has not worked on it."
