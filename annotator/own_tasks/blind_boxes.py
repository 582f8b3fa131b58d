"""The boxes given in a blind phase: computed once for a figure, then stored, so that all reviewers get the same.

Stored boxes stay as they are when the gold, the annotation or the prediction that they come from is changed later:
two reviewers whose boxes differ would not be compared by their words alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from annotator.campaign.palette import on_palette
from annotator.consensus.differences import has_too_many_boxes, newest_of_each
from annotator.consensus.gold_rule import states_of
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    BOXES_OF_GOLD,
    BOXES_OF_PHASE,
    BOXES_OF_PREDICTION,
    Annotation,
    Campaign,
    Caption,
    Figure,
    FigureState,
    InvalidAnnotation,
    Phase,
    Status,
    Subfigure,
    Task,
)

#: The stored source of an annotator's boxes; campaign.toml says whose. No name is stored with the work, which is
#: exported under pseudonyms and outlives a renaming.
ANNOTATION = "annotation"

#: Tasks that are looked through at once for the first one with boxes.
LOOK = 50


class NoBoxes(StrEnum):
    """The reason why a figure has no given boxes: its source has no work on it, or no subfigure."""

    WAITING = "waiting"
    LEFT_OUT = "left out"


#: The boxes that a blind phase gives on a figure, or why there are none.
Boxes = BlindBoxes | NoBoxes


def find_boxes(tx: Transaction, campaign: Campaign, phase: Phase, figure_ids: Sequence[str]) -> dict[str, Boxes]:
    """Return the boxes that the phase gives on each of these figures: stored ones, else those of its source.

    Nothing is written.
    """
    stored = tx.blind.boxes(phase.name, figure_ids)
    missing = [figure_id for figure_id in figure_ids if figure_id not in stored]
    from_source = dict(_from_source(tx, campaign, phase, missing)) if missing else {}
    return {**dict.fromkeys(missing, NoBoxes.WAITING), **from_source, **stored}


def store_boxes(store: Store, campaign: Campaign, phase: Phase, figure_id: str, *, now: datetime) -> Boxes:
    """Return the boxes that a phase gives on a figure, and store them at the first request.

    They are computed in a snapshot, as they may have to be merged. If two requests compute them, the first is
    stored.
    """
    with store.read() as tx:
        given = find_boxes(tx, campaign, phase, [figure_id])[figure_id]
    if isinstance(given, NoBoxes):
        return given
    with store.transaction() as tx:
        stored = tx.blind.boxes(phase.name, [figure_id]).get(figure_id)
        if stored is None:
            tx.blind.put_boxes(phase.name, given, now)
        return stored or given


def first_ready(tx: Transaction, campaign: Campaign, phase: Phase, tasks: Sequence[Task]) -> Task | None:
    """Return the first of a phase's tasks that can be opened, in a blind phase one with boxes; None for none."""
    if not phase.blind:
        return tasks[0] if tasks else None
    for start in range(0, len(tasks), LOOK):
        some = tasks[start : start + LOOK]
        given = find_boxes(tx, campaign, phase, [task.figure for task in some])
        for task in some:
            if isinstance(given[task.figure], BlindBoxes):
                return task
    return None


def describe_boxes(
    subfigures: Sequence[Subfigure], texts: Sequence[Sequence[int]], caption: Caption
) -> tuple[Subfigure, ...]:
    """Return the given subfigures with a reviewer's texts, which are token ids. Raises InvalidAnnotation."""
    if len(texts) != len(subfigures):
        raise InvalidAnnotation(f"texts: {len(texts)} for {len(subfigures)} given subfigures; reload the page")
    count = len(caption.tokens)
    for position, text in enumerate(texts):
        for token in text:
            if not 0 <= token < count:
                raise InvalidAnnotation(
                    f"texts[{position}]: token {token} of {count} does not exist; reload the page"
                )
    return tuple(replace(part, subcaption=frozenset(text)) for part, text in zip(subfigures, texts, strict=True))


