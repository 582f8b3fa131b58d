"""Settling a figure: what a reviewer is shown, and how the decision is kept.

Annotators stay anonymous: nothing that `figure_state` or `decision_state` return carries an annotator's name or
a model's version. Each is known by a key, made per figure with the home's secret, so that it is the same on every
load, differs from figure to figure, and tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotator.adjudication import second_review
from annotator.adjudication.anonymity import Keys, names_behind, names_by_key
from annotator.adjudication.proposals import heard, panels
from annotator.adjudication.state import (
    DecisionState,
    Draft,
    DraftSubfigure,
    FigureState,
    Opinion,
    Review,
    Token,
)
from annotator.consensus.items import agreed_items
from annotator.consensus.outdated import left_behind
from annotator.consensus.outdated import told as left_told
from annotator.queue.pages import Progress, changed_since, queue_agreement
from label_config.palette import colour
from panelwise.domain.annotation import Annotation, Status, Subfigure, too_many_boxes
from panelwise.domain.box import Box
from panelwise.domain.campaign import Campaign
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Awaits, Decision, Reopening
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.figure import Figure

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store, Transaction

#: What there is to say of a figure whose annotations went on after the decision.
CHANGED = "changed since it was settled"

#: What there is to say of a figure whose decisions are all on another revision.
UNSETTLED = "settled before its caption or image was replaced"

#: The note of what was settled with others at once: it is none of its reviewer's.
TOGETHER = "settled together: all annotators agree"

#: Decimals kept of a box's coordinates: a hundredth of a pixel.
BOX_DECIMALS = 2


def figure_state(store: Store, home: Home, figure_id: str, reviewer: str) -> FigureState:
    """What the screen of one figure shows to `reviewer`. Raises UnknownFigure.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        figure = tx.known_figure(figure_id)
        history = tx.history(figure_id)
        said = second_review.words(history, figure.revision)
        involved = {annotation.annotator for annotation in tx.annotations(figure=figure_id)}
        needs = second_review.waits_for(said)
        may = needs is not None and second_review.may_speak(said, involved, reviewer)
        tied = said if may and needs is Awaits.TIE_BREAK else None
        found = heard(tx, home.campaign, figure_id, keys, tied)
        behind = left_behind(tx, figure_id)
        counts = tx.queue_counts()
    decision = standing(history, figure.revision)
    reasons = found.reasons
    if changed_since(decision, found.annotations):
        reasons = (*reasons, CHANGED)
    if history and history[-1].figure.revision != figure.revision and decision is None:
        reasons = (UNSETTLED, *reasons)
    elif history and isinstance(history[-1], Reopening):
        reasons = (reopened(history[-1]), *reasons)
    if behind:
        reasons = (left_told(behind, figure), *reasons)
    shown = None if tied else decision
    before = before_reopening(history, figure.revision)
    if before is not None and before.note == TOGETHER:
        before = replace(before, note="")
    return FigureState(
        figure=figure,
        tokens=caption_tokens(figure.caption),
        palette=_palette(home.campaign, found.opinions, decision),
        version=history[-1].version if history else 0,
        decision=decision_state(shown, keys) if shown else None,
        annotators=found.voices,
        annotations=found.opinions,
        candidates=found.candidates,
        quorum=found.quorum,
        reasons=reasons,
        agreement=queue_agreement(found.annotations),
        progress=Progress(counts.decided, counts.total),
        phase=", ".join(sorted({annotation.phase for annotation in found.annotations})),
        reviewer=reviewer,
        review=Review(needs, may, second_review.told(said, involved, reviewer)),
        starts_from=decision_state(before, keys) if before else None,
    )


def figure_to_decide(
    tx: Transaction, figure_id: str, version: int, revision: int | None
) -> tuple[Figure, list[Decision | Reopening]]:
    """The figure and its history, where a decision may follow the one of that version.

    revision: of the figure that the reviewer saw, None where that is not told. Raises UnknownFigure;
    InvalidAnnotation where caption or image were replaced meanwhile; Conflict where someone decided since.
    """
    figure = tx.known_figure(figure_id)
    if revision is not None and revision != figure.revision:
        raise InvalidAnnotation(
            f'the caption or image of figure "{figure_id}" was replaced after you opened it; reload the page'
        )
    history = tx.history(figure_id)
    if version != (history[-1].version if history else 0):
        raise Conflict(conflict_message(figure_id, history, version))
    return figure, history


def decide(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    draft: Draft,
    *,
    revision: int | None = None,
    check: Callable[[Transaction], None] | None = None,
    now: datetime | None = None,
) -> Decision:
    """Keep a reviewer's decision; it becomes the figure's current one.

    Boxes are cut at the image's edge and rounded to a hundredth of a pixel. Figure types and QA items are the
    earlier decision's, else those on which the annotations agree. revision: of the figure that the reviewer saw,
    None where that is not told. check: called first in the transaction that keeps the decision; what it raises
    ends that. Raises UnknownFigure; InvalidAnnotation for what the domain refuses, an unknown key in `based_on`,
    and where caption or image were replaced meanwhile; Conflict where someone decided since the draft's version
    was loaded. Nothing is overwritten: every decision stays in the figure's history.
    """
    with store.transaction() as tx:
        if check is not None:
            check(tx)
        figure, history = figure_to_decide(tx, figure_id, draft.version, revision)
        current = standing(history, figure.revision)
        made = [entry for entry in history if isinstance(entry, Decision)]
        annotations = list(tx.annotations(figure=figure_id))
        by_key = names_by_key(tx, figure_id, made, Keys(home.secret(), figure_id))
        decision = Decision(
            figure=figure,
            reviewer=reviewer,
            version=draft.version + 1,
            status=draft.status,
            subfigures=drawn_in(draft, figure, home.campaign),
            based_on=names_behind(draft.based_on, by_key),
            decided_at=now or datetime.now(UTC),
            items=current.items if current else agreed_items(annotations),
            note=draft.note.strip(),
            seconds=draft.seconds,
            error_kind=draft.error_kind,
            guideline_flag=(draft.guideline_flag or "").strip(),
        )
        decision = awaiting(home.campaign, decision, history, annotations, wanted=draft.second)
        tx.add_decision(decision)
    return decision


