"""Gold and annotations out of a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agreement.metrics.consensus import merge_candidates
from annotator.domain.adjudication import Gold, GoldSource, Provenance
from annotator.domain.annotation import Annotation, Status, Subfigure, repeated_labels

if TYPE_CHECKING:
    from annotator.domain.adjudication import Decision
    from annotator.store.store import Store

#: Annotators are of one mind on a box from this IoU on: the metric's own threshold.
MIN_IOU = 0.5


@dataclass(slots=True)
class GoldTally:
    """What was exported, by source, and which figures were left out for want of a decision or as unfit."""

    exported: dict[GoldSource, int] = field(default_factory=lambda: dict.fromkeys(GoldSource, 0))
    unresolved: list[str] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    untouched: int = 0


def gold(store: Store, tally: GoldTally) -> Iterator[Gold]:
    """The gold of every figure that has it, by figure id; what has none is entered in `tally`.

    A reviewer's decision holds; without one, annotators who all agree do ("unanimous"), or the only annotator
    there is ("single"). Everything else is unresolved.
    """
    with store.read() as tx:
        for figure in tx.figures():
            decision = tx.decision(figure.id)
            record = (
                from_decision(decision)
                if decision is not None
                else from_annotations(list(tx.annotations(figure=figure.id)))
            )
            if record is not None and record.status is Status.ACCEPTED:
                tally.exported[record.provenance.source] += 1
                yield record
            elif record is not None and record.status is Status.REJECTED:
                tally.rejected.append(figure.id)
            elif decision is None and not any(True for _ in tx.annotations(figure=figure.id)):
                tally.untouched += 1
            else:
                tally.unresolved.append(figure.id)


def from_decision(decision: Decision) -> Gold:
    """A decision as gold; one put off ("ignored") keeps that status."""
    return Gold(
        figure=decision.figure,
        status=decision.status,
        subfigures=decision.subfigures,
        provenance=Provenance(
            GoldSource.ADJUDICATED, decision.reviewer, decision.based_on, decision.decided_at, decision.note
        ),
        items=decision.items,
    )


def from_annotations(annotations: Sequence[Annotation]) -> Gold | None:
    """The gold that the annotations of one figure make without a reviewer; None where they do not.

    One annotator: their work. Several: they must agree on status, labels and token sets, and the boxes of
    each label must overlap at IoU >= 0.5; the median box is taken.
    """
    annotations = [each for each in latest_of_each(annotations) if each.status is not Status.IGNORED]
    if not annotations or len({each.status for each in annotations}) > 1:
        return None
    first = annotations[0]
    if first.status is Status.REJECTED:
        subfigures: tuple[Subfigure, ...] | None = ()
    elif len(annotations) == 1:
        subfigures = None if repeated_labels(first.subfigures) else first.subfigures
    else:
        subfigures = _common_subfigures(annotations)
    if subfigures is None or len({each.items for each in annotations}) > 1:
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


def latest_of_each(annotations: Iterable[Annotation]) -> list[Annotation]:
    """One annotation an annotator, the last saved: a later phase's work supersedes an earlier one's."""
    latest: dict[str, Annotation] = {}
    for each in sorted(annotations, key=lambda annotation: annotation.saved_at):
        latest[each.annotator] = each
    return [latest[name] for name in sorted(latest)]


def _common_subfigures(annotations: Sequence[Annotation]) -> tuple[Subfigure, ...] | None:
    def content(subfigures: Iterable[Subfigure]) -> list[tuple[str, list[int]]]:
        return sorted((each.label, sorted(each.subcaption)) for each in subfigures)

    wanted = content(annotations[0].subfigures)
    if repeated_labels(annotations[0].subfigures):
        return None
    if any(content(each.subfigures) != wanted for each in annotations[1:]):
        return None
    merged = merge_candidates(annotations, quorum=len(annotations), min_iou=MIN_IOU)
    if any(len(candidate.supporters) < len(annotations) for candidate in merged):
        return None
    subfigures = tuple(Subfigure(each.label, each.box, each.subcaption) for each in merged)
    return subfigures if content(subfigures) == wanted else None
