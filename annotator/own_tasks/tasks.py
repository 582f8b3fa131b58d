"""A person's tasks on Panelwise's own screens: found by their keys, how far each is, and their list.

Blind tasks are a reviewer's tasks with given boxes and others' work hidden. The screens of annotators never open
one, nor the blind screen an annotator's task: `blind` says which are meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.own_tasks.blind_boxes import Boxes, NoBoxes, find_boxes, first_ready
from annotator.store.rows.records import SentBack
from annotator.store.store import Store, Transaction
from panelwise.domain import WORK_WORDS, Annotation, Campaign, Figure, Phase, Status, StoreError, Task

#: Tasks on a page of the list.
PER_PAGE = 50


class UnknownTask(StoreError):
    """The address is of no task of this person."""


class State(StrEnum):
    """The state of a task. SKIPPED: open, and after all others. LEFT_OUT: of a blind task, without subfigures.

    Of blind tasks only: WAITING for subfigures to show; WRITTEN until it is HANDED_IN.
    """

    OPEN = "open"
    SKIPPED = "skipped"
    SENT_BACK = "sent back"
    DONE = WORK_WORDS[Status.ACCEPTED]
    REJECTED = WORK_WORDS[Status.REJECTED]
    LEFT_OUT = WORK_WORDS[Status.IGNORED]
    WAITING = "not ready"
    WRITTEN = "written"
    HANDED_IN = "handed in"


#: States of tasks on which there is still work.
TO_DO = frozenset({State.OPEN, State.SKIPPED, State.SENT_BACK})


@dataclass(frozen=True, slots=True)
class Before:
    """A reviewer's earlier work on a figure. phases: where they annotated it. decided: they adjudicated it.

    handed_in: in this very phase, before its caption or image was replaced; others' work was open to them then.
    """

    phases: tuple[str, ...] = ()
    decided: bool = False
    handed_in: bool = False

    @property
    def annotated(self) -> bool:
        """Return whether the reviewer annotated the figure before."""
        return bool(self.phases) or self.handed_in

    def describe(self) -> str:
        """Return it in words for the reviewer, "" for none."""
        lines = []
        if self.phases:
            lines.append(f"You annotated this figure in phase {', '.join(self.phases)}.")
        if self.decided:
            lines.append("You adjudicated this figure before.")
        if self.handed_in:
            lines.append("You handed this figure in before its caption or image was replaced.")
        return " ".join([*lines, "The report shows your work here separately."]) if lines else ""


@dataclass(frozen=True, slots=True)
class PhaseWork:
    """Tasks of a person in one phase, in order, with what they submitted.

    current: figure id -> the person's latest work on the figure's present caption and image. sent_back: what they
    are to correct. handed_in: figures of a blind phase, with those that were left out when others were handed in.
    """

    phase: Phase
    tasks: tuple[Task, ...]
    current: Mapping[str, Annotation]
    sent_back: tuple[SentBack, ...] = ()
    handed_in: frozenset[str] = frozenset()

    @classmethod
    def of(cls, tx: Transaction, phase: Phase, person: str, tasks: Sequence[Task] | None = None) -> PhaseWork:
        """Read a person's work on these tasks of a phase; None for all tasks that are released to them."""
        if tasks is None:
            tasks = tx.tasks.all(phase=phase.name, annotator=person, released=True)
        submitted = {work.figure.id: work for work in tx.annotations.all(phase=phase.name, annotator=person)}
        # What the annotator took back is open again.
        counted = submitted.keys() - tx.annotations.undone(phase.name, person)
        current = {task.figure: submitted[task.figure] for task in tasks if task.figure in counted}
        if phase.blind:
            return cls(phase, tuple(tasks), current, (), frozenset(tx.blind.handed_in(phase.name, person)))
        sent_back = tuple(entry for entry in tx.sent_back.open_for(person) if entry.phase == phase.name)
        return cls(phase, tuple(tasks), current, sent_back)

    @property
    def done(self) -> int:
        """Return the number of tasks that are done, rejected or left out."""
        return sum(not self.is_open(task) for task in self.tasks)

    def state_of(self, task: Task, boxes: Boxes | None = None) -> State:
        """Return the state of a task. boxes: those of a blind phase on its figure, if they are looked at."""
        work = self.current.get(task.figure)
        if task.figure in self.handed_in:
            return State.LEFT_OUT if work is None else State.HANDED_IN
        if self.to_correct(task.figure):
            return State.SENT_BACK
        if work is not None:
            return State.WRITTEN if self.phase.blind else State(work.status.work_word)
        if isinstance(boxes, NoBoxes):
            return State.WAITING if boxes is NoBoxes.WAITING else State.LEFT_OUT
        return State.OPEN if task.skipped_at is None else State.SKIPPED

    def is_open(self, task: Task) -> bool:
        """Return whether there is still work on a task."""
        return self.state_of(task) in TO_DO

    def next_key(self, tx: Transaction, home: Home, place: int) -> str | None:
        """Return the key of the first open task after the one at that place, going round; None for no other.

        Work that was sent back comes first, and skipped tasks last, by when they were skipped. Tasks of a blind
        phase without boxes are passed over.
        """
        around = [task for task in (*self.tasks[place:], *self.tasks[: max(place - 1, 0)]) if self.is_open(task)]
        task = first_ready(tx, home.campaign, self.phase, sorted(around, key=self._rank))
        return None if task is None else TaskKeys(home.secret()).of(task)

    def _rank(self, task: Task) -> tuple[bool, str]:
        state = self.state_of(task)
        skipped_at = task.skipped_at.isoformat() if task.skipped_at and state is State.SKIPPED else ""
        return state is not State.SENT_BACK, skipped_at

    def to_correct(self, figure_id: str) -> tuple[SentBack, ...]:
        """Return the work on the figure that was sent back for correction, oldest first."""
        return tuple(entry for entry in self.sent_back if entry.figure_id == figure_id)

    def reasons_on(self, figure_id: str) -> tuple[str, ...]:
        """Return the reasons for sending the figure back; empty if it was not sent back."""
        return tuple(entry.reason for entry in self.to_correct(figure_id))


