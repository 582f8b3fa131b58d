"""Similarities and differences of one figure's annotations, described without names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from agreement.consensus import Candidate, merge_candidates
from annotator.consensus.items import only_items, readings_of
from panelwise.domain import CLOSE_IOU, Annotation, Campaign, Prediction, Status, Subfigure


def newest_of_each(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Annotation, ...]:
    """Return each annotator's newest annotation of subfigures among a figure's current annotations, by name.

    Excludes work that only measures the gold, work on items only in an unlisted phase, and work with more boxes
    than the campaign allows. Of two saved at the same time, the one of the later phase by name counts, as in the
    metrics.
    """
    newest: dict[str, Annotation] = {}
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        phase = campaign.phase(annotation.phase)
        asked = phase.kind.drawn and not phase.measures_gold
        if asked and not has_too_many_boxes(annotation, campaign) and not only_items(annotation, campaign):
            newest[annotation.annotator] = annotation
    return tuple(newest[name] for name in sorted(newest))


def needs_reviewer(annotations: Sequence[Annotation], campaign: Campaign) -> bool:
    """Return whether a figure needs a decision even if its annotators agree.

    annotations: its current ones. One has too many boxes to count, or was read in part: two that lost the same
    box would agree without it.
    """
    too_many = any(has_too_many_boxes(annotation, campaign) for annotation in annotations)
    return too_many or bool(partly_read(annotations, campaign))


def partly_read(annotations: Sequence[Annotation], campaign: Campaign) -> list[Annotation]:
    """Return those of a figure's current annotations that count, but were read in part.

    Of an annotation that rejected or left out the figure, nothing that counts was lost.
    """
    if not any(annotation.partly_read for annotation in annotations):
        return []
    judged = [annotation for each in readings_of(annotations, campaign) for annotation in each.annotations]
    counted = dict.fromkeys([*newest_of_each(annotations, campaign), *judged])
    return [each for each in counted if each.partly_read and each.status is Status.ACCEPTED]


def has_too_many_boxes(work: Annotation | Prediction, campaign: Campaign) -> bool:
    """Return whether an annotation exceeds the present limit of boxes; an earlier limit may have been higher."""
    return len(work.subfigures) > campaign.max_boxes


def candidate_differences(candidate: Candidate, done: Sequence[Annotation]) -> tuple[str, ...]:
    """Describe how annotators who accepted the figure (`done`) differ at a merged subfigure; empty if they agree.

    Text differs if a scored token has some but not all of the supporters' votes.
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
    """Describe the figure as a whole: too few annotators, some who rejected or left it out, work read in part."""
    if not annotations:
        return ("no annotator has annotated this figure",)
    reasons = ["only one annotator has annotated this figure"] if len(annotations) == 1 else []
    statuses = Counter(annotation.status for annotation in annotations)
    for status in (Status.REJECTED, Status.IGNORED):
        if statuses[status]:
            reasons.append(f"{_of(statuses[status], len(annotations))} {status.work_word} the figure")
    if partial := sum(annotation.partly_read for annotation in annotations):
        reasons.append(
            f"work of {_of(partial, len(annotations))} could be read only in part; compare it with the source"
        )
    return tuple(reasons)


def unchanged_by_all(annotations: Sequence[Annotation]) -> bool:
    """Return whether no annotator changed the prediction, and some subfigure was looked at by none of them."""
    if not annotations or not all(each.unchanged and each.viewed is not None for each in annotations):
        return False
    viewed = {name for each in annotations for name in each.viewed or ()}
    return any(part.label not in viewed for each in annotations for part in each.subfigures)


def nothing_differs(annotations: Sequence[Annotation]) -> bool:
    """Return whether all accepted the figure, their work came whole, and there are no `candidate_differences`."""
    if any(each.status is not Status.ACCEPTED or each.partly_read for each in annotations):
        return False
    return not any(candidate_differences(candidate, annotations) for candidate in merge_candidates(annotations))


def common_work(annotations: Sequence[Annotation]) -> tuple[Status, tuple[Subfigure, ...]] | None:
    """Return the unanimous annotation of several annotators; None if they differ, even in a punctuation mark.

    They must agree on status, items and token sets, without differences by the rule of the adjudication screen;
    the median box is used. A figure that any annotator ignored is never unanimous.
    """
    if len({each.status for each in annotations}) != 1 or len({each.items for each in annotations}) != 1:
        return None
    status = annotations[0].status
    if status is Status.IGNORED:
        return None
    subfigures = () if status is Status.REJECTED else common_subfigures(annotations)
    return None if subfigures is None else (status, subfigures)


def common_subfigures(annotations: Sequence[Annotation]) -> tuple[Subfigure, ...] | None:
    """Return the subfigures if all annotators drew them with equal labels and tokens, else None."""
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
