"""A figure's types and question-answer pairs on their screen: what it shows, and what a draft makes of them.

A figure has one history: a decision on its items keeps the subfigures of the one before it, and the other way
round. Annotators stay anonymous as on the screen of subfigures: under the same keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decision_fields import DraftBasics
from annotator.adjudication.draft import ItemsDraft, ItemsView
from annotator.adjudication.items.opinions import Opinions, agreed_answers, between, collect_opinions
from annotator.adjudication.items.state import ItemsState, Statement
from annotator.adjudication.kinds.supports import ADJUDICATED, item_values
from annotator.adjudication.kinds.types import refuse_unlisted, type_place
from annotator.adjudication.standing import figure_basics, review_of, standing, starting_decision
from annotator.adjudication.state import PanelFinding, voices
from annotator.adjudication.subfigures import decision_basics
from annotator.campaign.home import Home
from annotator.consensus.differences import newest_of_each
from annotator.consensus.gold_rule import from_annotations
from annotator.consensus.items import items_agreement, readings_of
from annotator.queue.pages import Progress
from annotator.store.queries.work import FigureWork
from panelwise.domain import (
    DECISION_PHASE,
    ITEM_KINDS,
    NO_ITEMS,
    TYPES,
    Annotation,
    Campaign,
    Decision,
    FigureKind,
    InvalidAnnotation,
    Items,
    Part,
    Phase,
    Status,
    Subfigure,
)


def items_state(work: FigureWork, home: Home, reviewer: str, progress: Progress) -> ItemsState:
    """Build the screen state of one figure's items for `reviewer`.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    figure, history, annotations = work.figure, work.history, work.annotations
    keys = Keys(home.secret(), figure.id)
    decision = standing(history, figure.revision)
    start = starting_decision(work)
    tied = review_of(work, reviewer)[1]
    found = collect_opinions(work, home.campaign, start, keys.of)
    own = [each for reading in found.readings for each in reading.annotations]
    reasons = found.reasons()
    if tied:
        found, reasons = between(found, tied, keys.of_reviewer), ()
    shown, start = (None, None) if tied else (decision, start)
    ordered = sorted(found.readings, key=lambda each: found.key(each.annotator))
    keys_shown = [found.key(each.annotator) for each in ordered]
    return ItemsState(
        **figure_basics(work, own, reasons, reviewer, progress),
        caption=figure.caption.text,
        decision=items_decision(shown, keys) if shown else None,
        starts_from=items_decision(start, keys) if start and not shown else None,
        annotators=voices(keys_shown, "Reviewer" if tied else "Annotator"),
        statuses=tuple(
            Statement(found.key(each.annotator), each.annotations[0].status, each.annotations[0].reason)
            for each in ordered
            if len({work.status for work in each.annotations}) == 1
        ),
        **{each.shown: each.as_field(found.items(each)) for each in ADJUDICATED},
        answered=found.answered,
        kinds=tuple(each.kind.field for each in ADJUDICATED if each.kind in found.asked),
        adjudicated=found.adjudicated,
        type_names=type_names(found, start.items.kind if start is not None else None),
        findings=found.findings() | {"": found.findings_in(found.initial_work(start))},
        quorum=found.quorum,
        agreement=items_agreement(readings_of(annotations, home.campaign)),
    )


def items_content(work: FigureWork, home: Home, draft: ItemsDraft) -> tuple[tuple[Subfigure, ...], Items]:
    """The items of a draft, and the subfigures that stay beside them.

    Subfigures are the earlier decision's, else those that the annotators' work makes gold of; human answers those
    on which all agree. Raises InvalidAnnotation for a figure that is not adjudicated, accepting one without items,
    a pair that it does not have, an edit under Correct, and subfigures that have to be adjudicated first.
    """
    start = starting_decision(work)
    found = collect_opinions(work, home.campaign, start, str)
    if not found.adjudicated:
        raise InvalidAnnotation(
            f'figure "{work.figure.id}" has no type and no pairs to adjudicate: answers of human evaluation are '
            "compared to the gold"
        )
    if not found.has_items and draft.status is Status.ACCEPTED:
        raise InvalidAnnotation(
            f'figure "{work.figure.id}" has no type and no pairs to accept: reject it, open its subfigures if it '
            "has any, or ask the lead to import its pairs"
        )
    if draft.status is not Status.ACCEPTED:
        return (), agreed_answers(work.annotations)
    decided = _decided_items(draft, found, start)
    items = Items(parts=(*decided, *agreed_answers(work.annotations).parts))
    return _subfigures(home.campaign, work.annotations, start), items


