"""Figure types and verdicts on question-answer pairs as several annotators gave them, and how far these agree.

Notes are beside the point here: two who say the same, one of them with a note, agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.items import (
    NO_ITEMS,
    FigureKind,
    HumanAnswer,
    Items,
    QAVerdict,
    kind_key,
    verdict_key,
)

T = TypeVar("T")

#: Tasks whose work reviewers settle item by item. Human evaluation is a measurement: nobody settles it.
ITEM_TASKS = frozenset({TaskType.FIGURE_TYPES, TaskType.FIGURE_QA})
#: Tasks whose work a decision settles.
ADJUDICATED_TASKS = ITEM_TASKS | {TaskType.SUBFIGURES}
#: What is between the notes of several people who say the same.
BETWEEN_NOTES = "; "

#: How far two verdicts agree that both call for an edit, where the edits differ.
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """What one annotator makes of a figure's items, over all phases: of each item what they saved last.

    annotations: the work it comes from, the newest of each phase, by phase. What was passed over is among them,
    but says nothing.
    """

    annotator: str
    kind: FigureKind | None = None
    verdicts: Mapping[str, QAVerdict] = field(default_factory=dict)
    annotations: tuple[Annotation, ...] = ()


def is_adjudicated(phase: Phase) -> bool:
    """Whether what is done in the phase is for reviewers to settle. What only measures the gold is not."""
    return phase.task_type in ADJUDICATED_TASKS and not phase.measures_gold


def asks_for_items(annotation: Annotation, campaign: Campaign) -> bool:
    """Whether the work is of a phase that asks for figure types or pairs, or holds some of its own accord."""
    items = annotation.items
    asked = campaign.phase(annotation.phase).task_type in ITEM_TASKS
    return asked or items.kind is not None or bool(items.verdicts)


def only_items(annotation: Annotation, campaign: Campaign) -> bool:
    """Whether work of a phase that campaign.toml does not list is on items alone: its phase cannot say so."""
    listed = any(phase.name == annotation.phase for phase in campaign.phases)
    return not listed and not annotation.subfigures and annotation.items != NO_ITEMS


def readings_of(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Reading, ...]:
    """What each annotator makes of the items of one figure, by name; those who did nothing of it are left out."""
    own: dict[str, list[Annotation]] = defaultdict(list)
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        if asks_for_items(annotation, campaign):
            own[annotation.annotator].append(annotation)
    return tuple(_reading(name, done) for name, done in sorted(own.items()))


def _reading(name: str, done: Sequence[Annotation]) -> Reading:
    kind: FigureKind | None = None
    verdicts: dict[str, QAVerdict] = {}
    for each in done:
        if each.status is not Status.IGNORED:
            kind = each.items.kind or kind
            verdicts.update((verdict.item, verdict) for verdict in each.items.verdicts)
    return Reading(name, kind, verdicts, tuple(sorted(done, key=lambda each: each.phase)))


# -- sameness -----------------------------------------------------------------------------------------------------


def verdict_likeness(one: QAVerdict, other: QAVerdict) -> float:
    """How far two verdicts on one pair agree: 1 where they are the same, a half where only the edits differ."""
    if one.verdict is not other.verdict:
        return 0.0
    return 1.0 if verdict_key(one) == verdict_key(other) else HALF


def kind_likeness(one: FigureKind, other: FigureKind) -> float | None:
    """How far two agree on a figure's type: the mean over what both say of flag, count and types (by Jaccard).

    None where there is nothing that both say.
    """
    parts = []
    if one.compound is not None and other.compound is not None:
        parts.append(float(one.compound == other.compound))
    if one.count is not None and other.count is not None:
        parts.append(float(one.count == other.count))
    if one.types or other.types:
        parts.append(len(one.types & other.types) / len(one.types | other.types))
    return sum(parts) / len(parts) if parts else None


def items_agreement(readings: Sequence[Reading]) -> float | None:
    """How far the annotators agree on a figure's items, in [0, 1]; None where no item was judged by two.

    The mean over the items (the figure's type is one, each pair is one) of the mean over pairs of annotators.
    """
    likeness: dict[str, list[float]] = defaultdict(list)
    for one, other in combinations(readings, 2):
        if one.kind is not None and other.kind is not None:
            value = kind_likeness(one.kind, other.kind)
            if value is not None:
                likeness[""].append(value)
        for item in one.verdicts.keys() & other.verdicts.keys():
            likeness[item].append(verdict_likeness(one.verdicts[item], other.verdicts[item]))
    means = [sum(values) / len(values) for values in likeness.values()]
    return sum(means) / len(means) if means else None


def common_status(readings: Iterable[Reading]) -> Status | None:
    """The status that all give the figure in all phases; None where they differ, or anyone passed it over."""
    found = {each.status for reading in readings for each in reading.annotations}
    status = next(iter(found)) if len(found) == 1 else None
    return None if status is Status.IGNORED else status


def items_differ(readings: Sequence[Reading]) -> bool:
    """Whether any two who judged an item judged it otherwise, or gave the figure another status."""
    kinds = {kind_key(each.kind) for each in readings if each.kind is not None}
    said: dict[str, set[Hashable]] = defaultdict(set)
    for reading in readings:
        for item, verdict in reading.verdicts.items():
            said[item].add(verdict_key(verdict))
    statuses = {each.status for reading in readings for each in reading.annotations}
    return len(kinds) > 1 or len(statuses) > 1 or any(len(keys) > 1 for keys in said.values())


def least_voices(readings: Sequence[Reading]) -> int:
    """How many annotators judged the item that the fewest judged; 0 where nothing was judged."""
    counts: dict[str, int] = defaultdict(int)
    for reading in readings:
        if reading.kind is not None:
            counts[""] += 1
        for item in reading.verdicts:
            counts[item] += 1
    return min(counts.values(), default=0)


# -- what all say -------------------------------------------------------------------------------------------------


def agreed_items(annotations: Iterable[Annotation]) -> Items:
    """Figure type, QA verdicts and answers on which all agree who gave one: of each person what was saved last.

    What only one gave is agreed on; what was passed over counts for nothing. In order of the pairs' ids. Notes of
    those who agree stand one after the other.
    """
    kinds: dict[tuple[str, str], FigureKind] = {}
    verdicts: dict[tuple[str, str], QAVerdict] = {}
    answers: dict[tuple[str, str], HumanAnswer] = {}
    for each in sorted(annotations, key=lambda annotation: (annotation.saved_at, annotation.phase)):
        if each.status is Status.IGNORED:
            continue
        if each.items.kind is not None:
            kinds[each.annotator, ""] = each.items.kind
        verdicts.update({(each.annotator, verdict.item): verdict for verdict in each.items.verdicts})
        answers.update({(each.annotator, answer.item): answer for answer in each.items.answers})
    kind = [replace(all_of[0], note=notes(all_of)) for all_of in _agreed(kinds, kind_key)]
    return Items(
        kind[0] if kind else None,
        tuple(replace(all_of[0], note=notes(all_of)) for all_of in _agreed(verdicts, verdict_key)),
        tuple(replace(all_of[0], note=notes(all_of)) for all_of in _agreed(answers, lambda each: each.answer)),
    )


def _agreed(given: Mapping[tuple[str, str], T], key: Callable[[T], Hashable]) -> list[list[T]]:
    """Of (annotator, item) -> what was said: of each item on which all say the same, what each said, by name."""
    said: dict[str, list[T]] = {}
    for (_, item), value in sorted(given.items(), key=lambda each: each[0]):
        said.setdefault(item, []).append(value)
    return [values for _, values in sorted(said.items()) if len(set(map(key, values))) == 1]


def notes(opinions: Iterable[FigureKind | QAVerdict | HumanAnswer]) -> str:
    """The notes of several who say the same, each once."""
    return BETWEEN_NOTES.join(dict.fromkeys(each.note.strip() for each in opinions if each.note.strip()))
