"""An annotation server that is no Label Studio: tasks and annotations are Panelwise's own objects, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

from annotator.annotation_server import (
    Account,
    AnnotationServer,
    Imported,
    Models,
    Project,
    Pulled,
    SentTask,
    ServerTask,
    Submission,
    Submitted,
    TaskCount,
    TaskMark,
)
from label_config import names
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.errors import SyncError
from panelwise.domain.figure import Figure

LEAD = Account(1, "lead@example.org")


class PlainFrontEnd(AnnotationServer):
    """Holds tasks with a figure and a prediction, and annotations as they were submitted."""

    url = "https://plain.example.org"

    def __init__(self) -> None:
        self._projects: dict[int, Project] = {}
        self._tasks: dict[int, tuple[int, ServerTask]] = {}
        self._moments: dict[int, str] = {}
        self._last = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def check(self) -> Account:
        return LEAD

    def accounts(self) -> Sequence[Account]:
        return [LEAD]

    def ensure_account(self, email: str, password: str) -> Account:
        raise SyncError(f"{self.url}: no account for {email}: accounts are made elsewhere")

    def invitation(self) -> str:
        return f"{self.url}/join"

    def isolates_annotators(self) -> bool:
        return True

    def projects(self) -> Sequence[Project]:
        return list(self._projects.values())

    def create_project(self, title: str, description: str, config: str) -> Project:
        project = Project(self._next(), title, description, config)
        self._projects[project.id] = project
        return project

    def set_title(self, project_id: int, title: str) -> None:
        self._projects[project_id] = replace(self._projects[project_id], title=title)

    def set_description(self, project_id: int, description: str) -> None:
        self._projects[project_id] = replace(self._projects[project_id], description=description)

    def set_config(self, project_id: int, config: str) -> None:
        self._projects[project_id] = replace(self._projects[project_id], config=config)

    def set_instructions(self, project_id: int, html: str) -> None:
        self._projects[project_id] = replace(self._projects[project_id], instructions=html)

    def ensure_image_storage(self, project_id: int, path: str) -> None:
        pass

    def show_predictions(self, project_id: int, version: str) -> None:
        self._projects[project_id] = replace(self._projects[project_id], shown_version=version)

    def connect_models(self, project_id: int, models: Models, phase: Phase) -> str:
        return "it asks no models"

    def labelling_config(self, campaign: Campaign, phase: Phase) -> str:
        return f"{phase.task_type.value}: {' '.join(campaign.labels)}"

    def missing_parts(self, config: str, required: str) -> tuple[str, ...]:
        return () if config == required else (required,)

    def task_of(
        self,
        figure: Figure,
        prediction: Prediction | None,
        campaign: Campaign,
        phase: Phase,
        *,
        labels: Sequence[str] | None = None,
    ) -> SentTask:
        seed = None if prediction is None else {"prediction": prediction}
        return SentTask({"figure": figure}, seed, (), figure.caption.text, _hash(figure, prediction))

    def add_tasks(self, project_id: int, tasks: Sequence[SentTask]) -> Imported:
        ids = []
        for sent in tasks:
            figure = sent.data["figure"]
            source = names.task_source(figure.id, figure.revision)
            content = {**sent.data, **(sent.prediction or {"prediction": None})}
            task = ServerTask(self._next(), source, sent.caption, (), False, content)
            self._tasks[task.id] = (project_id, task)
            self._touch(task.id)
            ids.append(task.id)
        return Imported(tuple(ids), sum(sent.prediction is not None for sent in tasks))

    def read_tasks(self, project_id: int, task_ids: Sequence[int]) -> list[ServerTask]:
        return [task for task in self._of(project_id) if task.id in task_ids]

    def tasks_of_sources(self, project_id: int, sources: Sequence[str]) -> list[ServerTask]:
        return [task for task in self._of(project_id) if task.source in sources]

    def read_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, ServerTask]]:
        for mark in self.changes(project_id, since):
            yield mark, self._tasks[mark.id][1]

    def changes(self, project_id: int, since: str | None) -> Iterator[TaskMark]:
        marks = [self._mark(task) for task in self._of(project_id)]
        yield from sorted(
            (mark for mark in marks if since is None or mark.updated_at > since), key=lambda mark: mark.updated_at
        )

    def count_changed(self, project_id: int, after: str, until: str) -> int:
        return sum(after < self._moments[task.id] <= until for task in self._of(project_id))

    def marks(self, project_id: int, task_ids: Sequence[int]) -> list[TaskMark]:
        return [self._mark(task) for task in self.read_tasks(project_id, task_ids)]

    def count(self, project_id: int, task_ids: Sequence[int] | None = None) -> TaskCount:
        tasks = [task for task in self._of(project_id) if task_ids is None or task.id in task_ids]
        predictions = sum(task.content["prediction"] is not None for task in tasks)
        return TaskCount(len(tasks), sum(len(task.submissions) for task in tasks), predictions)

    def drafted(self, project_id: int) -> frozenset[int]:
        return frozenset()

    def delete_task(self, task_id: int) -> None:
        del self._tasks[task_id]

    def same_data(self, task: ServerTask, sent: SentTask) -> bool:
        return bool(task.content["figure"] == sent.data["figure"])

    def same_prediction(self, task: ServerTask, sent: SentTask) -> bool:
        return bool(task.content["prediction"] == (sent.prediction or {"prediction": None})["prediction"])

    def sent_hash(self, task: ServerTask) -> str | None:
        return _hash(task.content["figure"], task.content["prediction"])

    def replace_data(self, task: ServerTask, sent: SentTask) -> None:
        figure = sent.data["figure"]
        source = names.task_source(figure.id, figure.revision)
        self._change(task.id, source=source, caption=sent.caption, content={**self._content(task), **sent.data})

    def replace_prediction(self, task: ServerTask, sent: SentTask) -> None:
        self._change(task.id, content={**self._content(task), **(sent.prediction or {"prediction": None})})

    def submitted(self, task: ServerTask, *, owner: int | None = None) -> Submitted[Submission]:
        latest = task.submissions[-1] if task.submissions else None
        return Submitted(
            latest, max(0, len(task.submissions) - 1), tuple(each.account for each in task.submissions)
        )

    def changed_locks(self, task: ServerTask, record: Submission) -> Iterator[str]:
        return iter(())

    def annotation_of(
        self,
        task: ServerTask,
        record: Submission,
        figure: Figure,
        *,
        annotator: str,
        phase: Phase,
        guideline: str = "",
    ) -> Pulled:
        work: Annotation = record.content["annotation"]
        done = replace(work, figure=figure, annotator=annotator, phase=phase.name, guideline=guideline)
        return Pulled(done, (), ())

    def submit(self, task_id: int, annotation: Annotation, phase: Phase) -> int:
        submission = Submission(self._next(), False, LEAD.id, None, {"annotation": annotation})
        self._change(task_id, submissions=(*self._tasks[task_id][1].submissions, submission))
        return submission.id

    def call_back(self, project_id: int, url: str) -> int:
        raise SyncError(f"{self.url}: it calls nobody")

    def stop_calls(self, beginning: str) -> int:
        return 0

    def _next(self) -> int:
        self._last += 1
        return self._last

    def _of(self, project_id: int) -> list[ServerTask]:
        return [task for project, task in self._tasks.values() if project == project_id]

    def _content(self, task: ServerTask) -> dict[str, object]:
        return dict(self._tasks[task.id][1].content)

    def _change(self, task_id: int, **fields: Any) -> None:
        project, task = self._tasks[task_id]
        self._tasks[task_id] = (project, replace(task, **fields))
        self._touch(task_id)

    def _touch(self, task_id: int) -> None:
        self._moments[task_id] = f"2026-11-21T12:00:00.{self._next():06}Z"

    def _mark(self, task: ServerTask) -> TaskMark:
        return TaskMark(task.id, self._moments[task.id], task.source, len(task.submissions), 0)


def _hash(figure: Figure, prediction: Prediction | None) -> str:
    return f"{figure.id}@{figure.revision}: {figure.caption.text}; {prediction!r}"
