"""A second reviewer, and a third who breaks the tie: whose word a figure waits for, and who may give it.

A round begins with a decision that waits for another person: because its reviewer asked for one, or because the
campaign always wants two. Another reviewer who decides the same ends it. One who decides otherwise makes a tie,
which a third person ends who neither decided in the round nor annotated the figure, by any decision; or one of the
two, who gives in. Each decision records what it waits for (`awaits`), so the last one has the current state.

A reviewer who puts the figure off decides nothing: the round goes on waiting for what it waited for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from panelwise.domain import Awaits, Decision, InvalidAnnotation, Reopening, Status


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
