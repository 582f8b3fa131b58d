"""Pages of the queue: the figures to adjudicate that a filter selects, worst disagreement first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from annotator.campaign.home import Home
from annotator.campaign.visibility import hidden_from
from annotator.consensus.differences import newest_of_each, unchanged_by_all
from annotator.consensus.gold_rule import annotated_since_decision, figures_to_correct
from annotator.consensus.outdated import describe_outdated, left_behind
from annotator.queue.filter import EVERYTHING, QueueFilter
from annotator.store.rows.records import Facet, Hidden, QueueCounts, QueueEntry
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    Annotation,
    Campaign,
    Decision,
    FigureState,
    Reopening,
    Status,
    StoreError,
    describe_states,
)

#: Pages that are counted off where no figure says where a page begins.
MOST_COUNTED_OFF = 200
#: Characters of a caption that a row of the queue carries at most.
EXCERPT = 200


class Show(StrEnum):
    """The figures to list: open, decided or all."""

    OPEN = "open"
    ADJUDICATED = "settled"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Progress:
    """The number of decided figures of the queue."""

    decided: int
    total: int


@dataclass(frozen=True, slots=True)
class PairPlace:
    """A figure in the score of one pair of annotators. score: in [0, 1], None if nothing counts.

    counted: gold subfigures that count. passed: why the figure is no part of the score, "" where it is.
    """

    score: float | None
    counted: int
    passed: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A figure in the queue. agreement: in [0, 1], None if undefined. decided: None, reviewer: "" while open.

    changed: an annotation is newer than the decision. revision: the figure's. left_behind: what there is to say of
    work on another caption or image, "" where there is none. pair: where the queue is that of one pair. loss: what
    most of the disagreement is, None for none. waits: a second reviewer is requested. sent_back: an annotator is
    to correct their work. skipped: the viewer skipped it. lookers: other reviewers who look at it
    now. reopened: by whom and why, "" where it was not, or is adjudicated again. state: what has become of it,
    None if it was not scored yet. model: the version of the model that pre-labelled it, "" for none.
    unchanged: no annotator changed the pre-labels, and some subfigure was looked at by none of them.
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
    loss: str | None = None
    waits: bool = False
    sent_back: bool = False
    skipped: bool = False
    lookers: tuple[str, ...] = ()
    reopened: str = ""
    state: FigureState | None = None
    model: str = ""
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One page of the queue. page: from 1 on. worst: the figure to adjudicate next, None if none is open.

    pages: how many there are, None if nobody counted. progress: of the whole queue, or slice. listed: of what
    is filtered, None if nobody counted. previous, following: what the addresses of those pages say, None if
    there are none. skipped: how many figures the viewer skipped. states: how many
    figures of the campaign are in each state, without those hidden from the viewer; none in a pair's queue.
    answered: see `answered_figures`.
    """

    show: Show
    rows: tuple[QueueRow, ...]
    page: int
    pages: int | None
    progress: Progress
    worst: str | None
    listed: Progress | None = None
    previous: Mapping[str, object] | None = field(default=None, hash=False)
    following: Mapping[str, object] | None = field(default=None, hash=False)
    skipped: int = 0
    states: Mapping[FigureState, int] = field(default_factory=dict, hash=False)
    answered: int = 0

    @property
    def figures(self) -> int:
        """Return the number of figures in a state."""
        return sum(self.states.values())

    @property
    def status(self) -> str:
        """Describe the number of figures in each state, in one line."""
        return describe_states(self.states, answered=self.answered, phrases=True)

    def count(self, show: Show) -> int | None:
        """Return the number of figures that a tab lists; None if it was not counted."""
        return None if self.listed is None else listed_by(show, self.listed)


def listed_by(show: Show, progress: Progress) -> int:
    """Return the number of figures that a tab lists."""
    return {
        Show.OPEN: progress.total - progress.decided,
        Show.ADJUDICATED: progress.decided,
        Show.ALL: progress.total,
    }[show]


