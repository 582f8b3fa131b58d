"""What annotators of one figure differ in, in words that name nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from agreement.metrics.consensus import Candidate, merge_candidates
from annotator.domain.annotation import Annotation, Status

#: Boxes of one subfigure that overlap less than this (IoU) differ.
CLOSE_IOU = 0.75


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


def _of(some: int, total: int) -> str:
    return f"{'one' if some == 1 else some} of {total} annotator{'' if total == 1 else 's'}"
