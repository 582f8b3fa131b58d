"""Assigned tasks, in batches that are released one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Executable, Select, and_, bindparam, case, exists, func, not_, select

from annotator.store.database.tables import annotation_table, figures, links, settings, tasks
from annotator.store.database.values import Row, from_time, to_time
from annotator.store.queries.blind import outside
from annotator.store.rows.records import TASK_CHANGES, Hidden, TaskGroup
from annotator.store.rows.statements import ONE_WORK, Queries, check_name, in_campaign, matching, same, these
from panelwise.domain import StoreError, Task

_OF_KEY = and_(
    tasks.c.phase == bindparam("key_phase"),
    tasks.c.annotator == bindparam("key_annotator"),
    tasks.c.figure_id == bindparam("key_figure_id"),
)
_REMOVE = tasks.delete().where(_OF_KEY)
_ON = select(tasks).where(these(tasks)).order_by(tasks.c.id)
_CHANGE = (
    tasks.update()
    .where(_OF_KEY)
    .values(
        annotator=bindparam("now_annotator"),
        batch=bindparam("now_batch"),
        released=bindparam("now_released"),
        skipped_at=None,
    )
)
_SKIP = tasks.update().where(_OF_KEY).values(skipped_at=bindparam("at"))


class TaskQueries(Queries):
    """Assigned tasks."""

    def add(self, new_tasks: Iterable[Task]) -> int:
        """Add new tasks in the order given; returns their number.

        Raises StoreError for a figure that is not in the store.
        """
        given = list(new_tasks)
        self._check_known(task.figure for task in given)
        groups: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for task in given:
            groups[task.phase, task.annotator][task.figure] = None
        new: set[tuple[str, str, str]] = set()
        for (phase, annotator), wanted in groups.items():
            check_name(phase)
            check_name(annotator)
            given_out = select(tasks.c.figure_id).where(tasks.c.phase == phase, tasks.c.annotator == annotator)
            there = {row["figure_id"] for row in self._rows(given_out)}
            new.update((figure, annotator, phase) for figure in wanted if figure not in there)
        # Of duplicates the first one counts, at its place.
        chosen = {_key(task): task for task in reversed(given)}
        rows = [_values(chosen[key]) for key in dict.fromkeys(map(_key, given)) if key in new]
        if rows:
            self._write(tasks.insert(), rows)
        return len(rows)

    def all(
        self, *, phase: str | None = None, annotator: str | None = None, released: bool | None = None
    ) -> list[Task]:
        """Return the tasks in the order added, without withdrawn figures; of one phase and annotator if given.

        released: only tasks that may be worked on, or only those that may not yet.
        """
        return [_task(row) for row in self._rows(_chosen(phase, annotator, released).order_by(tasks.c.id))]

    def page(
        self,
        *,
        phase: str | None = None,
        annotator: str | None = None,
        released: bool | None = None,
        after: int = 0,
        limit: int,
    ) -> list[tuple[int, Task, bool]]:
        """Return tasks as `all` does, each with its number and whether it has submitted work.

        after: only those behind this number. limit: at most as many.
        """
        statement = _chosen(phase, annotator, released).add_columns(submitted().label("submitted"))
        rows = self._rows(statement.where(tasks.c.id > after).order_by(tasks.c.id).limit(limit))
        return [(int(row["id"]), _task(row), bool(row["submitted"])) for row in rows]

    def open(self, *, phase: str | None = None, annotator: str | None = None) -> list[Task]:
        """Return those tasks without any submitted work, released or not."""
        statement = _chosen(phase, annotator, None).where(not_(submitted())).order_by(tasks.c.id)
        return [_task(row) for row in self._rows(statement)]

    def hidden(self, figure_ids: Sequence[str] | None = None) -> set[tuple[str, str, str]]:
        """Return (figure, annotator, phase) of the tasks on hidden gold, on these figures or on all."""
        if figure_ids is None:
            found = [_task(row) for row in self._rows(select(tasks).where(tasks.c.hidden))]
        else:
            found = [task for task in self.on(figure_ids) if task.hidden]
        return {_key(task) for task in found}

    def has(self, annotator: str, phase: str) -> bool:
        """Return True if the annotator has a task of the phase."""
        wanted = select(tasks.c.id).where(tasks.c.phase == phase, tasks.c.annotator == annotator).limit(1)
        return self._first(wanted) is not None

    def phases_of(self, annotator: str) -> tuple[str, ...]:
        """Return the phases in which the annotator has tasks, by name."""
        wanted = select(tasks.c.phase).where(tasks.c.annotator == annotator).distinct().order_by(tasks.c.phase)
        return tuple(row["phase"] for row in self._rows(wanted))

    def worked_on(self, phase: str) -> set[tuple[str, str]]:
        """Return (figure, annotator) of all work submitted in a phase, on any revision, assigned or not."""
        table = annotation_table
        statement = select(table.c.figure_id, table.c.annotator).where(table.c.phase == phase).distinct()
        return {(row["figure_id"], row["annotator"]) for row in self._rows(statement)}

    def change(self, changes: Sequence[tuple[Task, Task]]) -> None:
        """Replace a task by another of the same figure and phase: another annotator or batch, or released.

        Raises StoreError if a task no longer exists, or if the other annotator already has the figure.
        """
        rows = []
        for old, new in changes:
            check_name(new.annotator)
            now = {"now_annotator": new.annotator, "now_batch": new.batch, "now_released": new.released}
            rows.append({**_key_of(old), **now})
        self._write_all(_CHANGE, rows)

    def skip(self, task: Task, at: datetime | None) -> None:
        """Store when a task was skipped, or with None that it is not. Raises StoreError if it no longer exists."""
        if self._write(_SKIP, [{**_key_of(task), "at": None if at is None else to_time(at)}]) != 1:
            raise StoreError("the task was given to somebody else meanwhile; see your list")

    def remove(self, many: Sequence[Task]) -> None:
        """Delete tasks. Raises StoreError if one no longer exists."""
        self._write_all(_REMOVE, [_key_of(task) for task in many])

    def _write_all(self, statement: Executable, rows: list[dict[str, Any]]) -> None:
        """Change a task for each of the rows. Raises StoreError if one no longer exists."""
        if rows and self._write(statement, rows) != len(rows):
            raise StoreError("a task was given to somebody else meanwhile; do that again")
        if rows:
            self.note_change()

    def note_change(self) -> None:
        """Let a push know that tasks have changed."""
        count = self._scalar(select(settings.c.value).where(settings.c.name == TASK_CHANGES))
        self._put(settings, {"name": TASK_CHANGES}, {"value": str(int(count or 0) + 1)})

    def groups(self, hidden: Hidden | None = None) -> list[TaskGroup]:
        """Return the progress of tasks by phase, annotator and batch, without those on hidden figures."""
        present, anything = submitted(present=True), submitted()
        named = {
            "tasks": func.count(),
            "released": _counted(tasks.c.released),
            "done": _counted(present),
            "redo": _counted(and_(anything, not_(present))),
            "open": _counted(and_(tasks.c.released, not_(anything))),
        }
        keys = (tasks.c.phase, tasks.c.annotator, tasks.c.batch)
        statement = (
            select(*keys, *(column.label(f"{name}_count") for name, column in named.items()))
            .join(figures, figures.c.figure_id == tasks.c.figure_id)
            .where(in_campaign(tasks.c.figure_id), outside(hidden, tasks.c.figure_id))
            .group_by(*keys)
            .order_by(*keys)
        )
        return [
            TaskGroup(
                row["phase"],
                row["annotator"],
                row["batch"],
                **{name: int(row[f"{name}_count"]) for name in named},
            )
            for row in self._rows(statement)
        ]

    def batches(self) -> list[tuple[str, int]]:
        """Return the phases with the numbers of their batches, in order."""
        last = select(tasks.c.phase, func.max(tasks.c.batch).label("last")).group_by(tasks.c.phase)
        return [
            (row["phase"], number)
            for row in self._rows(last.order_by(tasks.c.phase))
            for number in range(1, row["last"] + 1)
        ]

    def count_unpushed(self, phase: str, hidden: Hidden | None = None) -> int:
        """Count the released tasks of a phase without work and without a task in Label Studio.

        hidden: without those on hidden figures.
        """
        pushed = exists(select(links.c.task_id).where(same(links, tasks, *ONE_WORK)).correlate(tasks))
        open_task = and_(tasks.c.phase == phase, tasks.c.released, in_campaign(tasks.c.figure_id))
        wanted = and_(open_task, not_(submitted()), not_(pushed), outside(hidden, tasks.c.figure_id))
        return int(self._scalar(select(func.count()).select_from(tasks).where(wanted)))

    def on(self, figure_ids: Sequence[str]) -> list[Task]:
        """Return all tasks on these figures, in the order added."""
        return [_task(row) for row in self._of_figures(_ON, figure_ids)]


def submitted(*, present: bool = False) -> ColumnElement[bool]:
    """Return the condition that a task has submitted work. present: on the current revision, of `figures`."""
    table = annotation_table
    statement = select(table.c.id).where(same(table, tasks, *ONE_WORK))
    if present:
        return exists(statement.where(table.c.revision == figures.c.revision).correlate(tasks, figures))
    return exists(statement.correlate(tasks))


def _counted(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Count the rows of a group that meet the condition."""
    return func.count(case((condition, 1)))


