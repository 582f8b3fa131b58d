"""A figure's types and question-answer pairs on their screen: what it shows, and what a draft makes of them.

A figure has one history: a decision on its items keeps the subfigures of the one before it, and the other way
round. Annotators stay anonymous as on the screen of subfigures: under the same keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.draft import ItemsDraft, ItemsView
from annotator.adjudication.items.opinions import AS_DECISION, Opinions, agreed_answers, between, collect_opinions
from annotator.adjudication.items.proposals import type_place
from annotator.adjudication.items.state import ItemsState, Statement, kind_of, kind_value, pair_word, verdict_of
from annotator.adjudication.standing import reasons_of, review_of, standing
from annotator.adjudication.state import PanelFinding, Voice
from annotator.adjudication.subfigures import decision_basics
from annotator.campaign.home import Home
from annotator.consensus.differences import newest_of_each
from annotator.consensus.gold_rule import from_annotations
from annotator.consensus.items import items_agreement, readings_of
from annotator.queue.pages import Progress
from annotator.store.queries.work import FigureWork
from annotator.store.store import Store
from panelwise.domain import (
    FIGURE_TYPES,
    ITEM_KINDS,
    NO_ITEMS,
    Annotation,
    Campaign,
    Decision,
    FigureKind,
    InvalidAnnotation,
    Items,
    Status,
    Subfigure,
    Verdict,
)


def items_state(work: FigureWork, home: Home, reviewer: str, progress: Progress) -> ItemsState:
    """Build the screen state of one figure's items for `reviewer`.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    figure, history, annotations = work.figure, work.history, work.annotations
    keys = Keys(home.secret(), figure.id)
    decision = standing(history, figure.revision)
    review, tied = review_of(work, reviewer)
    found = collect_opinions(figure, home.campaign, annotations, decision, keys.of)
    own = [each for reading in found.readings for each in reading.annotations]
    reasons = found.reasons()
    if tied:
        found, reasons = between(found, tied, keys.of_reviewer), ()
    shown = None if tied else decision
    ordered = sorted(found.readings, key=lambda each: found.key(each.annotator))
    called = "Reviewer" if tied else "Annotator"
    return ItemsState(
        figure_id=figure.id,
        revision=figure.revision,
        width=figure.width,
        height=figure.height,
        caption=figure.caption.text,
        references=figure.shareable().references,
        version=work.version,
        decision=items_decision(shown, keys) if shown else None,
        annotators=tuple(
            Voice(found.key(each.annotator), f"{called} {number}") for number, each in enumerate(ordered, start=1)
        ),
        statuses=tuple(
            Statement(found.key(each.annotator), each.annotations[0].status, each.annotations[0].reason)
            for each in ordered
            if len({work.status for work in each.annotations}) == 1
        ),
        kind=found.kind_item(),
        pairs=found.pair_items(),
        answered=found.answered,
        type_names=type_names(found, decision.items.kind if decision is not None else None),
        findings=found.findings() | {"": found.findings_in(shown or found.proposed())},
        quorum=found.quorum,
        reasons=reasons_of(work, decision, reasons, own),
        agreement=items_agreement(readings_of(annotations, home.campaign)),
        progress=progress,
        phase=", ".join(sorted({each.phase for each in own})),
        reviewer=reviewer,
        review=review,
    )


def items_content(work: FigureWork, home: Home, draft: ItemsDraft) -> tuple[tuple[Subfigure, ...], Items]:
    """The items of a draft, and the subfigures that stay beside them.

    Subfigures are the earlier decision's, else those that the annotators' work makes gold of; human answers those
    on which all agree. Raises InvalidAnnotation for accepting a figure without items, a pair that the figure does
    not have, an edit under Correct, and subfigures that have to be adjudicated first.
    """
    current = standing(work.history, work.figure.revision)
    found = collect_opinions(work.figure, home.campaign, work.annotations, current, str)
    if not found.has_items and draft.status is Status.ACCEPTED:
        raise InvalidAnnotation(
            f'figure "{work.figure.id}" has no type and no pairs to accept: reject it, open its subfigures if it '
            "has any, or ask the lead to import its pairs"
        )
    if draft.status is not Status.ACCEPTED:
        return (), agreed_answers(work.annotations)
    items = Items(parts=(*items_in(draft, found).parts, *agreed_answers(work.annotations).parts))
    return _subfigures(home.campaign, work.annotations, current), items


