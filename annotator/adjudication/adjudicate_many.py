"""Adjudicating many figures at once: those on which all annotators did the same, to the last token.

A preview shows each figure's decision first; figures that changed since the preview are left open and reported.
Each gets a decision of its own; undoing the bulk reopens those without a later decision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from annotator.adjudication.standing import TOGETHER, awaiting, reopened
from annotator.adjudication.subfigures import clipped
from annotator.consensus.differences import common_work, needs_reviewer, newest_of_each, unchanged_by_all
from annotator.consensus.items import Reading, agreed_items, common_status, readings_of
from annotator.queue.filter import QueueFilter
from annotator.queue.presence import clear_presence
from annotator.queue.ranking import items_alike
from annotator.store.rows.records import Bulk
from annotator.store.store import Store, Transaction
from panelwise.domain import (
    Annotation,
    Campaign,
    Decision,
    Figure,
    InvalidAnnotation,
    Items,
    NoArea,
    Reopening,
    Status,
    StoreError,
    Subfigure,
)
from panelwise.formats import items_record

#: Figures that are shown, and adjudicated, at once.
MOST = 200
#: Figures that are counted; beyond that there are just more.
MOST_COUNTED = 1000
#: Figures adjudicated in one transaction: others can save in between.
BATCH = 50
#: What decisions of a bulk are noted with.
NOTE = TOGETHER
#: What is said of a prediction that all annotators submitted as it was, unseen in part.
UNCHANGED = "unchanged by all, and not looked at in full"
#: What a bulk that was taken back leaves in a figure's history.
UNDONE = "adjudicating it together with others was undone"


class UnknownBulk(StoreError):
    """There is no bulk of that number."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """A figure on which all agree, and what would be decided. mark: another wherever that is another decision."""

    figure: Figure
    status: Status
    subfigures: tuple[Subfigure, ...]
    names: tuple[str, ...]
    version: int
    mark: str
    items: Items
    annotations: tuple[Annotation, ...] = field(repr=False, default=())


@dataclass(frozen=True, slots=True)
class Preview:
    """A preview of adjudicating figures together. total: number of figures; at most MOST are listed.

    more: there are more than `total`. unticked: figure id -> why it is not to be ticked: it was reopened, or
    it is a prediction that nobody changed or looked at.
    """

    figures: tuple[Agreed, ...]
    total: int
    more: bool
    before: tuple[Bulk, ...]
    unticked: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(slots=True)
class Finished:
    """The result of adjudicating together. bulk: its number, None for no figure. left: figure id -> reason."""

    bulk: int | None = None
    adjudicated: int = 0
    left: dict[str, str] = field(default_factory=dict)


def preview(store: Store, campaign: Campaign, chosen: QueueFilter, reviewer: str) -> Preview:
    """The figures behind the filter that this reviewer may adjudicate together, as the store says it now."""
    with store.read() as tx:
        names = _free(tx, chosen, reviewer)
        shown = names[:MOST]
        found = agreed(tx, campaign, shown)
        figures = tuple(found[name] for name in shown if name in found)
        total = min(len(names), MOST_COUNTED) - len(shown) + len(figures)
        again = {
            name: reopened(entry) for name, entry in tx.decisions.reopened(shown).items() if entry.note != UNDONE
        }
        unseen = {each.figure.id: UNCHANGED for each in figures if unchanged_by_all(each.annotations)}
        # Earlier ones count figures that are hidden from the reviewer.
        before = tuple(tx.bulks.newest()) if chosen.hidden is None else ()
        return Preview(figures, total, len(names) > MOST_COUNTED, before, unseen | again)


def count(tx: Transaction, chosen: QueueFilter, reviewer: str) -> int:
    """Count the figures that `preview` would list; MOST_COUNTED + 1 for more than MOST_COUNTED."""
    return len(_free(tx, chosen, reviewer))


def _free(tx: Transaction, wanted: QueueFilter, reviewer: str) -> list[str]:
    return tx.queue.undisputed(reviewer, wanted.sought(reviewer), limit=MOST_COUNTED + 1)


def agreed(tx: Transaction, campaign: Campaign, figure_ids: Sequence[str]) -> dict[str, Agreed]:
    """Return the figures without a decision on which all annotators agree, by id."""
    found = {}
    last = tx.decisions.last_versions(figure_ids)
    for work in tx.work.on(figure_ids):
        every = work.annotations
        annotations = newest_of_each(every, campaign)
        readings = readings_of(every, campaign)
        names = tuple(each.annotator for each in annotations or readings)
        too_few = len(names) < campaign.least_unanimous
        if work.decision is not None or too_few or needs_reviewer(every, campaign):
            continue
        alike = _alike(annotations, readings)
        if alike is None:
            continue
        try:
            status, subfigures = (
                alike[0],
                tuple(replace(each, box=clipped(each.box.corners, work.figure)) for each in alike[1]),
            )
        except NoArea:
            # What the figure's screen would refuse to save is left for a reviewer to redraw there.
            continue
        version = last.get(work.figure.id, 0)
        items = agreed_items(every)
        if items.verdicts and work.figure.imported.by_id.keys() - {verdict.item for verdict in items.verdicts}:
            # Pairs that no annotator judged are left for a reviewer, on the figure's screen.
            continue
        mark = _mark(work.figure, version, status, subfigures, items)
        found[work.figure.id] = Agreed(work.figure, status, subfigures, names, version, mark, items, every)
    return found


def _alike(
    annotations: Sequence[Annotation], readings: Sequence[Reading]
) -> tuple[Status, tuple[Subfigure, ...]] | None:
    """Return the work on which several annotators agree (subfigures, items or both); None if they differ."""
    if readings and not items_alike(readings):
        return None
    status = common_status(readings)
    if annotations:
        alike = common_work(annotations)
        return alike if alike is None or not readings or alike[0] is status else None
    return None if status is None else (status, ())


def finish(
    store: Store, campaign: Campaign, reviewer: str, marks: Mapping[str, str], *, now: datetime | None = None
) -> Finished:
    """Adjudicate the figures named, each as it was shown. marks: figure id -> the mark that was shown with it.

    A figure that was decided on meanwhile, or on which something else would be decided now, is left as it is.
    Raises InvalidAnnotation for more than MOST figures.
    """
    if len(marks) > MOST:
        raise InvalidAnnotation(
            f"{len(marks)} figures are too many to adjudicate at once; adjudicate {MOST} at a time"
        )
    result = Finished()
    now = now or datetime.now(UTC)
    names = sorted(marks)
    for start in range(0, len(names), BATCH):
        some = {name: marks[name] for name in names[start : start + BATCH]}
        # Merged in a snapshot: only adding the decisions keeps other writers waiting.
        with store.read() as tx:
            states = tx.work.states(list(some))
            found = agreed(tx, campaign, list(some))
        with store.transaction() as tx:
            now_there = tx.work.states(list(some))
            versions = tx.decisions.last_versions(list(some))
            still = {
                name: each
                for name, each in found.items()
                if states.get(name) == now_there.get(name) and each.version == versions.get(name, 0)
            }
            _finish(tx, campaign, reviewer, some, still, result, now)
    return result


def _finish(
    tx: Transaction,
    campaign: Campaign,
    reviewer: str,
    marks: Mapping[str, str],
    found: Mapping[str, Agreed],
    result: Finished,
    now: datetime,
) -> None:
    """Add the decisions of one batch. found: the figures on which all agree, as the transaction sees them."""
    versions = {}
    for name, mark in marks.items():
        each = found.get(name)
        if each is None:
            result.left[name] = "it was decided on, or the annotators do not agree any more"
        elif each.mark != mark:
            result.left[name] = "something else would be decided now; look at it again"
        elif reviewer in each.names:
            result.left[name] = "it is your own work; another reviewer adjudicates it"
        else:
            decision = Decision(
                figure=each.figure,
                reviewer=reviewer,
                version=each.version + 1,
                status=each.status,
                subfigures=each.subfigures,
                based_on=each.names,
                decided_at=tx.work.time_after(name, now),
                items=each.items,
                note=NOTE,
            )
            tx.decisions.add(awaiting(campaign, decision, tx.decisions.history(name), each.annotations))
            clear_presence(tx, name, reviewer)
            versions[name] = decision.version
    if versions:
        if result.bulk is None:
            result.bulk = tx.bulks.add(reviewer, now)
        tx.bulks.extend(result.bulk, versions)
        result.adjudicated += len(versions)


def undo(store: Store, number: int, reviewer: str, *, now: datetime | None = None) -> tuple[int, int]:
    """Reopen the figures of a bulk; returns how many, and how many stay because of a later decision.

    The bulk counts as taken back once all are reopened: where it broke off before, it goes on with the others.
    Raises UnknownBulk, and InvalidAnnotation for nothing to take back.
    """
    now = now or datetime.now(UTC)
    reopened, kept, finished = 0, 0, False
    while not finished:
        with store.transaction() as tx:
            versions = tx.bulks.versions(number)
            names = sorted(name for name, (then, last) in versions.items() if then == last)
            if not reopened:
                _check_open(tx, number, names)
                kept = sum(
                    _decided_since(tx, name, then) for name, (then, last) in versions.items() if last > then
                )
            for name in names[:BATCH]:
                entry = tx.decisions.history(name)[-1]
                moment = tx.work.time_after(name, now)
                tx.decisions.add(Reopening(entry.figure, reviewer, entry.version + 1, moment, note=UNDONE))
            reopened += len(names[:BATCH])
            finished = len(names) <= BATCH
            if finished:
                tx.bulks.set_undone(number, now)
    return reopened, kept


def _check_open(tx: Transaction, number: int, names: Collection[str]) -> None:
    """names: of the figures that can still be reopened."""
    found = tx.bulks.get(number)
    if found is None:
        raise UnknownBulk(f"nothing was adjudicated together under the number {number}; look at the list")
    if found.undone_at is not None and not names:
        raise InvalidAnnotation("this was taken back before; look at the list")


def _decided_since(tx: Transaction, name: str, then: int) -> bool:
    """Return whether the figure has a decision after `then`, other than its undo."""
    following = next(entry for entry in tx.decisions.history(name) if entry.version > then)
    return not (isinstance(following, Reopening) and following.note == UNDONE)


def _mark(figure: Figure, version: int, status: Status, subfigures: Iterable[Subfigure], items: Items) -> str:
    drawn = [(each.label, each.box.as_list(), sorted(each.subcaption)) for each in subfigures]
    what = (figure.revision, version, status.value, drawn, items_record(items))
    return hashlib.sha256(repr(what).encode()).hexdigest()[:16]