_DONE = {Show.OPEN: False, Show.ADJUDICATED: True, Show.ALL: None}


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a page in the queue.

    after, before: the page begins behind that figure or ends before it, and `page` is but its number. Without,
    pages are counted off.
    """

    page: int = 1
    per_page: int = 50
    after: str | None = None
    before: str | None = None


def queue_page(
    store: Store,
    campaign: Campaign,
    *,
    show: Show = Show.OPEN,
    place: Place = Place(),
    chosen: QueueFilter = EVERYTHING,
    reviewer: str = "",
    now: datetime | None = None,
) -> QueuePage:
    """Read a page of the queue, the nearest there is if the place is beyond the last page.

    reviewer: whose skipped figures are counted, and whose own presence is not shown.
    """
    page, per_page, after, before = place.page, place.per_page, place.after, place.before
    now = now or datetime.now(UTC)
    sought = chosen.sought(reviewer)
    with store.read() as tx:
        seen = _seen(tx, chosen.hidden)
        counts = seen(Facet.ALL, "")
        own = _counted(chosen, seen)
        pages = None if own is None else max(1, -(-listed_by(show, own) // per_page))
        page = max(page, 1) if pages is None else min(max(page, 1), pages)
        page = page if after or before else min(page, MOST_COUNTED_OFF)
        offset = 0 if after or before else (page - 1) * per_page
        listed = tx.queue.page(
            sought, reviewer_done=_DONE[show], limit=per_page + 1, offset=offset, after=after, before=before
        )
        back = before is not None
        page = max(page, 2) if after or back else page
        if len(listed) <= per_page and (back or not listed):
            # The way back has come to the front, or what was behind has gone: a whole first page.
            page, back = 1, False
            listed = tx.queue.page(sought, reviewer_done=_DONE[show], limit=per_page + 1)
        more = len(listed) > per_page
        entries = listed[-per_page:] if back else listed[:per_page]
        return QueuePage(
            show,
            rows_in(tx, campaign, entries, reviewer=reviewer, now=now, models=chosen.hidden is None),
            page,
            pages,
            Progress(counts.decided, counts.total),
            tx.queue.next(sought=sought, reviewer=reviewer, now=now),
            own,
            _before(page, entries) if page > 1 and entries else None,
            {"page": page + 1, "after": entries[-1].figure_id} if entries and (back or more) else None,
            len(tx.presence.skipped(reviewer)) if reviewer else 0,
            stored_states(tx, chosen.hidden),
            answered_figures(tx, campaign),
        )


def stored_states(tx: Transaction, hidden: Hidden | None = None) -> dict[FigureState, int]:
    """Return the number of the campaign's figures in each state, as of the last change of work or tasks.

    hidden: figures that are not counted; then figures outside the queue are not either.
    """
    counts = tx.queue.facet_counts(hidden)
    none = QueueCounts(0, 0)
    states = {state: counts.get((Facet.STATE, state.value), none).total for state in FigureState}
    if hidden is None:
        states[FigureState.UNTOUCHED] += tx.figures.count() - counts.get((Facet.ALL, ""), none).total
    return states


def answered_figures(tx: Transaction, campaign: Campaign) -> int:
    """Return the number of figures whose questions people answered, in a campaign of human evaluation alone."""
    if any(not phase.kind.answered for phase in campaign.phases):
        return 0
    return len(set().union(*(tx.annotations.figures(phase=phase.name) for phase in campaign.phases)))


def _before(page: int, entries: Sequence[QueueEntry]) -> dict[str, object]:
    return {"page": page - 1, "before": entries[0].figure_id} if page > 2 else {}


def _seen(tx: Transaction, hidden: Hidden | None) -> Callable[[Facet, str], QueueCounts]:
    """Count the queue's figures with a facet, without the hidden ones."""
    if hidden is None:
        return tx.queue.counts
    counts = tx.queue.facet_counts(hidden)
    return lambda facet, value: counts.get((facet, value), QueueCounts(0, 0))


def _counted(chosen: QueueFilter, seen: Callable[[Facet, str], QueueCounts]) -> Progress | None:
    """Count the filtered figures if the filter is a single condition; for several, all would have to be read."""
    if chosen.conditions > 1 or (chosen.conditions == 1 and not chosen.facets):
        return None
    own = seen(*(chosen.facets[0] if chosen.facets else (Facet.ALL, "")))
    return Progress(own.decided, own.total)


