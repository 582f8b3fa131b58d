"""Deadlines: when a batch is due, what is late, and which batch comes next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from annotator.store.rows.records import TaskGroup
from panelwise.domain import Campaign


@dataclass(frozen=True, slots=True)
class BatchState:
    """The progress of a phase's batch, over all annotators. deadline: its own, else the phase's; None for none.

    tasks = done + redo + open + later. open: may be worked on, and nothing submitted; late: those of them that are
    past the deadline. redo: done on a caption or image that was replaced since. later: not released yet.
    """

    phase: str
    number: int
    deadline: datetime | None
    tasks: int
    done: int
    open: int
    late: int
    redo: int
    later: int


@dataclass(frozen=True, slots=True)
class NextBatch:
    """The batch to be released next. tasks: that are not released. early: who has nothing left to do meanwhile.

    due: whether it is time: the batches before it are done, or the last of them is past its deadline.
    """

    phase: str
    number: int
    tasks: int
    early: tuple[str, ...]
    due: bool


def is_late(deadline: datetime | None, now: datetime) -> bool:
    """Return whether a deadline is past."""
    return deadline is not None and deadline < now


def batch_states(groups: Iterable[TaskGroup], campaign: Campaign, now: datetime) -> list[BatchState]:
    """The batches that have tasks, phases in the campaign's order, then those that it does not list."""
    totals: dict[tuple[str, int], Counter[str]] = {}
    for group in groups:
        total = totals.setdefault((group.phase, group.batch), Counter())
        later = _later(group)
        total.update(tasks=group.tasks, done=group.done, open=group.open, redo=group.redo, later=later)
    order = {phase.name: position for position, phase in enumerate(campaign.phases)}
    found = []
    for name, number in sorted(totals, key=lambda key: (order.get(key[0], len(order)), *key)):
        total, deadline = totals[name, number], campaign.phase(name).batch_deadline(number)
        late = total["open"] if is_late(deadline, now) else 0
        found.append(BatchState(name, number, deadline, late=late, **total))
    return found


def waiting(
    groups: Iterable[TaskGroup], campaign: Campaign, now: datetime
) -> defaultdict[tuple[str, str], Counter[str]]:
    """Of each phase and annotator with tasks how many are "open", "late" (of these), and "later": not released."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for group in groups:
        late = group.open if is_late(campaign.phase(group.phase).batch_deadline(group.batch), now) else 0
        found[group.phase, group.annotator].update(open=group.open, late=late, later=_later(group))
    return found


def _later(group: TaskGroup) -> int:
    """Count an annotator's open tasks that wait for the batch's release. Tasks done before it count as done."""
    return group.tasks - group.done - group.redo - group.open


def next_batches(
    groups: Iterable[TaskGroup],
    campaign: Campaign,
    now: datetime,
    *,
    away: Collection[str] = (),
    barred: Mapping[str, Collection[str]] | None = None,
) -> list[NextBatch]:
    """For each phase with tasks that wait for their release the batch that comes next, in the phases' order.

    away: people who are not reported as having finished early. barred: phase -> who has yet to pass its training
    phase; their tasks wait for that.
    """
    kept = [group for group in groups if group.annotator not in (barred or {}).get(group.phase, ())]
    states = batch_states(kept, campaign, now)
    found = []
    for name in dict.fromkeys(state.phase for state in states):
        waiting = [state for state in states if state.phase == name and state.later]
        if not waiting:
            continue
        number = waiting[0].number
        before = [state for state in states if state.phase == name and state.number < number]
        busy = {group.annotator for group in kept if group.phase == name and group.open}
        people = {group.annotator for group in kept if group.phase == name}
        due = all(not state.open for state in before) or is_late(before[-1].deadline, now)
        found.append(NextBatch(name, number, waiting[0].later, tuple(sorted(people - busy - {*away})), due))
    return found
