"""The order in which figures are settled: worst disagreement first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from agreement.metrics.consensus import figure_agreement
from annotator.domain.annotation import Annotation, Status
from annotator.domain.campaign import Campaign, TaskType
from annotator.services.differences import nothing_differs
from annotator.services.revisions import left_behind, told
from annotator.store.records import QueueEntry, Revisions

if TYPE_CHECKING:
    from annotator.domain.adjudication import Decision
    from annotator.store.store import Store, Transaction

#: Score of a figure that only one annotator did: nobody differs there, so it waits behind all that were compared.
ALONE = 1.0
#: Figures scored in one transaction: others can write in between.
_BATCH = 100
#: Characters of a caption that a row of the queue carries at most.
EXCERPT = 200


class Show(StrEnum):
    """Which figures of the queue are listed."""

    OPEN = "open"
    SETTLED = "settled"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many figures of the queue are decided."""

    decided: int
    total: int


@dataclass(frozen=True, slots=True)
class PairPlace:
    """A figure in the score of one pair of annotators. score: in [0, 1], None where nothing counts.

    counted: gold subfigures that count. passed: why the figure is no part of the score, "" where it is.
    """

    score: float | None
    counted: int
    passed: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A figure in the queue. agreement: in [0, 1], None if undefined. decided: None, reviewer: "" while open.

    changed: an annotation is newer than the decision. revision: the figure's. left_behind: what there is to say of
    work on another caption or image, "" where there is none. pair: where the queue is that of one pair.
    """

    figure_id: str
    caption: str
    agreement: float | None
    annotators: int
    decided: Status | None
    reviewer: str
    changed: bool
    revision: int = 1
    left_behind: str = ""
    pair: PairPlace | None = None


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One page of the queue. page: from 1 to pages. worst: the figure to settle next, None if none is open."""

    show: Show
    rows: tuple[QueueRow, ...]
    page: int
    pages: int
    progress: Progress
    worst: str | None

    def count(self, show: Show) -> int:
        """How many figures a filter lists."""
        everything = {
            Show.OPEN: self.progress.total - self.progress.decided,
            Show.SETTLED: self.progress.decided,
            Show.ALL: self.progress.total,
        }
        return everything[show]


def queue_page(
    store: Store, campaign: Campaign, *, show: Show = Show.OPEN, page: int = 1, per_page: int = 50
) -> QueuePage:
    """A page of the queue, the nearest there is where `page` is beyond the last."""
    wanted = {Show.OPEN: False, Show.SETTLED: True, Show.ALL: None}
    with store.read() as tx:
        counts = tx.queue_counts()
        listed = {Show.OPEN: counts.total - counts.decided, Show.SETTLED: counts.decided, Show.ALL: counts.total}
        pages = max(1, -(-listed[show] // per_page))
        page = min(max(page, 1), pages)
        entries = tx.queue(reviewer_done=wanted[show], limit=per_page, offset=(page - 1) * per_page)
        rows = tuple(row_of(tx, campaign, entry) for entry in entries)
        return QueuePage(show, rows, page, pages, Progress(counts.decided, counts.total), tx.next_in_queue())


def rows_of(store: Store, campaign: Campaign, figure_ids: Sequence[str]) -> list[QueueRow]:
    """The rows of some figures, in the order given. Raises StoreError for one that the store does not have."""
    with store.read() as tx:
        entries = tx.queue_entries(figure_ids)
        return [row_of(tx, campaign, entries.get(name) or outside(name)) for name in figure_ids]


def outside(figure_id: str) -> QueueEntry:
    """The entry of a figure that has not come into the queue."""
    return QueueEntry(figure_id, None, 0, None, 0, "")


def row_of(tx: Transaction, campaign: Campaign, entry: QueueEntry, *, pair: PairPlace | None = None) -> QueueRow:
    """The row of an entry: what the store knows of its figure."""
    figure = tx.figure(entry.figure_id)
    return QueueRow(
        figure_id=figure.id,
        caption=" ".join(figure.caption.text.split())[:EXCERPT],
        agreement=entry.agreement if entry.annotators > 1 else None,
        annotators=entry.annotators,
        decided=entry.decided,
        reviewer=entry.reviewer,
        changed=entry.decided is not None
        and changed_since(tx.decision(figure.id), annotations_to_settle(tx, campaign, figure.id)),
        revision=figure.revision,
        left_behind=told(left_behind(tx, figure.id), figure),
        pair=pair,
    )


def after_decision(store: Store, figure_id: str) -> tuple[str | None, Progress]:
    """The figure to settle next (the worst undecided one, None if all are decided), and how far the queue is."""
    with store.read() as tx:
        counts = tx.queue_counts()
        return tx.next_in_queue(after=figure_id), Progress(counts.decided, counts.total)


def annotations_to_settle(tx: Transaction, campaign: Campaign, figure_id: str) -> tuple[Annotation, ...]:
    """Each annotator's newest annotation of the present figure in a phase that asks for subfigures, by name."""
    return newest_of_each(tx.annotations(figure=figure_id), campaign)


def newest_of_each(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[Annotation, ...]:
    """Of one figure's current annotations, each annotator's newest in a phase that asks for subfigures, by name.

    Of two saved at one moment, that of the phase later in order of names: as the metrics have it.
    """
    newest: dict[str, Annotation] = {}
    for annotation in sorted(annotations, key=lambda each: (each.saved_at, each.phase)):
        if campaign.phase(annotation.phase).task_type is TaskType.SUBFIGURES:
            newest[annotation.annotator] = annotation
    return tuple(newest[name] for name in sorted(newest))


def changed_since(decision: Decision | None, annotations: Iterable[Annotation]) -> bool:
    """Whether one of the annotations was saved after the decision, so that the reviewer has not seen it."""
    return decision is not None and any(each.saved_at > decision.decided_at for each in annotations)


def queue_agreement(annotations: Sequence[Annotation]) -> float | None:
    """How far the annotators of one figure agree, in [0, 1]: what the queue goes by.

    1 where the metric has nothing to count (no text anywhere) but nothing differs either; None for fewer than two
    annotators, and where they differ in what the metric does not count.
    """
    agreement = figure_agreement(annotations)
    if agreement is None and len(annotations) > 1 and nothing_differs(annotations):
        return 1.0
    return agreement


def score_disagreement(store: Store, campaign: Campaign, figure_ids: Iterable[str] | None = None) -> int:
    """Put figures into the queue, or bring their places up to date: those named, or all that were annotated.

    To be called after annotations were imported or pulled, or figures replaced. Figures that nobody annotated stay
    out of the queue; one whose annotations are all on another revision waits where nothing differs. Returns how
    many were scored.
    """
    if figure_ids is None:
        with store.read() as tx:
            figure_ids = {annotation.figure.id for annotation in tx.annotations(revisions=Revisions.ALL)}
    wanted = sorted(set(figure_ids))
    scored = 0
    for start in range(0, len(wanted), _BATCH):
        with store.transaction() as tx:
            scored += score_in(tx, campaign, wanted[start : start + _BATCH])
    return scored


def score_in(tx: Transaction, campaign: Campaign, figure_ids: Iterable[str]) -> int:
    """See `score_disagreement`: of the figures named, in an open transaction."""
    scored = 0
    for figure_id in figure_ids:
        annotations = annotations_to_settle(tx, campaign, figure_id)
        if annotations or newest_of_each(left_behind(tx, figure_id), campaign):
            agreement = ALONE if len(annotations) < 2 else queue_agreement(annotations)
            tx.put_disagreement(figure_id, agreement=agreement, annotators=len(annotations))
            scored += 1
    return scored