def _chosen(phase: str | None, annotator: str | None, released: bool | None) -> Select[Any]:
    given = ((tasks.c.phase, phase), (tasks.c.annotator, annotator), (tasks.c.released, released))
    return matching(select(tasks).where(in_campaign(tasks.c.figure_id)), *given)


def _key_of(task: Task) -> dict[str, Any]:
    return {"key_phase": task.phase, "key_annotator": task.annotator, "key_figure_id": task.figure}


def _key(task: Task) -> tuple[str, str, str]:
    """Return the identity of a task: figure, annotator, phase."""
    return (task.figure, task.annotator, task.phase)


def _task(row: Row) -> Task:
    return Task(
        row["figure_id"],
        row["annotator"],
        row["phase"],
        row["batch"],
        released=bool(row["released"]),
        hidden=bool(row["hidden"]),
        skipped_at=None if row["skipped_at"] is None else from_time(row["skipped_at"]),
        unseeded=bool(row["unseeded"]),
    )


def _values(task: Task) -> dict[str, Any]:
    return {
        "phase": task.phase,
        "annotator": task.annotator,
        "figure_id": task.figure,
        "batch": task.batch,
        "released": task.released,
        "hidden": task.hidden,
        "skipped_at": None if task.skipped_at is None else to_time(task.skipped_at),
        "unseeded": task.unseeded,
    }