def rows_of(store: Store, campaign: Campaign, figure_ids: Sequence[str]) -> list[QueueRow]:
    """The rows of some figures, in the order given. Raises StoreError for one that the store does not have."""
    with store.read() as tx:
        entries = tx.queue.entries(figure_ids)
        return list(rows_in(tx, campaign, [entries.get(name) or outside(name) for name in figure_ids]))


def outside(figure_id: str) -> QueueEntry:
    """The entry of a figure that has not come into the queue."""
    return QueueEntry(figure_id, None, 0, None, 0, "")


def rows_in(
    tx: Transaction,
    campaign: Campaign,
    entries: Sequence[QueueEntry],
    *,
    pairs: Mapping[str, PairPlace] | None = None,
    reviewer: str = "",
    now: datetime | None = None,
    models: bool = True,
) -> tuple[QueueRow, ...]:
    """The rows of entries: what the store knows of their figures, in a few queries for all.

    models: False for people who annotate figures blind: they see no model's name. Raises StoreError for a figure
    that the store does not have.
    """
    names = [entry.figure_id for entry in entries]
    works = {work.figure.id: work for work in tx.work.on(names)}
    behind = tx.work.worked_on_before(names)
    states, versions = tx.queue.states(names), tx.predictions.models(names) if models else {}
    again = tx.decisions.reopened([entry.figure_id for entry in entries if entry.decided is None])
    skipped = tx.presence.skipped(reviewer) if reviewer else {}
    lookers: dict[str, list[str]] = {}
    for lease in tx.presence.leases(names, now=now) if now is not None else ():
        if lease.reviewer != reviewer:
            lookers.setdefault(lease.figure_id, []).append(lease.reviewer)
    sent_back, hidden = figures_to_correct(tx, campaign, names), tx.tasks.hidden(names)
    rows = []
    for entry in entries:
        work = works.get(entry.figure_id)
        if work is None:
            raise StoreError(f'figure "{entry.figure_id}" is not in the store; import it first')
        figure = work.figure
        rows.append(
            QueueRow(
                figure_id=figure.id,
                caption=" ".join(figure.caption.text.split())[:EXCERPT],
                agreement=entry.agreement if entry.annotators > 1 else None,
                annotators=entry.annotators,
                decided=entry.decided,
                reviewer=entry.reviewer,
                changed=annotated_since_decision(work, campaign, hidden),
                revision=figure.revision,
                left_behind=describe_outdated(left_behind(tx, figure.id), figure) if figure.id in behind else "",
                pair=None if pairs is None else pairs.get(figure.id),
                loss=entry.loss,
                waits=entry.needs_second,
                sent_back=figure.id in sent_back,
                skipped=figure.id in skipped,
                lookers=tuple(lookers.get(figure.id, ())),
                reopened=_reopened(again.get(figure.id)),
                state=states.get(figure.id),
                model=versions.get(figure.id, ""),
                unchanged=unchanged_by_all(newest_of_each(work.annotations, campaign)),
            )
        )
    return tuple(rows)


def _reopened(entry: Reopening | None) -> str:
    if entry is None:
        return ""
    return f"by {entry.reviewer}" + (f": {entry.note}" if entry.note else "")


def progress_in(tx: Transaction, home: Home, reviewer: str) -> Progress:
    """Return the progress of the queue, without figures that the reviewer annotates blind."""
    counts = _seen(tx, hidden_from(tx, home, reviewer))(Facet.ALL, "")
    return Progress(counts.decided, counts.total)


def next_figure(tx: Transaction, figure_id: str, reviewer: str, chosen: QueueFilter = EVERYTHING) -> str | None:
    """The figure to adjudicate after this one: the worst undecided one, None if all are decided.

    reviewer: who adjudicates; chosen: what they filter the queue by, which the next figure meets too.
    """
    return tx.queue.next(figure_id, sought=chosen.sought(reviewer), reviewer=reviewer, now=datetime.now(UTC))


def changed_since(decision: Decision | None, annotations: Iterable[Annotation]) -> bool:
    """Return whether one of the annotations was saved after the decision, so that the reviewer has not seen it."""
    return decision is not None and any(work.saved_at > decision.decided_at for work in annotations)
