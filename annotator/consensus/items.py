"""Figure types and verdicts on question-answer pairs of several annotators, and their agreement.

Notes are ignored: two equal verdicts agree even if one has a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from panelwise.domain import (
    ITEM_KINDS,
    KINDS,
    NO_ITEMS,
    PAIRS,
    Annotation,
    Campaign,
    FigureKind,
    Items,
    Kind,
    Part,
    Phase,
    QAVerdict,
    Status,
)

#: Separator between the notes of several people who agree.
BETWEEN_NOTES = "; "


@dataclass(frozen=True, slots=True)
class Reading:
    """One annotator's last judgement of each of a figure's items, over all phases.

    annotations: the newest of each phase, by phase; ignored figures are among them, without judgements.
    """

    annotator: str
    items: Items = NO_ITEMS
    annotations: tuple[Annotation, ...] = ()

    @property
    def kind(self) -> FigureKind | None:
        """Return the figure's type."""
        return self.items.kind

    @property
    def verdicts(self) -> Mapping[str, QAVerdict]:
        """Return the verdicts by their pair's id."""
        return PAIRS.parts(self.items)


def is_adjudicated(phase: Phase) -> bool:
    """Return whether the phase's work is adjudicated, unlike work that only measures the gold."""
    return phase.kind.adjudicated and not phase.measures_gold


def asks_for_items(annotation: Annotation, campaign: Campaign) -> bool:
    """Return whether the work has figure types or pairs, or is of a phase that asks for them."""
    asked = campaign.phase(annotation.phase).kind in ITEM_KINDS
    return asked or any(kind.there(annotation) for kind in ITEM_KINDS)


def only_items(annotation: Annotation, campaign: Campaign) -> bool:
    """Return whether work of a phase that is not in campaign.toml is on items only, judged by its content."""
    listed = any(phase.name == annotation.phase for phase in campaign.phases)
    return not listed and not annotation.subfigures and annotation.items != NO_ITEMS


def readings_of(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Reading, ...]:
    """Return each annotator's judgements of one figure's items, by name, without annotators who judged none."""
    own: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        if asks_for_items(annotation, campaign):
            own[annotation.annotator].append(annotation)
    return tuple(_reading(name, done) for name, done in sorted(own.items()))


def _reading(name: str, done: Sequence[Annotation]) -> Reading:
    judged = _last_parts(done, ITEM_KINDS)
    parts = [by_annotator[name] for by_annotator in judged.values()]
    return Reading(name, Items(parts=parts), tuple(sorted(done, key=lambda each: each.phase)))


def _last_parts(
    annotations: Iterable[Annotation], kinds: Collection[Kind]
) -> dict[tuple[Kind, str], dict[str, Part]]:
    """Return (kind, item) -> annotator -> their last judgement of it, ignored figures left out.

    annotations: from the first to the last.
    """
    last: dict[tuple[Kind, str], dict[str, Part]] = defaultdict(dict)
    for annotation in annotations:
        if annotation.status is not Status.IGNORED:
            for kind in kinds:
                for name, part in kind.parts(annotation.items).items():
                    last[kind, name][annotation.annotator] = part
    return last


# -- sameness -----------------------------------------------------------------------------------------------------


def items_agreement(readings: Sequence[Reading]) -> float | None:
    """Return the annotators' agreement on a figure's items, in [0, 1]; None if no item was judged by two.

    The mean over the items (the figure's type is one, each pair is one) of the mean over pairs of annotators. 0 if
    some accepted and others rejected the figure, 1 if all rejected it, as for subfigures.
    """
    if accepted_and_rejected(readings):
        return 0.0
    if len(readings) > 1 and common_status(readings) is Status.REJECTED:
        return 1.0
    values: dict[tuple[Kind, str], list[float]] = defaultdict(list)
    for one, other in combinations([each.items for each in readings], 2):
        for kind in (kind for kind in KINDS.values() if kind in ITEM_KINDS):
            mine, theirs = kind.parts(one), kind.parts(other)
            for name in mine.keys() & theirs.keys():
                value = kind.likeness(mine[name], theirs[name])
                if value is not None:
                    values[kind, name].append(value)
    means = [sum(own) / len(own) for own in values.values()]
    return sum(means) / len(means) if means else None


def common_status(readings: Iterable[Reading]) -> Status | None:
    """Return the status that all annotators set in all phases; None if they differ or any ignored the figure."""
    found = {each.status for reading in readings for each in reading.annotations}
    status = next(iter(found)) if len(found) == 1 else None
    return None if status is Status.IGNORED else status


def accepted_and_rejected(readings: Iterable[Reading]) -> bool:
    """Return whether some annotators accepted the figure and others rejected it; ignoring it is not judging."""
    found = [{each.status for each in reading.annotations} - {Status.IGNORED} for reading in readings]
    return len([statuses for statuses in found if statuses]) > 1 and len(set().union(*found)) > 1


def items_differ(readings: Sequence[Reading]) -> bool:
    """Return whether any two annotators judged an item, or the figure's status, differently."""
    statuses = {each.status for reading in readings for each in reading.annotations}
    return len(statuses) > 1 or any(len(set(keys)) > 1 for keys in _judged(readings).values())


def least_voices(readings: Sequence[Reading]) -> int:
    """Return the smallest number of annotators of any judged item; 0 if none was judged."""
    return min(map(len, _judged(readings).values()), default=0)


def _judged(readings: Sequence[Reading]) -> Mapping[tuple[Kind, str], Sequence[Hashable]]:
    """Return what the annotators say of each item, a key for each of those who judged it."""
    keys: dict[tuple[Kind, str], list[Hashable]] = defaultdict(list)
    for items in (each.items for each in readings):
        for kind in ITEM_KINDS:
            for name, part in kind.parts(items).items():
                keys[kind, name].append(kind.key(part))
    return keys


# -- what all say -------------------------------------------------------------------------------------------------


def agreed_items(annotations: Iterable[Annotation]) -> Items:
    """Return the items of every kind on which all annotators who judged them agree.

    Each person's last judgement counts; an item judged by one person is agreed on; ignored figures don't count.
    Ordered by pair id. The notes of those who agree are joined.
    """
    ordered = sorted(annotations, key=lambda annotation: (annotation.saved_at, annotation.phase))
    judged = _last_parts(ordered, KINDS.values())
    agreed: list[Any] = []
    for (kind, _), by_annotator in sorted(judged.items(), key=lambda entry: entry[0][1]):
        opinions: list[Any] = [part for _, part in sorted(by_annotator.items())]
        if len(set(map(kind.key, opinions))) == 1:
            agreed.append(replace(opinions[0], note=notes(opinions)))
    return Items(parts=agreed)


def notes(opinions: Iterable[Part]) -> str:
    """Join the notes of several people who agree, without duplicates."""
    return BETWEEN_NOTES.join(dict.fromkeys(each.note.strip() for each in opinions if each.note.strip()))