def awaiting(
    campaign: Campaign,
    decision: Decision,
    history: Sequence[Decision | Reopening],
    annotations: Iterable[Annotation],
    *,
    wanted: bool = False,
) -> Decision:
    """The decision with whose word it waits for. Raises InvalidAnnotation where its reviewer has no say.

    history, annotations: of its figure. wanted: its reviewer asks for a second one.
    """
    said = second_review.words(history, decision.figure.revision)
    involved = {annotation.annotator for annotation in annotations}
    # What is put off settles nothing that a second one would have to agree to.
    wanted = wanted or (campaign.second_reviewer and decision.status is not Status.IGNORED)
    return replace(decision, awaits=second_review.awaited(said, decision, involved, wanted=wanted))


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


# -- from the domain to the screen --------------------------------------------------------------------------------


def caption_tokens(caption: Caption) -> tuple[Token, ...]:
    """The tokens of a caption as screens show them."""
    tokens = []
    for position, span in enumerate(caption.tokens):
        following = caption.tokens[position + 1].start if position + 1 < len(caption.tokens) else len(caption.text)
        between = caption.text[span.end : following]
        tokens.append(
            Token(
                id=position,
                start=span.start,
                end=span.end,
                text=caption.words[position],
                space=any(letter.isspace() for letter in between),
                newline="\n" in between,
                gap=between.strip(),
            )
        )
    return tuple(tokens)


def _palette(
    campaign: Campaign, opinions: Iterable[Opinion], decision: Decision | None
) -> tuple[tuple[str, str], ...]:
    """The campaign's labels, then any other in use here, each with its colour.

    Where people wrote the campaign's labels in small letters, as the figure has them (a for A), all come in small
    letters. A label that differs from one of the campaign's by case only has that one's colour.
    """
    used = {panel.label for opinion in opinions for panel in opinion.subfigures}
    used |= {subfigure.label for subfigure in decision.subfigures} if decision else set()
    known = list(campaign.labels)
    small = [label.lower() for label in known]
    if used - set(known) and not used & set(known) and used & set(small) and len(set(small)) == len(small):
        known = small
    place = {label.casefold(): index for index, label in reversed(list(enumerate(known)))}
    labels = dict.fromkeys([*known, *sorted(used)])
    return tuple((label, colour(place.setdefault(label.casefold(), index))) for index, label in enumerate(labels))


def decision_state(decision: Decision, keys: Keys) -> DecisionState:
    """A decision as the screen shows it, annotators under keys."""
    return DecisionState(
        version=decision.version,
        status=decision.status,
        subfigures=panels(decision.subfigures),
        note=decision.note,
        reviewer=decision.reviewer,
        decided_at=decision.decided_at,
        based_on=tuple(keys.of(name) for name in decision.based_on),
        seconds=decision.seconds,
        error_kind=decision.error_kind,
        guideline_flag=decision.guideline_flag,
        restored_from=decision.restored_from,
        awaits=decision.awaits,
    )


def reopened(entry: Reopening) -> str:
    """What there is to say of a figure that is to be settled anew."""
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
        f"{last.reviewer} settled this figure at {last.decided_at:%H:%M} UTC, after you opened it; "
        "compare that decision with yours, then save again"
    )


def drawn_in(draft: Draft, figure: Figure, campaign: Campaign) -> tuple[Subfigure, ...]:
    """The subfigures of a draft. Raises InvalidAnnotation for what a save refuses, the field named."""
    if len(draft.subfigures) > campaign.max_boxes:
        said = too_many_boxes(len(draft.subfigures), campaign.max_boxes)
        raise InvalidAnnotation(f"subfigures: {said}; remove some")
    return tuple(subfigure_of(part, figure, number) for number, part in enumerate(draft.subfigures))


def subfigure_of(part: DraftSubfigure, figure: Figure, number: int) -> Subfigure:
    """The subfigure that the reviewer drew; what is wrong with it is told with the field's name."""
    if not part.label.strip():
        raise InvalidAnnotation(f"subfigures[{number}].label: is blank; give the subfigure a label")
    count = len(figure.caption.tokens)
    for token in part.tokens:
        if not 0 <= token < count:
            raise InvalidAnnotation(
                f"subfigures[{number}].tokens: token {token} of {count} does not exist; reload"
            )
    x0, y0, x1, y1 = (round(value, BOX_DECIMALS) for value in part.box)
    try:
        box = Box(x0, y0, x1, y1).clamped(figure.width, figure.height)
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"subfigures[{number}].box: {error}") from error
    return Subfigure(part.label.strip(), box, frozenset(part.tokens))
