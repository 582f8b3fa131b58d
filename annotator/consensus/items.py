"""Figure types and verdicts on question-answer pairs of several annotators, and their agreement.

Notes are ignored: two equal verdicts agree even if one has a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeVar

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.items import NO_ITEMS, FigureKind, HumanAnswer, Items, QAVerdict, kind_key, verdict_key
from panelwise.domain.kinds import ITEM_KINDS, Kind

T = TypeVar("T")

#: Separator between the notes of several people who agree.
BETWEEN_NOTES = "; "

#: Agreement of two Incorrect verdicts with different edits.
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """One annotator's last judgement of each of a figure's items, over all phases.

    annotations: the newest of each phase, by phase; ignored figures are among them, without judgements.
    """

    annotator: str
    kind: FigureKind | None = None
    verdicts: Mapping[str, QAVerdict] = field(default_factory=dict)
    annotations: tuple[Annotation, ...] = ()

    def says(self, kind: Kind) -> bool:
        """Return whether the annotator judged an item of that kind."""
        return kind.held((), Items(self.kind, tuple(self.verdicts.values())))


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
    kind: FigureKind | None = None
    verdicts: dict[str, QAVerdict] = {}
    for each in done:
        if each.status is not Status.IGNORED:
            kind = each.items.kind or kind
            verdicts.update((verdict.item, verdict) for verdict in each.items.verdicts)
    return Reading(name, kind, verdicts, tuple(sorted(done, key=lambda each: each.phase)))


# -- sameness -----------------------------------------------------------------------------------------------------


def verdict_likeness(one: QAVerdict, other: QAVerdict) -> float:
    """Return the agreement of two verdicts on one pair: 1 if equal, a half if only the edits differ."""
    if one.verdict is not other.verdict:
        return 0.0
    return 1.0 if verdict_key(one) == verdict_key(other) else HALF


def kind_likeness(one: FigureKind, other: FigureKind) -> float | None:
    """Return the agreement on a figure's type: mean over compound flag, count and types (Jaccard) set by both.

    None if both set none of them.
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
    """Return the annotators' agreement on a figure's items, in [0, 1]; None if no item was judged by two.

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
    """Return the status that all annotators set in all phases; None if they differ or any ignored the figure."""
    found = {each.status for reading in readings for each in reading.annotations}
    status = next(iter(found)) if len(found) == 1 else None
    return None if status is Status.IGNORED else status


def items_differ(readings: Sequence[Reading]) -> bool:
    """Return whether any two annotators judged an item, or the figure's status, differently."""
    kinds = {kind_key(each.kind) for each in readings if each.kind is not None}
    said: dict[str, set[Hashable]] = defaultdict(set)
    for reading in readings:
        for item, verdict in reading.verdicts.items():
            said[item].add(verdict_key(verdict))
    statuses = {each.status for reading in readings for each in reading.annotations}
    return len(kinds) > 1 or len(statuses) > 1 or any(len(keys) > 1 for keys in said.values())


def least_voices(readings: Sequence[Reading]) -> int:
    """Return the smallest number of annotators of any judged item; 0 if none was judged."""
    counts: dict[str, int] = defaultdict(int)
    for reading in readings:
        if reading.kind is not None:
            counts[""] += 1
        for item in reading.verdicts:
            counts[item] += 1
    return min(counts.values(), default=0)


# -- what all say -------------------------------------------------------------------------------------------------


def agreed_items(annotations: Iterable[Annotation]) -> Items:
    """Return the figure type, verdicts and answers on which all annotators who judged them agree.

    Each person's last judgement counts; an item judged by one person is agreed on; ignored figures don't count.
    Ordered by pair id. The notes of those who agree are joined.
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
    """Return the judgements by name for each item on which all annotators agree."""
    said: dict[str, list[T]] = {}
    for (_, item), value in sorted(given.items(), key=lambda each: each[0]):
        said.setdefault(item, []).append(value)
    return [values for _, values in sorted(said.items()) if len(set(map(key, values))) == 1]


def notes(opinions: Iterable[FigureKind | QAVerdict | HumanAnswer]) -> str:
    """Join the notes of several people who agree, without duplicates."""
    return BETWEEN_NOTES.join(dict.fromkeys(each.note.strip() for each in opinions if each.note.strip()))
