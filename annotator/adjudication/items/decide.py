"""Settling a figure's types and question-answer pairs: what a reviewer is shown, and how the decision is kept.

A figure has one history: a decision on its items keeps the subfigures of the one before it, and the other way
round. Annotators stay anonymous as on the screen of subfigures: under the same keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from annotator.adjudication import second_review
from annotator.adjudication.anonymity import Keys, names_behind, names_by_key
from annotator.adjudication.decide import (
    CHANGED,
    UNSETTLED,
    awaiting,
    figure_to_decide,
    reopened,
    standing,
)
from annotator.adjudication.items.opinions import AS_DECISION, Heard, agreed_answers, between, heard
from annotator.adjudication.items.proposals import type_place
from annotator.adjudication.items.state import (
    ItemsDecision,
    ItemsDraft,
    ItemsState,
    Statement,
    kind_of,
    kind_value,
    pair_word,
    verdict_of,
)
from annotator.adjudication.state import Review, Told, Voice
from annotator.consensus.differences import newest_of_each
from annotator.consensus.gold_rule import from_annotations
from annotator.consensus.items import items_agreement, items_key, readings_of
from annotator.consensus.outdated import left_behind
from annotator.consensus.outdated import told as left_told
from annotator.queue.pages import Progress, changed_since
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.campaign import Campaign, TaskType
from panelwise.domain.decision import Awaits, Decision, Reopening
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import FIGURE_TYPES, Items, Verdict

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store, Transaction


def items_state(store: Store, home: Home, figure_id: str, reviewer: str) -> ItemsState:
    """What the screen of one figure's items shows to `reviewer`. Raises UnknownFigure.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    keys = Keys(home.secret(), figure_id)
    with store.read() as tx:
        figure = tx.known_figure(figure_id)
        history = tx.history(figure_id)
        annotations = list(tx.annotations(figure=figure_id))
        behind = left_behind(tx, figure_id)
        counts = tx.queue_counts()
    decision = standing(history, figure.revision)
    said = second_review.words(history, figure.revision)
    involved = {annotation.annotator for annotation in annotations}
    needs = second_review.waits_for(said)
    may = needs is not None and second_review.may_speak(said, involved, reviewer)
    found = heard(figure, home.campaign, annotations, decision, keys.of)
    own = [each for reading in found.readings for each in reading.annotations]
    reasons = found.reasons()
    tied = may and needs is Awaits.TIE_BREAK
    if tied:
        found, reasons = between(found, said, keys.of_reviewer), ()
    if changed_since(decision, own):
        reasons = (*reasons, CHANGED)
    if history and history[-1].figure.revision != figure.revision and decision is None:
        reasons = (UNSETTLED, *reasons)
    elif history and isinstance(history[-1], Reopening):
        reasons = (reopened(history[-1]), *reasons)
    if behind:
        reasons = (left_told(behind, figure), *reasons)
    shown = None if tied else decision
    ordered = sorted(found.readings, key=lambda each: found.key(each.annotator))
    called = "Reviewer" if tied else "Annotator"
    return ItemsState(
        figure=figure,
        version=history[-1].version if history else 0,
        decision=items_decision(shown, keys) if shown else None,
        annotators=tuple(
            Voice(found.key(each.annotator), f"{called} {number}") for number, each in enumerate(ordered, start=1)
        ),
        statuses=tuple(
            Statement(found.key(each.annotator), each.annotations[0].status)
            for each in ordered
            if len({work.status for work in each.annotations}) == 1
        ),
        kind=found.kind_item(),
        pairs=found.pair_items(),
        type_names=_type_names(found, decision),
        findings=found.findings() | {"": found.findings_in(shown or found.proposed())},
        quorum=found.quorum,
        reasons=reasons,
        agreement=items_agreement(readings_of(annotations, home.campaign)),
        progress=Progress(counts.decided, counts.total),
        phase=", ".join(sorted({each.phase for each in own})),
        reviewer=reviewer,
        subfigures=_has_subfigures(home.campaign, annotations, decision),
        review=Review(needs, may, second_review.told(said, involved, reviewer)),
    )