def draft_findings(store: Store, home: Home, figure_id: str, draft: ItemsDraft) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines.

    Raises UnknownFigure; InvalidAnnotation as a save does.
    """
    with store.read() as tx:
        work = tx.work.of(figure_id)
    current = standing(work.history, work.figure.revision)
    found = collect_opinions(work.figure, home.campaign, work.annotations, current, str)
    items = items_in(draft, found)
    now = datetime.now(UTC)
    return found.findings_in(Annotation(work.figure, "-", AS_DECISION, draft.status, (), now, items))


def items_left(campaign: Campaign, decision: Decision, annotations: Sequence[Annotation]) -> bool:
    """Return whether a decision leaves open what annotators said of type and pairs, for they differ in it."""
    if decision.status is not Status.ACCEPTED:
        return False
    readings = readings_of(annotations, campaign)
    return any(
        kind.parts(reading.items).keys() - kind.parts(decision.items).keys()
        for kind in ITEM_KINDS
        for reading in readings
    )


def only_items(campaign: Campaign, annotations: Sequence[Annotation], decision: Decision | None) -> bool:
    """Return whether a figure is adjudicated on the screen of items alone, having no work on subfigures."""
    if _has_subfigures(campaign, annotations, decision):
        return False
    if readings_of(annotations, campaign):
        return True
    if decision is not None and decision.items != NO_ITEMS:
        return True
    return not any(phase.kind.drawn for phase in campaign.phases)


def screens_of(work: FigureWork, campaign: Campaign) -> tuple[bool, bool]:
    """Return whether a figure has a screen of subfigures, and one of items."""
    if only_items(campaign, work.annotations, work.decision):
        return False, True
    decided = work.decision is not None and any(kind.there(work.decision) for kind in ITEM_KINDS)
    return True, decided or bool(readings_of(work.annotations, campaign))


def has_subfigures(work: FigureWork, campaign: Campaign) -> bool:
    """Return whether a figure has subfigures to adjudicate."""
    return _has_subfigures(campaign, work.annotations, standing(work.history, work.figure.revision))


def has_items(work: FigureWork, campaign: Campaign) -> bool:
    """Return whether a figure has a type, pairs or answers to decide on."""
    current = standing(work.history, work.figure.revision)
    return collect_opinions(work.figure, campaign, work.annotations, current, str).has_items


def items_decision(decision: Decision, keys: Keys) -> ItemsView:
    """A decision as the screen of items shows it, annotators under keys."""
    kind = decision.items.kind
    return ItemsView(
        **decision_basics(decision, keys),
        kind=None if kind is None else kind_value(kind),
        verdicts=tuple(map(pair_word, decision.items.verdicts)),
    )


def items_in(draft: ItemsDraft, found: Opinions) -> Items:
    """The type and the verdicts of a draft. Raises InvalidAnnotation, which begins with the field."""
    known = found.pairs.keys() | {name for each in found.readings for name in each.verdicts}
    for position, word in enumerate(draft.verdicts):
        if word.item not in known:
            raise InvalidAnnotation(f'verdicts[{position}].item: the figure has no pair "{word.item}"; reload')
        if word.verdict is Verdict.CORRECT and word.edited is not None:
            raise InvalidAnnotation(
                f"verdicts[{position}].edited: a pair that is correct has no edit; choose {Verdict.INCORRECT}"
            )
    return Items(
        kind=kind_of(draft.kind) if draft.kind else None,
        verdicts=tuple(map(verdict_of, draft.verdicts)),
    )


def _subfigures(
    campaign: Campaign, annotations: Sequence[Annotation], current: Decision | None
) -> tuple[Subfigure, ...]:
    """Return the subfigures that a decision on items takes over from the decision before."""
    if current is not None and current.status is Status.ACCEPTED:
        return current.subfigures
    done = newest_of_each(annotations, campaign)
    if not done:
        return ()
    gold = from_annotations(done)
    if gold is None:
        raise InvalidAnnotation(
            f'the annotators differ on the subfigures of figure "{done[0].figure.id}"; adjudicate these first, on '
            "their own screen, then the types and pairs"
        )
    return gold.subfigures


def _has_subfigures(campaign: Campaign, annotations: Iterable[Annotation], decision: Decision | None) -> bool:
    return bool(newest_of_each(annotations, campaign)) or (decision is not None and bool(decision.subfigures))


def type_names(found: Opinions, decided: FigureKind | None) -> tuple[str, ...]:
    """The types to choose from: the guidelines', and any other in use here."""
    used = {name for each in found.readings if each.kind is not None for name in each.kind.types}
    if decided is not None:
        used |= decided.types
    kind = found.kind_item()
    if kind is not None and kind.original is not None:
        used |= set(kind.original.types)
    return tuple(sorted({*FIGURE_TYPES, *used}, key=type_place))
