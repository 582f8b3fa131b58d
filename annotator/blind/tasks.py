"""Blind tasks of a reviewer: found by their keys, and what the reviewer did on their figures before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotator.blind.boxes import find_boxes
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Transaction
from panelwise.domain import Annotation, Campaign, Phase, StoreError, Task

#: Tasks that are looked through at once for the next one that can be written.
LOOK = 50


class UnknownBlindTask(StoreError):
    """The address is of no blind task of this reviewer."""


@dataclass(frozen=True, slots=True)
class Before:
    """A reviewer's earlier work on a figure. phases: where they annotated it. decided: they adjudicated it.

    handed_in: in this very phase, before its caption or image was replaced; others' work was open to them then.
    """

    phases: tuple[str, ...] = ()
    decided: bool = False
    handed_in: bool = False

    def describe(self) -> str:
        """In words for the reviewer, "" for nothing."""
        lines = []
        if self.phases:
            lines.append(f"You annotated this figure in phase {', '.join(self.phases)}.")
        if self.decided:
            lines.append("You adjudicated this figure before.")
        if self.handed_in:
            lines.append("You handed this figure in before its caption or image was replaced.")
        return " ".join([*lines, "The report shows your work here separately."]) if lines else ""


@dataclass(frozen=True, slots=True)
class Work:
    """A task of a reviewer beside their others of the phase. tasks: those that are out, in their order."""

    task: Task
    phase: Phase
    place: int
    tasks: tuple[Task, ...]
    written: frozenset[str]
    handed_in: frozenset[str]

    @classmethod
    def of(cls, tx: Transaction, home: Home, key: str, reviewer: str, *, also_handed_in: bool = False) -> Work:
        """Return the task of a key. also_handed_in: whether it may be handed in.

        Raises UnknownBlindTask.
        """
        keys = TaskKeys(home.secret())
        for phase in home.campaign.phases:
            if not phase.blind:
                continue
            tasks = tx.tasks.all(phase=phase.name, annotator=reviewer, released=True)
            place = keys.place_of(key, tasks)
            if place is None:
                continue
            task, done = tasks[place - 1], tx.blind.handed_in(phase.name, reviewer)
            if task.figure in done and not also_handed_in:
                raise UnknownBlindTask("you handed this figure in, and it stays as it is; look at your list")
            return cls(
                task, phase, place, tuple(tasks), frozenset(written_in(tx, phase.name, reviewer)), frozenset(done)
            )
        raise UnknownBlindTask("no figure of yours has this address; see your list")


def has_tasks(tx: Transaction, campaign: Campaign, reviewer: str) -> bool:
    """Return whether anything is assigned to the reviewer in a blind phase."""
    return any(tx.tasks.has(reviewer, phase.name) for phase in campaign.phases if phase.blind)


def written_in(tx: Transaction, phase: str, reviewer: str) -> set[str]:
    """The figures with work of the reviewer in the phase on their present caption and image."""
    return {each.figure.id for each in tx.annotations.all(phase=phase, annotator=reviewer)}


def saved_of(tx: Transaction, work: Work) -> list[Annotation]:
    """Return the reviewer's saves on the present figure, oldest first."""
    revision = tx.figures.get(work.task.figure).revision
    saved = tx.annotations.history(work.task.figure, work.task.annotator, work.phase.name)
    return [each for each in saved if each.figure.revision == revision]


def done_before(tx: Transaction, reviewer: str, phase: Phase) -> dict[str, Before]:
    """Figure id -> what the reviewer did there outside this phase, of those where they did anything."""
    worked = {
        figure: tuple(sorted(phases - {phase.name}))
        for figure, phases in tx.annotations.phases_of(reviewer).items()
    }
    decided, handed_in = tx.decisions.figures_of(reviewer), tx.blind.handed_in_before(phase.name, reviewer)
    names = {figure for figure, phases in worked.items() if phases} | decided | handed_in
    return {name: Before(worked.get(name, ()), name in decided, name in handed_in) for name in names}


def next_of(tx: Transaction, home: Home, work: Work) -> str | None:
    """The next task to write, going round from the present one; None if there is no other."""
    after = [*work.tasks[work.place :], *work.tasks[: work.place - 1]]
    return first_open(tx, home, work.phase, after, work.written | work.handed_in)


def first_open(
    tx: Transaction, home: Home, phase: Phase, tasks: Sequence[Task], finished: Collection[str]
) -> str | None:
    """The key of the first task that can be written and whose figure is not `finished`; None for none."""
    left = [task for task in tasks if task.figure not in finished]
    for start in range(0, len(left), LOOK):
        some = left[start : start + LOOK]
        given = find_boxes(tx, home.campaign, phase, [task.figure for task in some])
        for task in some:
            if isinstance(given[task.figure], BlindBoxes):
                return TaskKeys(home.secret()).of(task)
    return None