def own_phases(campaign: Campaign, *, blind: bool = False) -> tuple[Phase, ...]:
    """Return the phases that are annotated on Panelwise's own screen, or blind."""
    return tuple(phase for phase in campaign.phases if (phase.blind if blind else phase.own_screen))


def has_tasks(tx: Transaction, campaign: Campaign, person: str, *, blind: bool = False) -> bool:
    """Return whether any task of such a phase is assigned to the person."""
    return any(tx.tasks.has(person, phase.name) for phase in own_phases(campaign, blind=blind))


def find_task(
    tx: Transaction, home: Home, key: str, person: str, *, blind: bool = False
) -> tuple[Phase, list[Task], int]:
    """Return the phase of the task that a key stands for, the person's tasks there, and its place, from 1.

    Raises UnknownTask for a task that is not released to this person, or not of such a phase.
    """
    keys = TaskKeys(home.secret())
    for phase in own_phases(home.campaign, blind=blind):
        tasks = tx.tasks.all(phase=phase.name, annotator=person, released=True)
        place = keys.place_of(key, tasks)
        if place is not None:
            return phase, tasks, place
    raise UnknownTask(f"no {'figure' if blind else 'task'} of yours has this address; see your list")


def done_before(tx: Transaction, reviewer: str, phase: Phase) -> dict[str, Before]:
    """Return figure id -> what the reviewer did there outside this phase, of those where they did anything."""
    worked = {
        figure: tuple(sorted(phases - {phase.name}))
        for figure, phases in tx.annotations.phases_of(reviewer).items()
    }
    decided, handed_in = tx.decisions.figures_of(reviewer), tx.blind.handed_in_before(phase.name, reviewer)
    names = {figure for figure, phases in worked.items() if phases} | decided | handed_in
    return {name: Before(worked.get(name, ()), name in decided, name in handed_in) for name in names}


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task in the person's list. place: its number in the phase, from 1. figure: as it is now.

    reasons: why reviewers sent it back, where it is to be corrected. reason: why the annotator rejected it or left
    it out. before: of a blind task.
    """

    key: str
    place: int
    figure: Figure
    state: State
    reasons: tuple[str, ...]
    reason: str
    before: Before


@dataclass(frozen=True, slots=True)
class TaskPage:
    """A phase in the person's list. tasks: one page of them. next_key: of the first open task, if any.

    total, done: of all tasks that are released, in a blind phase without those that were left out when others were
    handed in. withheld: tasks of later batches. sent_back: tasks to correct, which come first in `tasks`.
    finished: how many of the tasks that are done are in which state, without zeros.
    """

    phase: Phase
    tasks: tuple[TaskRow, ...]
    total: int
    done: int
    withheld: int
    sent_back: int
    next_key: str | None
    page: int
    pages: int
    finished: Counter[State]

    @property
    def all_done(self) -> bool:
        """Return whether tasks are released, and none of them is left to do."""
        return 0 < self.total == self.done

    @property
    def handed_in(self) -> int:
        """Return the number of blind tasks that are handed in."""
        return self.finished[State.HANDED_IN]

    @property
    def to_hand_in(self) -> int:
        """Return the number of blind tasks that are written and not handed in."""
        return self.finished[State.WRITTEN]


def task_pages(
    store: Store,
    home: Home,
    person: str,
    *,
    blind: bool = False,
    pages: Mapping[str, int] | None = None,
    per_page: int = PER_PAGE,
) -> tuple[TaskPage, ...]:
    """Return the person's tasks, phase by phase: to correct, then open, then done, each in the campaign's order.

    pages: phase -> which page of its tasks, or the first.
    """
    with store.read() as tx:
        found = [
            _task_page(tx, home, phase, every, (pages or {}).get(phase.name, 1), per_page)
            for phase in own_phases(home.campaign, blind=blind)
            if (every := tx.tasks.all(phase=phase.name, annotator=person))
        ]
    return tuple(sorted(found, key=lambda page: (not page.sent_back, page.next_key is None)))


def _task_page(
    tx: Transaction, home: Home, phase: Phase, every: Sequence[Task], page: int, per_page: int
) -> TaskPage:
    person = every[0].annotator
    work = PhaseWork.of(tx, phase, person, [task for task in every if task.released])
    pages = max(1, -(-len(work.tasks) // per_page))
    page = min(max(page, 1), pages)
    numbered = sorted(enumerate(work.tasks, start=1), key=lambda pair: not work.to_correct(pair[1].figure))
    shown = numbered[(page - 1) * per_page : page * per_page]
    finished = Counter(state for state in map(work.state_of, work.tasks) if state not in TO_DO)
    left_out = finished[State.LEFT_OUT] if phase.blind else 0
    return TaskPage(
        phase=phase,
        tasks=tuple(_rows(tx, home, person, work, shown)),
        total=len(work.tasks) - left_out,
        done=finished.total() - left_out,
        withheld=len(every) - len(work.tasks),
        sent_back=sum(bool(work.to_correct(task.figure)) for task in work.tasks),
        next_key=work.next_key(tx, home, 0),
        page=page,
        pages=pages,
        finished=finished,
    )


def _rows(
    tx: Transaction, home: Home, person: str, work: PhaseWork, shown: Sequence[tuple[int, Task]]
) -> Iterator[TaskRow]:
    """Yield the rows of these tasks with their places."""
    keys, names = TaskKeys(home.secret()), [task.figure for _, task in shown]
    figures = tx.figures.by_id(names)
    boxes = find_boxes(tx, home.campaign, work.phase, names) if work.phase.blind else {}
    before = done_before(tx, person, work.phase) if work.phase.blind else {}
    for place, task in shown:
        name = task.figure
        yield TaskRow(
            key=keys.of(task),
            place=place,
            figure=figures[name],
            state=work.state_of(task, boxes.get(name)),
            reasons=work.reasons_on(name),
            reason=work.current[name].reason if name in work.current else "",
            before=before.get(name, Before()),
        )