def items_findings(work: FigureWork, home: Home, draft: ItemsDraft) -> tuple[PanelFinding, ...]:
    """Check an unsaved draft against the guidelines. Raises InvalidAnnotation as a save does."""
    start = starting_decision(work)
    found = collect_opinions(work, home.campaign, start, str)
    items = Items(parts=_decided_items(draft, found, start))
    now = datetime.now(UTC)
    return found.findings_in(Annotation(work.figure, "-", DECISION_PHASE, draft.status, (), now, items))


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


def screens_of(work: FigureWork, campaign: Campaign) -> tuple[bool, bool]:
    """Return whether a figure has a screen of subfigures, and one of items.

    One without work on subfigures has that of items alone, unless the campaign asks for subfigures only.
    """
    judged = bool(readings_of(work.annotations, campaign))
    decided = NO_ITEMS if work.decision is None else work.decision.items
    drawn = any(phase.kind.drawn for phase in campaign.phases)
    if not _has_subfigures(campaign, work.annotations, work.decision) and (judged or decided.parts or not drawn):
        return False, True
    return True, judged or any(kind.parts(decided) for kind in ITEM_KINDS)


def has_subfigures(work: FigureWork, campaign: Campaign) -> bool:
    """Return whether a figure has subfigures to adjudicate."""
    return _has_subfigures(campaign, work.annotations, starting_decision(work))


def has_items(work: FigureWork, campaign: Campaign) -> bool:
    """Return whether a figure has a type, pairs or answers to decide on."""
    return collect_opinions(work, campaign, starting_decision(work), str).has_items


def items_decision(decision: Decision, keys: Keys) -> ItemsView:
    """A decision as the screen of items shows it, annotators under keys."""
    return ItemsView(**decision_basics(decision, keys), **item_values(decision.items))


def items_in(draft: DraftBasics, found: Opinions) -> Items:
    """The items of a draft that are adjudicated. Raises InvalidAnnotation, which begins with the field."""
    return Items(parts=[part for each in ADJUDICATED for part in each.parts_in(draft, found.names(each))])


def _decided_items(draft: ItemsDraft, found: Opinions, start: Decision | None) -> list[Part]:
    """Return the parts of an accepted draft, complete: verdicts that it does not repeat stay as they were decided.

    start: the decision that it follows; where that waits for a second reviewer, none of it is taken over. Raises
    InvalidAnnotation, which begins with the field, for a kind or a pair that the figure asks for and that
    has no decision: from a page that is older than the annotators' work, or a program that does not know of it.
    """
    decided = NO_ITEMS if start is None or start.awaits is not None else start.items
    parts = list(items_in(draft, found).parts)
    for support in ADJUDICATED:
        names = found.names(support)
        if support.kind not in found.asked or not names:
            continue
        field, values = support.kind.field, support.values_in(draft)
        if not values:
            raise InvalidAnnotation(
                f"{field}: is missing, and this figure asks for it; reload the page, or send it"
            )
        if support.kind.on_pairs:
            before = support.kind.parts(decided)
            kept = [before[name] for name in names if name in before.keys() - {value.item for value in values}]
            parts += kept
            if missing := support.missing_pairs([*values, *kept], names):
                raise InvalidAnnotation(f"{field}: {missing}; reload the page, or send each pair's verdict")
    phase = Phase(DECISION_PHASE, fine_types=found.fine_types, types=found.campaign.figure_types)
    refuse_unlisted(Items(parts=parts).kind, phase)
    return parts


def _subfigures(
    campaign: Campaign, annotations: Sequence[Annotation], before: Decision | None
) -> tuple[Subfigure, ...]:
    """Return the subfigures that a decision on items takes over from the decision before."""
    if before is not None and before.status is Status.ACCEPTED:
        return before.subfigures
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
    """The types to choose from: the campaign's, and any other in use here."""
    kinds = [decided, *(each.kind for each in found.readings)]
    if TYPES in found.asked:
        kinds.append(found.figure.imported.kind)
    used = {name for kind in kinds if kind is not None for name in kind.types}
    listed = found.campaign.figure_types
    return tuple(sorted({*listed, *used}, key=lambda name: type_place(name, listed)))
