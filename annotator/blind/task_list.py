"""The list of a reviewer's blind tasks: open, written and handed in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotator.blind.boxes import NoBoxes, find_boxes
from annotator.blind.tasks import Before, done_before, first_open, written_in
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.rows.records import BlindBoxes
from annotator.store.store import Store, Transaction
from panelwise.domain import Figure, Phase


class State(StrEnum):
    """The state of a blind task."""

    OPEN = "to write"
    WRITTEN = "written"
    WAITING = "not ready"
    LEFT_OUT = "left out"
    HANDED_IN = "handed in"


@dataclass(frozen=True, slots=True)
class BlindTask:
    """One task of a reviewer. place: its number in the phase, from 1. figure: as it is now."""

    key: str
    place: int
    figure: Figure
    state: State
    before: Before


@dataclass(frozen=True, slots=True)
class BlindPhase:
    """A blind phase as its reviewer sees it. tasks: a page of them. next_key: of what to write next, if anything.

    total, written, handed_in: of all tasks that are out, without what was left out when others were handed in.
    withheld: tasks that are not out yet.
    """

    phase: Phase
    tasks: tuple[BlindTask, ...]
    total: int
    written: int
    handed_in: int
    withheld: int
    next_key: str | None
    page: int
    pages: int

    @property
    def to_hand_in(self) -> int:
        """Tasks that are written and not handed in."""
        return self.written - self.handed_in


def blind_phases_of(
    store: Store, home: Home, reviewer: str, *, pages: Mapping[str, int] | None = None, per_page: int = 50
) -> tuple[BlindPhase, ...]:
    """The blind phases in which the reviewer has tasks. pages: phase -> which page of its tasks, or the first."""
    with store.read() as tx:
        found = (
            _phase(tx, home, reviewer, phase, (pages or {}).get(phase.name, 1), per_page)
            for phase in home.campaign.phases
            if phase.blind
        )
        return tuple(each for each in found if each is not None)


def _phase(
    tx: Transaction, home: Home, reviewer: str, phase: Phase, page: int, per_page: int
) -> BlindPhase | None:
    every = tx.tasks.all(phase=phase.name, annotator=reviewer)
    if not every:
        return None
    tasks = [task for task in every if task.released]
    pages = max(1, -(-len(tasks) // per_page))
    page = min(max(page, 1), pages)
    first = (page - 1) * per_page
    shown = tasks[first : first + per_page]
    mine = {task.figure for task in tasks}
    written, done = written_in(tx, phase.name, reviewer), tx.blind.handed_in(phase.name, reviewer)
    given = find_boxes(tx, home.campaign, phase, [task.figure for task in shown])
    before = done_before(tx, reviewer, phase)
    keys = TaskKeys(home.secret())
    works = {work.figure.id: work.figure for work in tx.work.on([task.figure for task in shown])}
    return BlindPhase(
        phase=phase,
        tasks=tuple(
            BlindTask(
                keys.of(task),
                place,
                works[task.figure],
                _state(task.figure, given, written, done),
                before.get(task.figure, Before()),
            )
            for place, task in enumerate(shown, start=first + 1)
        ),
        total=len(tasks) - len(mine & done - written),
        written=len(written & mine),
        handed_in=len(done & written & mine),
        withheld=len(every) - len(tasks),
        next_key=first_open(tx, home, phase, tasks, written | done),
        page=page,
        pages=pages,
    )


def _state(figure_id: str, given: Mapping[str, BlindBoxes | NoBoxes], written: set[str], done: set[str]) -> State:
    if figure_id in written:
        return State.HANDED_IN if figure_id in done else State.WRITTEN
    found = given[figure_id]
    if found is NoBoxes.LEFT_OUT or figure_id in done:
        return State.LEFT_OUT
    return State.OPEN if isinstance(found, BlindBoxes) else State.WAITING
