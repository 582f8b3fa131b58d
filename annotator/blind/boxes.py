"""The subfigures given in a blind phase: found once for a figure, then stored, so that all reviewers get the same.

What was found stays as it is when the gold, the annotation or the prediction that it comes from is changed later:
two reviewers whose boxes differ would not be compared by their words alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from annotator.campaign.palette import on_palette
from annotator.consensus.differences import has_too_many_boxes, needs_reviewer, newest_of_each
from annotator.consensus.gold_rule import from_annotations, from_decision
from annotator.store.queries.work import PresentWork
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    BOXES_OF_GOLD,
    BOXES_OF_PREDICTION,
    Annotation,
    Campaign,
    Phase,
    Status,
    Subfigure,
)

#: The source that is kept where an annotator's subfigures are given: whose, campaign.toml says. No name is kept
#: with the work, which goes out under pseudonyms and outlives a renaming.
ANNOTATION = "annotation"


class NoBoxes(StrEnum):
    """The reason why a figure has no given boxes: its source has no work on it, or found no subfigure."""

    WAITING = "waiting"
    LEFT_OUT = "left out"


def find_boxes(
    tx: Transaction, campaign: Campaign, phase: Phase, figure_ids: Sequence[str]
) -> dict[str, BlindBoxes | NoBoxes]:
    """Return the boxes given by the phase on each of these figures: stored ones, else those of the phase's source.

    Nothing is written. Raises StoreError for a figure that the store does not have.
    """
    kept = tx.blind.boxes(phase.name, figure_ids)
    found: dict[str, BlindBoxes | NoBoxes] = dict(kept)
    missing = [name for name in figure_ids if name not in kept]
    if missing:
        found.update(_from_source(tx, campaign, phase, missing))
    return found


def store_boxes(
    store: Store, campaign: Campaign, phase: Phase, figure_id: str, *, now: datetime
) -> BlindBoxes | NoBoxes:
    """Return the boxes given by the phase on a figure, and store them at the first request.

    They are found in a snapshot, as they may have to be merged. If two requests find them, the first is stored.
    """
    with store.read() as tx:
        found = find_boxes(tx, campaign, phase, [figure_id])[figure_id]
    if not isinstance(found, BlindBoxes):
        return found
    with store.transaction() as tx:
        there = tx.blind.boxes(phase.name, [figure_id]).get(figure_id)
        if there is None:
            tx.blind.put_boxes(phase.name, found, now)
        return there or found


def describe_source(phase: Phase) -> str:
    """Whose subfigures are given, in words for the reviewers. An annotator is not named to them."""
    if phase.given == BOXES_OF_GOLD:
        return "from the gold"
    if phase.model_of_boxes is not None:
        return f"predicted by {phase.model_of_boxes}" if phase.model_of_boxes else "predicted by a model"
    return "drawn by one annotator"


def _from_source(
    tx: Transaction, campaign: Campaign, phase: Phase, figure_ids: Sequence[str]
) -> dict[str, BlindBoxes | NoBoxes]:
    if phase.model_of_boxes is not None:
        return _predicted(tx, campaign, phase.model_of_boxes, figure_ids)
    works = {work.figure.id: work for work in tx.work.on(figure_ids)}
    if phase.given == BOXES_OF_GOLD:
        return _gold(tx, campaign, works)
    found: dict[str, BlindBoxes | NoBoxes] = {}
    for name, work in works.items():
        done = newest_of_each((each for each in work.annotations if each.phase != phase.name), campaign)
        own = next((each for each in done if each.annotator == phase.given), None)
        found[name] = NoBoxes.WAITING if own is None else _build_boxes(campaign, work, own.status, own.subfigures)
    return found


def _predicted(
    tx: Transaction, campaign: Campaign, model: str, figure_ids: Sequence[str]
) -> dict[str, BlindBoxes | NoBoxes]:
    found: dict[str, BlindBoxes | NoBoxes] = dict.fromkeys(figure_ids, NoBoxes.WAITING)
    for name, prediction in tx.predictions.of(figure_ids, model).items():
        if has_too_many_boxes(prediction, campaign):
            continue
        shown = on_palette(prediction, campaign.labels, spare=False)
        source = f"{BOXES_OF_PREDICTION}:{prediction.model_version}"
        bare = _bare(campaign, shown.subfigures)
        found[name] = BlindBoxes(name, prediction.figure.revision, source, bare) if bare else NoBoxes.LEFT_OUT
    return found


def _gold(
    tx: Transaction, campaign: Campaign, works: Mapping[str, PresentWork]
) -> dict[str, BlindBoxes | NoBoxes]:
    """As `annotator export gold` would have it: decided, else done alike or by one, when all have done it."""
    undecided = [name for name, work in works.items() if work.decision is None]
    due: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for task in tx.tasks.on(undecided) if undecided else ():
        phase = campaign.phase(task.phase)
        if phase.kind.drawn and not phase.blind:
            due[task.figure].add((task.annotator, task.phase))
    found: dict[str, BlindBoxes | NoBoxes] = {}
    for name, work in works.items():
        record = None
        if work.decision is not None and work.decision.awaits is None:
            record = from_decision(work.decision)
        elif work.decision is None:
            every: Sequence[Annotation] = work.annotations
            done = () if needs_reviewer(every, campaign) else newest_of_each(every, campaign)
            if done and not due[name] - {(each.annotator, each.phase) for each in every}:
                record = from_annotations(done)
        waits = record is None or record.status is Status.IGNORED
        found[name] = (
            NoBoxes.WAITING
            if record is None or waits
            else _build_boxes(campaign, work, record.status, record.subfigures, source=BOXES_OF_GOLD)
        )
    return found


def _build_boxes(
    campaign: Campaign,
    work: PresentWork,
    status: Status,
    subfigures: Iterable[Subfigure],
    *,
    source: str = ANNOTATION,
) -> BlindBoxes | NoBoxes:
    bare = _bare(campaign, subfigures)
    if status is not Status.ACCEPTED or not bare:
        return NoBoxes.LEFT_OUT
    return BlindBoxes(work.figure.id, work.figure.revision, source, bare)


def _bare(campaign: Campaign, subfigures: Iterable[Subfigure]) -> tuple[Subfigure, ...]:
    """Return labels and boxes alone, sorted, so that their order says nothing of the annotator."""
    place = {label: index for index, label in reversed(list(enumerate(campaign.labels)))}

    def order(each: Subfigure) -> tuple[int, str, float, float]:
        return (place.get(each.label, len(place)), each.label, each.box.y0, each.box.x0)

    return tuple(Subfigure(each.label, each.box) for each in sorted(subfigures, key=order))
