"""An annotator's own tasks: found by their keys among those released to them, and how far each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.rows.records import SentBack
from annotator.store.store import Store, Transaction
from panelwise.domain import WORK_WORDS, Annotation, Campaign, Figure, Phase, Status, StoreError, Task

#: Tasks on a page of the list.
PER_PAGE = 50


class UnknownTask(StoreError):
    """The address is of no task of this annotator."""


class State(StrEnum):
    """The state of a task. SKIPPED: open, and after all others."""

    OPEN = "open"
    SKIPPED = "skipped"
    SENT_BACK = "sent back"
    DONE = WORK_WORDS[Status.ACCEPTED]
    REJECTED = WORK_WORDS[Status.REJECTED]
    LEFT_OUT = WORK_WORDS[Status.IGNORED]


#: States of tasks on which there is still work.
TO_DO = frozenset({State.OPEN, State.SKIPPED, State.SENT_BACK})


@dataclass(frozen=True, slots=True)
class OwnWork:
    """The tasks of an annotator in one phase that are released, in order, with what they submitted.

    current: figure id -> the annotator's latest work on the figure's present caption and image.
    sent_back: what they are to correct.
    """

    phase: Phase
    tasks: tuple[Task, ...]
    current: Mapping[str, Annotation]
    sent_back: tuple[SentBack, ...] = ()

    @classmethod
    def in_phase(cls, tx: Transaction, phase: Phase, annotator: str) -> OwnWork:
        """All of the annotator's tasks of a phase."""
        tasks = tx.tasks.all(phase=phase.name, annotator=annotator, released=True)
        done = {each.figure.id: each for each in tx.annotations.all(phase=phase.name, annotator=annotator)}
        # What the annotator took back is open again.
        undone = tx.annotations.undone(phase.name, annotator)
        current = {each.figure: done[each.figure] for each in tasks if each.figure in done.keys() - undone}
        sent_back = tuple(each for each in tx.sent_back.open_for(annotator) if each.phase == phase.name)
        return cls(phase, tuple(tasks), current, sent_back)

    @property
    def done(self) -> int:
        """Return the number of tasks that are done, rejected or left out."""
        return sum(not self._is_open(task) for task in self.tasks)

    def state_of(self, task: Task) -> State:
        """Return the state of a task."""
        if self.to_correct(task.figure):
            return State.SENT_BACK
        work = self.current.get(task.figure)
        if work is not None:
            return State(work.status.work_word)
        return State.OPEN if task.skipped_at is None else State.SKIPPED

    def next_after(self, place: int) -> Task | None:
        """The first open task after the one at that place, going round; None if no other is open.

        Work that was sent back comes first, and skipped tasks last, by when they were skipped.
        """
        around = [task for task in (*self.tasks[place:], *self.tasks[: max(place - 1, 0)]) if self._is_open(task)]
        return min(around, key=self._rank, default=None)

    def _rank(self, task: Task) -> tuple[bool, str]:
        state = self.state_of(task)
        skipped_at = task.skipped_at.isoformat() if task.skipped_at and state is State.SKIPPED else ""
        return state is not State.SENT_BACK, skipped_at

    def to_correct(self, figure_id: str) -> tuple[SentBack, ...]:
        """Return the work on the figure that was sent back for correction, oldest first."""
        return tuple(each for each in self.sent_back if each.figure_id == figure_id)

    def reasons_on(self, figure_id: str) -> tuple[str, ...]:
        """Return the reasons for sending the figure back; empty if it was not sent back."""
        return tuple(each.reason for each in self.to_correct(figure_id))

    def _is_open(self, task: Task) -> bool:
        return self.state_of(task) in TO_DO


def own_phases(campaign: Campaign) -> tuple[Phase, ...]:
    """The phases that are annotated on Panelwise's own screen."""
    return tuple(phase for phase in campaign.phases if phase.own_screen)


def has_own_tasks(tx: Transaction, campaign: Campaign, annotator: str) -> bool:
    """Return whether anything of such a phase is assigned to the annotator."""
    return any(tx.tasks.has(annotator, phase.name) for phase in own_phases(campaign))


def find_task(tx: Transaction, home: Home, key: str, annotator: str) -> tuple[OwnWork, int]:
    """The annotator's work in the phase of the task that a key stands for, and the task's place there, from 1.

    Raises UnknownTask for a task that is not released to this annotator.
    """
    keys = TaskKeys(home.secret())
    for phase in own_phases(home.campaign):
        work = OwnWork.in_phase(tx, phase, annotator)
        place = keys.place_of(key, work.tasks)
        if place is not None:
            return work, place
    raise UnknownTask("no task of yours has this address; see your list")


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task in the annotator's list. place: its number in the phase, from 1. figure: as it is now.

    reasons: why reviewers sent it back, where it is to be corrected. reason: why the annotator rejected it or left
    it out.
    """

    key: str
    place: int
    figure: Figure
    state: State
    reasons: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class TaskPage:
    """A phase in the annotator's list. rows: one page of the tasks. next_key: of the first open task, if any.

    total, done: of all tasks that are released. withheld: tasks of later batches. sent_back: tasks to correct,
    which come first in `rows`. finished: how many of the tasks that are done are in which state, without zeros.
    """

    phase: Phase
    rows: tuple[TaskRow, ...]
    total: int
    done: int
    withheld: int
    sent_back: int
    next_key: str | None
    page: int
    pages: int
    finished: Mapping[State, int]

    @property
    def all_done(self) -> bool:
        """Return whether tasks are released, and none of them is left to do."""
        return 0 < self.total == self.done


def task_pages(store: Store, home: Home, annotator: str, *, pages: Mapping[str, int]) -> tuple[TaskPage, ...]:
    """The annotator's tasks, phase by phase. pages: phase -> which page of its tasks; the first without."""
    keys = TaskKeys(home.secret())
    found = []
    with store.read() as tx:
        for phase in own_phases(home.campaign):
            every = tx.tasks.all(phase=phase.name, annotator=annotator)
            if not every:
                continue
            work = OwnWork.in_phase(tx, phase, annotator)
            count = max(1, -(-len(work.tasks) // PER_PAGE))
            page = min(max(pages.get(phase.name, 1), 1), count)
            first = (page - 1) * PER_PAGE
            places = sorted(range(len(work.tasks)), key=lambda at: not work.to_correct(work.tasks[at].figure))
            shown = [(at + 1, work.tasks[at]) for at in places[first : first + PER_PAGE]]
            figures = tx.figures.by_id([task.figure for _, task in shown])
            upcoming = work.next_after(0)
            found.append(
                TaskPage(
                    phase=phase,
                    rows=tuple(
                        TaskRow(
                            keys.of(task),
                            place,
                            figures[task.figure],
                            work.state_of(task),
                            work.reasons_on(task.figure),
                            work.current[task.figure].reason if task.figure in work.current else "",
                        )
                        for place, task in shown
                    ),
                    total=len(work.tasks),
                    done=work.done,
                    withheld=len(every) - len(work.tasks),
                    sent_back=sum(bool(work.to_correct(task.figure)) for task in work.tasks),
                    next_key=None if upcoming is None else keys.of(upcoming),
                    page=page,
                    pages=count,
                    finished=Counter(state for state in map(work.state_of, work.tasks) if state not in TO_DO),
                )
            )
    return tuple(found)
