"""A figure with all work on it, for a lead to look at: annotators by name, decisions, pre-labels, tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from annotator.adjudication.history import Drawn, drawn, item_lines
from annotator.adjudication.standing import standing
from annotator.store.queries.work import FigureWork
from annotator.store.store import Transaction
from panelwise.domain import Annotation, Decision, Figure, Task


@dataclass(frozen=True, slots=True)
class Reading:
    """One annotation, decision or prediction on the figure's current revision.

    status: its display name, "" for a prediction. at: when it was saved, None for a prediction. lines: figure
    type, pairs and answers. notes: reason, note and question for the guidelines.
    """

    title: str
    status: str
    at: datetime | None
    subfigures: tuple[Drawn, ...]
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskState:
    """A task on the figure, with its state in words."""

    task: Task
    state: str


@dataclass(frozen=True, slots=True)
class FigureView:
    """A figure with its work. readings: what holds first. outdated: annotations made on an earlier revision."""

    figure: Figure
    withdrawn: bool
    decision: Decision | None
    readings: tuple[Reading, ...]
    outdated: tuple[Annotation, ...]
    tasks: tuple[TaskState, ...]


def figure_view(tx: Transaction, figure_id: str, unknown: Collection[str] = ()) -> FigureView:
    """Return everything on a figure. unknown: phases whose releases are hidden. Raises UnknownFigure."""
    work = tx.work.of(figure_id)
    decision = standing(work.history, work.figure.revision)
    done = {(annotation.annotator, annotation.phase): annotation for annotation in work.annotations}
    tasks = tuple(TaskState(task, _state(task, done, unknown)) for task in tx.tasks.on([figure_id]))
    readings = tuple(_readings(work, decision))
    return FigureView(work.figure, work.withdrawn, decision, readings, work.earlier, tasks)


def _readings(work: FigureWork, decision: Decision | None) -> Iterator[Reading]:
    caption = work.figure.caption
    if decision is not None:
        yield Reading(
            f"Decision {decision.version} by {decision.reviewer}",
            decision.status.decision_word,
            decision.decided_at,
            drawn(decision.subfigures, caption),
            item_lines(decision),
            tuple(filter(None, (decision.note, decision.guideline_flag))),
        )
    for annotation in work.annotations:
        yield Reading(
            f"{annotation.annotator}, phase {annotation.phase}",
            annotation.status.work_word,
            annotation.saved_at,
            drawn(annotation.subfigures, caption),
            item_lines(annotation),
            tuple(filter(None, (annotation.reason,))),
        )
    if work.prediction is not None:
        subfigures = drawn(work.prediction.subfigures, caption)
        yield Reading(f"Pre-labels of {work.prediction.model_version}", "", None, subfigures)


def _state(task: Task, done: dict[tuple[str, str], Annotation], unknown: Collection[str]) -> str:
    annotation = done.get((task.annotator, task.phase))
    if annotation is not None:
        return annotation.status.work_word
    if task.phase in unknown:
        return "not submitted; whether it is released is hidden from you"
    if not task.released:
        return f"in batch {task.batch}, not released yet"
    return "open" if task.skipped_at is None else "open, skipped for now"
