"""Gold and annotations out of a campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from annotator.domain.adjudication import Gold, GoldSource, Provenance
from annotator.domain.annotation import Annotation, Status, Subfigure, repeated_labels
from annotator.domain.campaign import TaskType
from annotator.services.items_consensus import (
    ITEM_TASKS,
    Reading,
    agreed_items,
    common_status,
    is_settled,
    items_differ,
    least_voices,
    readings_of,
)
from annotator.services.queue_scores import common_subfigures, newest_of_each
from annotator.services.revisions import worked_on_before

if TYPE_CHECKING:
    from annotator.domain.adjudication import Decision
    from annotator.domain.campaign import Campaign
    from annotator.store.store import Store, Transaction


@dataclass(slots=True)
class GoldTally:
    """What was exported, by source, and which figures were left out for want of a decision or as unfit.

    awaiting: decided, but another reviewer's word is waited for. waiting: nobody decided, and someone who was to
    do the figure has not submitted. changed: decided, but an annotation is newer than the decision, which still
    holds. revised: caption or image were replaced, and nobody has worked on the new ones. untouched: nobody has
    annotated the figure.
    """

    exported: dict[GoldSource, int] = field(default_factory=lambda: dict.fromkeys(GoldSource, 0))
    unresolved: list[str] = field(default_factory=list)
    awaiting: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    revised: list[str] = field(default_factory=list)
    untouched: int = 0


class NoGold(StrEnum):
    """Why a figure has no gold; the names are those of `GoldTally`."""

    UNRESOLVED = "unresolved"
    AWAITING = "awaiting"
    WAITING = "waiting"
    REJECTED = "rejected"
    REVISED = "revised"
    UNTOUCHED = "untouched"


def gold(store: Store, campaign: Campaign, tally: GoldTally) -> Iterator[Gold]:
    """The gold of every figure that has it, by figure id; what has none is entered in `tally`.

    A reviewer's decision holds; without one, annotators who all agree do ("unanimous"), or the only annotator
    there is ("single"), once everyone to whom the figure was assigned has submitted. The rest is unresolved. Work
    on an earlier caption or image makes no gold of the present one. A figure whose subfigures nobody marked, but
    whose type or pairs somebody judged, has gold of these alone; human evaluation makes none.
    """
    with store.read() as tx:
        yield from gold_in(tx, campaign, tally)


def gold_in(
    tx: Transaction, campaign: Campaign, tally: GoldTally, without: dict[str, NoGold] | None = None
) -> Iterator[Gold]:
    """See `gold`: of the state that an open transaction sees. without: gets the ids of figures that have none."""

    def leave(figure_id: str, why: NoGold) -> None:
        if why is NoGold.UNTOUCHED:
            tally.untouched += 1
        else:
            getattr(tally, why.value).append(figure_id)
        if without is not None:
            without[figure_id] = why

    assigned, revised = _assigned(tx, campaign), worked_on_before(tx, campaign)
    counts = {phase.name for phase in campaign.phases if is_settled(phase)}
    for work in tx.figure_work():
        figure, decision = work.figure, work.decision
        if decision is not None and decision.awaits is not None:
            leave(figure.id, NoGold.AWAITING)
            continue
        if decision is not None:
            record: Gold | None = from_decision(decision)
            if any(moment > decision.decided_at and phase in counts for phase, moment in work.saved):
                tally.changed.append(figure.id)
        else:
            every = work.annotations
            annotations = newest_of_each(every, campaign)
            readings = () if annotations else readings_of(every, campaign)
            if not annotations and not readings:
                leave(figure.id, NoGold.REVISED if figure.id in revised else NoGold.UNTOUCHED)
                continue
            open_tasks = assigned.get(figure.id, set()) - {(each.annotator, each.phase) for each in every}
            tasks = {TaskType.SUBFIGURES} if annotations else ITEM_TASKS
            if any(campaign.phase(phase).task_type in tasks for _, phase in open_tasks):
                leave(figure.id, NoGold.WAITING)
                continue
            record = from_annotations(annotations) if annotations else from_readings(readings)
            record = record and replace(record, items=agreed_items(every))
        if record is not None and record.status is Status.ACCEPTED:
            tally.exported[record.provenance.source] += 1
            yield record
        elif record is not None and record.status is Status.REJECTED:
            leave(figure.id, NoGold.REJECTED)
        else:
            leave(figure.id, NoGold.UNRESOLVED)


def from_decision(decision: Decision) -> Gold:
    """A decision as gold; one put off ("ignored") keeps that status."""
    return Gold(
        figure=decision.figure,
        status=decision.status,
        subfigures=decision.subfigures,
        provenance=Provenance(
            GoldSource.ADJUDICATED,
            decision.reviewer,
            tuple(sorted(decision.based_on)),
            decision.decided_at,
            decision.note,
            decision.error_kind,
            decision.guideline_flag,
        ),
        items=decision.items,
    )


def from_annotations(annotations: Sequence[Annotation]) -> Gold | None:
    """The gold that the annotations of one figure, one an annotator, make without a reviewer; None where not.

    One annotator: their work. Several: they must agree on status and items, nothing may differ by the rule of
    the adjudication screen, and token sets must be equal to the last punctuation mark; the median box is taken.
    Nothing is settled where anyone passed the figure over.
    """
    if len({each.status for each in annotations}) != 1 or len({each.items for each in annotations}) != 1:
        return None
    first = annotations[0]
    if first.status is Status.IGNORED:
        return None
    if first.status is Status.REJECTED:
        subfigures: tuple[Subfigure, ...] | None = ()
    elif len(annotations) == 1:
        subfigures = None if repeated_labels(first.subfigures) else first.subfigures
    else:
        subfigures = common_subfigures(annotations)
    if subfigures is None:
        return None
    return Gold(
        figure=first.figure,
        status=first.status,
        subfigures=subfigures,
        provenance=Provenance(
            GoldSource.SINGLE if len(annotations) == 1 else GoldSource.UNANIMOUS,
            "",
            tuple(sorted(each.annotator for each in annotations)),
            max(each.saved_at for each in annotations),
        ),
        items=first.items,
    )


def from_readings(readings: Sequence[Reading]) -> Gold | None:
    """The gold of a figure whose types or pairs alone were judged, without these; None where annotators differ.

    "unanimous" where two or more judged each item, else "single". Nothing is settled where anyone passed the
    figure over.
    """
    status = common_status(readings)
    if status is None or items_differ(readings):
        return None
    done = [each for reading in readings for each in reading.annotations]
    voices = len(readings) if status is Status.REJECTED else least_voices(readings)
    return Gold(
        figure=done[0].figure,
        status=status,
        subfigures=(),
        provenance=Provenance(
            GoldSource.UNANIMOUS if voices > 1 else GoldSource.SINGLE,
            "",
            tuple(reading.annotator for reading in readings),
            max(each.saved_at for each in done),
        ),
    )


def _assigned(tx: Transaction, campaign: Campaign) -> dict[str, set[tuple[str, str]]]:
    """Figure id -> (annotator, phase) of everyone who is to do what reviewers settle."""
    assigned: dict[str, set[tuple[str, str]]] = {}
    for task in tx.tasks():
        if is_settled(campaign.phase(task.phase)):
            assigned.setdefault(task.figure, set()).add((task.annotator, task.phase))
    return assigned