def decide_items(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    draft: ItemsDraft,
    *,
    revision: int | None = None,
    check: Callable[[Transaction], None] | None = None,
    now: datetime | None = None,
) -> Decision:
    """Keep a reviewer's decision on a figure's items; it becomes the figure's current one.

    Subfigures are the earlier decision's, else those that the annotators' work makes gold of; human answers those
    on which all agree. revision, check: as in `adjudicating.decide`. Raises UnknownFigure; InvalidAnnotation for
    a figure without items, a pair that the figure does not have, an edit under Correct, an unknown key in
    `based_on`, subfigures that have to be settled first, and where caption or image were replaced meanwhile;
    Conflict where someone decided since.
    """
    with store.transaction() as tx:
        if check is not None:
            check(tx)
        figure, history = figure_to_decide(tx, figure_id, draft.version, revision)
        current = standing(history, figure.revision)
        annotations = list(tx.annotations(figure=figure_id))
        found = heard(figure, home.campaign, annotations, current, str)
        if not found.has_items:
            raise InvalidAnnotation(
                f'figure "{figure_id}" has no type and no pairs to decide on; open its subfigures instead'
            )
        accepted = draft.status is Status.ACCEPTED
        by_key = names_by_key(
            tx,
            figure_id,
            [each for each in history if isinstance(each, Decision)],
            Keys(home.secret(), figure_id),
        )
        decision = Decision(
            figure=figure,
            reviewer=reviewer,
            version=draft.version + 1,
            status=draft.status,
            subfigures=_subfigures(home.campaign, annotations, current) if accepted else (),
            based_on=names_behind(draft.based_on, by_key),
            decided_at=now or datetime.now(UTC),
            items=_items(draft, found, annotations) if accepted else agreed_answers(annotations),
            note=draft.note.strip(),
            seconds=draft.seconds,
            error_kind=draft.error_kind,
            guideline_flag=(draft.guideline_flag or "").strip(),
        )
        decision = awaiting(home.campaign, decision, history, annotations, wanted=draft.second)
        tx.add_decision(decision)
    return decision


def draft_findings(store: Store, home: Home, figure_id: str, draft: ItemsDraft) -> tuple[Told, ...]:
    """What the checks find in a draft that is not saved. Raises as `decide_items` does, but no Conflict."""
    with store.read() as tx:
        figure = tx.known_figure(figure_id)
        history = tx.history(figure_id)
        annotations = list(tx.annotations(figure=figure_id))
    found = heard(figure, home.campaign, annotations, standing(history, figure.revision), str)
    items = _items(draft, found, annotations)
    now = datetime.now(UTC)
    return found.findings_in(Annotation(figure, "-", AS_DECISION, draft.status, (), now, items))


def items_left(campaign: Campaign, decision: Decision, annotations: Sequence[Annotation]) -> bool:
    """Whether a decision leaves open what annotators said of type and pairs, for they differ in it."""
    if decision.status is not Status.ACCEPTED:
        return False
    readings = readings_of(annotations, campaign)
    judged = {name for each in readings for name in each.verdicts}
    settled = {each.item for each in decision.items.verdicts}
    typed = any(each.kind is not None for each in readings)
    return bool(judged - settled) or (typed and decision.items.kind is None)


def only_items(campaign: Campaign, annotations: Sequence[Annotation], decision: Decision | None) -> bool:
    """Whether a figure is settled on the screen of items alone: nobody marked subfigures, nor was to."""
    if _has_subfigures(campaign, annotations, decision):
        return False
    if readings_of(annotations, campaign):
        return True
    if decision is not None and items_key(decision.items) != items_key(Items()):
        return True
    return all(phase.task_type is not TaskType.SUBFIGURES for phase in campaign.phases)


