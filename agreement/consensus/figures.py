"""The consensus of one figure's annotators: its status, and the subfigures with enough votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agreement.consensus.candidates import Candidate, merge_candidates
from agreement.pairs.pairwise import one_figure
from agreement.primitives.iou import as_boxes, box_iou
from agreement.score.subfigure_f1 import MIN_IOU
from panelwise.domain import Annotation, Figure, Status


class NoConsensus(StrEnum):
    """The reason why a figure's annotators have no consensus."""

    PASSED_OVER = "ignored by all"
    DIFFERS = "as many saw one caption, tokens or image size as another"
    TIED = "as many accepted it as rejected it"
    TOO_FEW = "fewer than the quorum agree on its status"


@dataclass(frozen=True, slots=True)
class FigureConsensus:
    """The consensus on one figure.

    figure: in the version (caption, tokens, image size) that most judges saw. status: the majority's; ACCEPTED on
    a tie, IGNORED if no annotator judged it. reason: why there is no consensus, None if there is one. annotations:
    of the judges of that version, by name. others: name -> status of all others: who ignored it, and who judged
    another version (`differing`). candidates: merged subfigures of those who accepted it, including those below
    the quorum; none if most rejected it.
    """

    figure: Figure
    status: Status
    reason: NoConsensus | None
    annotations: tuple[Annotation, ...]
    others: Mapping[str, Status] = field(hash=False)
    differing: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    quorum: int

    @property
    def accepted(self) -> tuple[Annotation, ...]:
        """Annotations that can support a subfigure."""
        return tuple(each for each in self.annotations if each.status is Status.ACCEPTED)

    @property
    def agreed(self) -> tuple[Candidate, ...]:
        """Candidates drawn by at least `quorum` annotators; none without consensus."""
        return tuple(each for each in self.candidates if self.reached(each))

    def reached(self, candidate: Candidate) -> bool:
        """Return True if the candidate has the quorum, in a figure with a consensus."""
        return self.reason is None and len(candidate.supporters) >= self.quorum

    def support(self, candidate: Candidate) -> float:
        """Return the share of accepting annotators who drew the candidate, in (0, 1]."""
        return len(candidate.supporters) / len(self.accepted)

    def closeness(self, candidate: Candidate) -> float:
        """Return the least IoU of a supporter's box with the merged one; 1 if all are equal."""
        boxes = [
            each.subfigures[candidate.members[each.annotator]].box.as_list()
            for each in self.accepted
            if each.annotator in candidate.members
        ]
        return float(box_iou(as_boxes(boxes), as_boxes([candidate.box.as_list()])).min())

    def labels(self, candidate: Candidate) -> dict[str, tuple[str, ...]]:
        """Map each label to the annotators who used it for the candidate, most frequent first, then by label."""
        given: dict[str, list[str]] = {}
        for each in self.accepted:
            if each.annotator in candidate.members:
                label = each.subfigures[candidate.members[each.annotator]].label
                given.setdefault(label, []).append(each.annotator)
        ordered = sorted(given.items(), key=lambda item: (-len(item[1]), item[0]))
        return {label: tuple(names) for label, names in ordered}


def figure_consensus(
    annotations: Sequence[Annotation], *, quorum: int = 2, min_iou: float = MIN_IOU
) -> FigureConsensus:
    """Return the annotators' consensus on one figure; see `merge_candidates` for its subfigures.

    A status is a consensus where more gave it than the other one, and at least `quorum`; who ignored the figure
    did not judge it. Where captions, tokens or image sizes differ, boxes and token ids mean different things: the
    version that most judged counts, and where two are even none. Of several annotations by one person the one
    saved last is taken; their order does not matter. With a greater quorum nothing is added: not a figure, not a
    box, not a token of a box.

    >>> from agreement import annotations_from, figure_consensus
    >>> work = {name: {"fig1": [([0, 0, 100, 100], {4})]} for name in ("ann1", "ann2")}
    >>> found = figure_consensus(annotations_from(work | {"ann3": {"fig1": None}}))
    >>> found.status.value, [(each.label, found.support(each)) for each in found.agreed]
    ('accepted', [('A', 1.0)])
    >>> figure_consensus(annotations_from({"ann1": work["ann1"]})).reason.value
    'fewer than the quorum agree on its status'

    Raises ValueError for none, for those of different figures and for a quorum below 1.
    """
    people = one_figure(annotations)
    if not people:
        raise ValueError("no annotations; give those of one figure")
    judged = [each for each in people if each.status is not Status.IGNORED]
    same, even = _one_version(judged)
    counts = Counter(each.status for each in same)
    accepted, rejected = counts[Status.ACCEPTED], counts[Status.REJECTED]
    reason = None
    if not same:
        reason = NoConsensus.PASSED_OVER
    elif even:
        reason = NoConsensus.DIFFERS
    elif accepted == rejected:
        reason = NoConsensus.TIED
    elif max(accepted, rejected) < quorum:
        reason = NoConsensus.TOO_FEW
    candidates = merge_candidates(same, quorum=quorum, min_iou=min_iou)
    names = {each.annotator for each in same}
    return FigureConsensus(
        figure=(same or people)[0].figure,
        status=Status.IGNORED if not same else Status.ACCEPTED if accepted >= rejected else Status.REJECTED,
        reason=reason,
        annotations=tuple(same),
        others={each.annotator: each.status for each in people if each.annotator not in names},
        differing=tuple(each.annotator for each in judged if each.annotator not in names),
        candidates=candidates if accepted >= rejected else (),
        quorum=quorum,
    )


def _one_version(judged: Sequence[Annotation]) -> tuple[list[Annotation], bool]:
    """Return the annotations on the version of the figure that most saw, and whether another has as many.

    Of two with as many, the first by name is used.
    """
    versions: list[list[Annotation]] = []
    for each in judged:
        for version in versions:
            if _same(version[0].figure, each.figure):
                version.append(each)
                break
        else:
            versions.append([each])
    versions.sort(key=len, reverse=True)
    if not versions:
        return [], False
    return versions[0], len(versions) > 1 and len(versions[0]) == len(versions[1])


def _same(one: Figure, other: Figure) -> bool:
    return one is other or (
        (one.width, one.height) == (other.width, other.height) and one.caption == other.caption
    )
