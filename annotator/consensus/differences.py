"""What annotators of one figure did, have in common, and differ in; in words that name nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from agreement.consensus.candidates import Candidate, merge_candidates
from annotator.consensus.items import only_items
from panelwise.domain.annotation import Annotation, Prediction, Status, Subfigure
from panelwise.domain.box import CLOSE_IOU
from panelwise.domain.campaign import TaskType

if TYPE_CHECKING:
    from panelwise.domain.campaign import Campaign


def newest_of_each(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Annotation, ...]:
    """Of one figure's current annotations, each annotator's newest in a phase that asks for subfigures, by name.

    Work that only measures the gold is none of them, nor is work on items alone in a phase that is not listed, nor
    work with more boxes than the campaign allows. Of two saved at one moment, that of the phase later in order of
    names: as the metrics have it.
    """
    newest: dict[str, Annotation] = {}
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        phase = campaign.phase(annotation.phase)
        asked = phase.task_type is TaskType.SUBFIGURES and not phase.measures_gold
        if asked and not has_too_many_boxes(annotation, campaign) and not only_items(annotation, campaign):
            newest[annotation.annotator] = annotation
    return tuple(newest[name] for name in sorted(newest))


def some_do_not_count(annotations: Iterable[Annotation], campaign: Campaign) -> bool:
    """Whether one of a figure's current annotations has too many boxes to count: a reviewer has to look at it."""
    return any(has_too_many_boxes(each, campaign) for each in annotations)


def has_too_many_boxes(work: Annotation | Prediction, campaign: Campaign) -> bool:
    """Whether work has more boxes than the campaign allows, as only work stored under another limit can."""
    return len(work.subfigures) > campaign.max_boxes


def candidate_differences(candidate: Candidate, done: Sequence[Annotation]) -> tuple[str, ...]:
    """What those who accepted the figure (`done`) differ in at one merged subfigure; empty where they agree.

    Text differs where a token that counts in the metric has some of the supporters' votes but not all.
    """
    members = [
        annotation.subfigures[candidate.members[annotation.annotator]]
        for annotation in done
        if annotation.annotator in candidate.members
    ]
    reasons = []
    if missing := len(done) - len(members):
        reasons.append(f"{_of(missing, len(done))} {'has' if missing == 1 else 'have'} no box here")
    if len(labels := sorted({member.label for member in members})) > 1:
        reasons.append(f"labels differ: {', '.join(labels)}")
    counted = done[0].figure.caption.counted
    votes = Counter(token for member in members for token in member.subcaption)
    if disputed := sum(token in counted and count < len(members) for token, count in votes.items()):
        reasons.append(f"text differs: {disputed} {'token' if disputed == 1 else 'tokens'}")
    closeness = min((one.box.iou(other.box) for one, other in combinations(members, 2)), default=1.0)
    if closeness < CLOSE_IOU:
        reasons.append(f"boxes differ (IoU {closeness:.2f})")
    return tuple(reasons)


def figure_differences(annotations: Sequence[Annotation]) -> tuple[str, ...]:
    """What is to be said of the figure as a whole: who is missing, who rejected it or passed it over."""
    if not annotations:
        return ("no annotator has done this figure",)
    reasons = ["only one annotator has done this figure"] if len(annotations) == 1 else []
    statuses = Counter(annotation.status for annotation in annotations)
    for status, word in ((Status.REJECTED, "rejected the figure"), (Status.IGNORED, "passed the figure over")):
        if statuses[status]:
            reasons.append(f"{_of(statuses[status], len(annotations))} {word}")
    return tuple(reasons)


def nothing_differs(annotations: Sequence[Annotation]) -> bool:
    """Whether all accepted the figure and drew the same, as far as `candidate_differences` tells."""
    if any(annotation.status is not Status.ACCEPTED for annotation in annotations):
        return False
    return not any(candidate_differences(candidate, annotations) for candidate in merge_candidates(annotations))


def common_work(annotations: Sequence[Annotation]) -> tuple[Status, tuple[Subfigure, ...]] | None:
    """What several annotators of one figure did alike, to the last punctuation mark; None where they did not.

    They must agree on status and items, nothing may differ by the rule of the adjudication screen, and token sets
    must be equal; the median box is taken. Nothing is alike where anyone passed the figure over.
    """
    if len({each.status for each in annotations}) != 1 or len({each.items for each in annotations}) != 1:
        return None
    status = annotations[0].status
    if status is Status.IGNORED:
        return None
    subfigures = () if status is Status.REJECTED else common_subfigures(annotations)
    return None if subfigures is None else (status, subfigures)


def common_subfigures(annotations: Sequence[Annotation]) -> tuple[Subfigure, ...] | None:
    """What all drew, each subfigure under the label and with the tokens that each of them gave; else None."""
    by_name = {each.annotator: each for each in annotations}
    subfigures = []
    for candidate in merge_candidates(annotations, quorum=len(annotations)):
        if candidate_differences(candidate, annotations):
            return None
        members = [by_name[name].subfigures[place] for name, place in candidate.members.items()]
        if {(each.label, each.subcaption) for each in members} != {(candidate.label, candidate.subcaption)}:
            return None
        subfigures.append(Subfigure(candidate.label, candidate.box, candidate.subcaption))
    return tuple(subfigures)


def _of(some: int, total: int) -> str:
    return f"{'one' if some == 1 else some} of {total} annotator{'' if total == 1 else 's'}"