def screens_of(store: Store, campaign: Campaign, figure_id: str) -> tuple[bool, bool]:
    """Whether a figure has a screen of subfigures, and one of items. Raises UnknownFigure."""
    with store.read() as tx:
        tx.known_figure(figure_id)
        work = next(iter(tx.work_on([figure_id])))
        annotations = work.annotations
    if only_items(campaign, annotations, work.decision):
        return False, True
    decided = work.decision is not None and bool(work.decision.items.verdicts or work.decision.items.kind)
    return True, decided or bool(readings_of(annotations, campaign))


def has_items(store: Store, home: Home, figure_id: str) -> bool:
    """Whether a figure has a type, pairs or answers to decide on. Raises UnknownFigure."""
    with store.read() as tx:
        figure = tx.known_figure(figure_id)
        current = standing(tx.history(figure_id), figure.revision)
        annotations = list(tx.annotations(figure=figure_id))
    return heard(figure, home.campaign, annotations, current, str).has_items


def items_decision(decision: Decision, keys: Keys) -> ItemsDecision:
    """A decision as the screen of items shows it, annotators under keys."""
    kind = decision.items.kind
    return ItemsDecision(
        version=decision.version,
        status=decision.status,
        kind=None if kind is None else kind_value(kind),
        verdicts=tuple(map(pair_word, decision.items.verdicts)),
        note=decision.note,
        reviewer=decision.reviewer,
        decided_at=decision.decided_at,
        based_on=tuple(keys.of(name) for name in decision.based_on),
        error_kind=decision.error_kind,
        guideline_flag=decision.guideline_flag,
        awaits=decision.awaits,
    )


def _items(draft: ItemsDraft, found: Heard, annotations: Iterable[Annotation]) -> Items:
    """The items that a draft speaks of. Raises InvalidAnnotation, which begins with the field."""
    known = found.pairs.keys() | {name for each in found.readings for name in each.verdicts}
    for position, word in enumerate(draft.verdicts):
        if word.item not in known:
            raise InvalidAnnotation(f'verdicts[{position}].item: the figure has no pair "{word.item}"; reload')
        if word.verdict is Verdict.CORRECT and word.edited is not None:
            raise InvalidAnnotation(
                f"verdicts[{position}].edited: a pair that is correct has no edit; choose {Verdict.INCORRECT}"
            )
    return Items(
        kind=None if draft.kind is None else kind_of(draft.kind),
        verdicts=tuple(map(verdict_of, draft.verdicts)),
        answers=agreed_answers(annotations).answers,
    )


def _subfigures(
    campaign: Campaign, annotations: Sequence[Annotation], current: Decision | None
) -> tuple[Subfigure, ...]:
    """What a decision on items keeps of a figure's subfigures."""
    if current is not None and current.status is Status.ACCEPTED:
        return current.subfigures
    done = newest_of_each(annotations, campaign)
    if not done:
        return ()
    gold = from_annotations(done)
    if gold is None:
        raise InvalidAnnotation(
            f'the annotators differ on the subfigures of figure "{done[0].figure.id}"; settle these first, on '
            "their own screen, then the types and pairs"
        )
    return gold.subfigures


def _has_subfigures(campaign: Campaign, annotations: Iterable[Annotation], decision: Decision | None) -> bool:
    return bool(newest_of_each(annotations, campaign)) or (decision is not None and bool(decision.subfigures))


def _type_names(found: Heard, decision: Decision | None) -> tuple[str, ...]:
    """The types to choose from: the guidelines', and any other in use here."""
    used = {name for each in found.readings if each.kind is not None for name in each.kind.types}
    if decision is not None and decision.items.kind is not None:
        used |= decision.items.kind.types
    kind = found.kind_item()
    if kind is not None and kind.original is not None:
        used |= set(kind.original.types)
    return tuple(sorted({*FIGURE_TYPES, *used}, key=type_place))