def describe_source(phase: Phase) -> str:
    """Return whose boxes are given, in words for the reviewers. An annotator is not named to them."""
    if phase.given == BOXES_OF_GOLD:
        return "from the gold"
    if phase.model_of_boxes is not None:
        return f"predicted by {phase.model_of_boxes}" if phase.model_of_boxes else "predicted by a model"
    return f"drawn in phase {phase.figures_of}" if phase.given == BOXES_OF_PHASE else "drawn by one annotator"


def _from_source(
    tx: Transaction, campaign: Campaign, phase: Phase, figure_ids: Sequence[str]
) -> Iterator[tuple[str, Boxes]]:
    """Yield figure ids with what the phase's source has there; a figure without work may be left out."""
    if phase.model_of_boxes is not None:
        for prediction in tx.predictions.of(figure_ids, phase.model_of_boxes).values():
            if not has_too_many_boxes(prediction, campaign):
                shown = on_palette(prediction, campaign.labels, spare=False)
                source = f"{BOXES_OF_PREDICTION}:{prediction.model_version}"
                yield _given(campaign, prediction.figure, source, Status.ACCEPTED, shown.subfigures)
    elif phase.given == BOXES_OF_GOLD:
        yield from _of_gold(tx, campaign, figure_ids)
    else:
        for work in tx.work.on(figure_ids):
            others = (annotation for annotation in work.annotations if _may_give(annotation, phase))
            newest = newest_of_each(others, campaign)
            if newest:
                first = min(newest, key=lambda each: _precedence(each, campaign))
                yield _given(campaign, work.figure, ANNOTATION, first.status, first.subfigures)


def _may_give(annotation: Annotation, phase: Phase) -> bool:
    """Return whether the boxes of an annotation are those that a phase gives."""
    if phase.given == BOXES_OF_PHASE:
        return annotation.phase == phase.figures_of
    return annotation.phase != phase.name and annotation.annotator == phase.given


def _precedence(annotation: Annotation, campaign: Campaign) -> tuple[bool, int, str]:
    """Return a key by which annotations with boxes come first, then in the order of their phase's annotators."""
    people = campaign.phase(annotation.phase).annotators
    place = people.index(annotation.annotator) if annotation.annotator in people else len(people)
    drawn = annotation.status is Status.ACCEPTED and bool(annotation.subfigures)
    return (not drawn, place, annotation.annotator)


def _of_gold(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]) -> Iterator[tuple[str, Boxes]]:
    """Yield the boxes of gold from any source, as `annotator export gold` would have it."""
    for work, state, record in states_of(tx, campaign, figure_ids):
        if state is FigureState.REJECTED:
            yield work.figure.id, NoBoxes.LEFT_OUT
        # Gold of the type or pairs only says nothing of subfigures.
        elif record and (record.subfigures or work.decision or newest_of_each(work.annotations, campaign)):
            yield _given(campaign, work.figure, BOXES_OF_GOLD, record.status, record.subfigures)


def _given(
    campaign: Campaign, figure: Figure, source: str, status: Status, subfigures: Iterable[Subfigure]
) -> tuple[str, Boxes]:
    """Return the figure's id with labels and boxes alone, sorted, so that their order reveals no annotator."""
    place = {label: index for index, label in reversed(list(enumerate(campaign.labels)))}

    def order(subfigure: Subfigure) -> tuple[int, str, float, float]:
        box = subfigure.box
        return (place.get(subfigure.label, len(place)), subfigure.label, box.y0, box.x0)

    if status is not Status.ACCEPTED or not subfigures:
        return figure.id, NoBoxes.LEFT_OUT
    bare = tuple(Subfigure(part.label, part.box) for part in sorted(subfigures, key=order))
    return figure.id, BlindBoxes(figure.id, figure.revision, source, bare)
