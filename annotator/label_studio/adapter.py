"""Label Studio as an `AnnotationServer`: Panelwise's values to and from the JSON of its requests."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.json import encode

from annotator.annotation_server import (
    AnnotationServer,
    Content,
    Imported,
    Models,
    Pulled,
    SentTask,
    ServerTask,
    Submission,
    Submitted,
    TaskMark,
)
from annotator.label_studio import config_edits, kinds, locked, ml_backend
from annotator.label_studio.answers import account, changed_by, parts
from annotator.label_studio.ml_backend import ModelServers
from annotator.label_studio.payload import reading
from label_config import names
from panelwise.domain import Annotation, Campaign, Figure, Phase, Prediction, SyncError


class LabelStudioAdapter(AnnotationServer, ModelServers):
    """An `AnnotationServer` made of Label Studio's requests, which are the abstract methods.

    Tasks, predictions and annotations are in the requests as its API has them.
    """

    @abstractmethod
    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> Imported:
        """Add tasks (`data`, `predictions`), all of them or none."""

    @abstractmethod
    def tasks_by_id(self, project_id: int, task_ids: Sequence[int]) -> list[dict[str, Any]]:
        """Return those of the tasks that the project has."""

    @abstractmethod
    def tasks_by_source(self, project_id: int, sources: Sequence[str]) -> list[dict[str, Any]]:
        """Return the project's tasks of these sources by id."""

    @abstractmethod
    def whole_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, dict[str, Any]]]:
        """Yield the same as `changes`, each with its task."""

    @abstractmethod
    def set_task_data(self, task_id: int, data: Mapping[str, Any]) -> None:
        """Replace a task's data."""

    @abstractmethod
    def add_prediction(self, task_id: int, prediction: Mapping[str, Any]) -> None:
        """Add a prediction to a task."""

    @abstractmethod
    def update_prediction(self, task_id: int, prediction_id: int, prediction: Mapping[str, Any]) -> None:
        """Replace a prediction of a task."""

    @abstractmethod
    def delete_prediction(self, prediction_id: int) -> None:
        """Delete a prediction."""

    @abstractmethod
    def add_annotation(self, task_id: int, annotation: Mapping[str, Any]) -> int:
        """Submit an annotation (`result`, `lead_time`, `was_cancelled`, `parent_prediction`); returns its id."""

    def labelling_config(self, campaign: Campaign, phase: Phase) -> str:
        """Return the labelling config of a phase. Raises SyncError for labels that it can't hold."""
        try:
            return kinds.config_of(campaign, phase)
        except ValueError as error:
            raise SyncError(f"labels in campaign.toml: {error}; correct them") from error

    def missing_parts(self, config: str, required: str) -> tuple[str, ...]:
        """Describe what `config` lacks of the required one."""
        return config_edits.missing_parts(config, required)

    def connect_models(self, project_id: int, models: Models, phase: Phase) -> str:
        """Connect a project to these models; returns a warning, or ""."""
        return ml_backend.connect(self, project_id, models, phase)

    def task_of(
        self,
        figure: Figure,
        prediction: Prediction | None,
        campaign: Campaign,
        phase: Phase,
        *,
        labels: Sequence[str] | None = None,
    ) -> SentTask:
        """Return a figure's task."""
        sent = kinds.task_of(figure, prediction, campaign, phase)
        data = sent.data if labels is None else {**sent.data, names.DATA_LABELS: list(labels)}
        return SentTask(data, sent.prediction, sent.left_out, _caption(data), _hash(data, sent.prediction))

    def add_tasks(self, project_id: int, tasks: Sequence[SentTask]) -> Imported:
        """Add tasks, all of them or none."""
        return self.import_tasks(
            project_id,
            [{"data": task.data, "predictions": [task.prediction] if task.prediction else []} for task in tasks],
        )

    def read_tasks(self, project_id: int, task_ids: Sequence[int]) -> list[ServerTask]:
        """Return those of the tasks that the project has."""
        return [_as_task(task, self.url) for task in self.tasks_by_id(project_id, task_ids)]

    def tasks_of_sources(self, project_id: int, sources: Sequence[str]) -> list[ServerTask]:
        """Return the project's tasks of these sources, by id."""
        return [_as_task(task, self.url) for task in self.tasks_by_source(project_id, sources)]

    def read_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, ServerTask]]:
        """Yield the tasks that changed after `since`, in the order of their changes."""
        for mark, task in self.whole_changes(project_id, since):
            yield mark, _as_task(task, self.url)

    def same_data(self, task: ServerTask, sent: SentTask) -> bool:
        """Return whether a task shows what is to be sent."""
        return dict(task.content["data"]) == dict(sent.data)

    def same_prediction(self, task: ServerTask, sent: SentTask) -> bool:
        """Return whether a task's only prediction has the regions to be sent."""
        there = [prediction.get("result") for prediction in task.content["predictions"]]
        return there == ([] if sent.prediction is None else [sent.prediction["result"]])

    def sent_hash(self, task: ServerTask) -> str | None:
        """Return the hash of a task's data and prediction; None if it has several predictions."""
        predictions = task.content["predictions"]
        return None if len(predictions) > 1 else _hash(task.content["data"], next(iter(predictions), None))

    def replace_data(self, task: ServerTask, sent: SentTask) -> None:
        """Replace what a task shows."""
        self.set_task_data(task.id, sent.data)

    def replace_prediction(self, task: ServerTask, sent: SentTask) -> None:
        """Make this the task's only prediction, or remove all."""
        first, *others = task.content["predictions"] or (None,)
        for prediction in others:
            self.delete_prediction(prediction["id"])
        if sent.prediction is None:
            if first is not None:
                self.delete_prediction(first["id"])
        elif first is None:
            self.add_prediction(task.id, sent.prediction)
        else:
            self.update_prediction(task.id, first["id"], sent.prediction)

    def submitted(self, task: ServerTask, *, owner: int | None = None) -> Submitted[Submission]:
        """Return a task's annotation that counts."""
        found = reading.submitted(task.content, owner=owner)
        record = next((each for each in task.submissions if each.content is found.record), None)
        return Submitted(record, found.others, found.accounts)

    def changed_locks(self, task: ServerTask, record: Submission) -> Iterator[str]:
        """Describe an annotation's missing or moved locked regions."""
        return locked.changed(task.content, record.content)

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
        """Convert one of a task's annotations."""
        return reading.pulled(
            task.content, record.content, figure, annotator=annotator, phase=phase, guideline=guideline
        )

    def submit(self, task_id: int, annotation: Annotation, phase: Phase) -> int:
        """Submit an annotation as its annotator would through the page; returns its id."""
        return self.add_annotation(task_id, kinds.annotation_of(annotation, phase))


def _as_task(task: Content, url: str) -> ServerTask:
    """Return a task as the services read it. Raises SyncError if one of its annotations lacks an id."""
    data = task["data"]
    try:
        submissions = tuple(
            Submission(
                int(record["id"]), bool(record.get("was_cancelled")), account(record), changed_by(record), record
            )
            for record in parts(task, "annotations")
        )
    except (KeyError, TypeError, ValueError) as error:
        raise SyncError(
            f"{url}: task {task['id']} has an annotation without an id; look at it in Label Studio"
        ) from error
    source = str(data.get(names.DATA_SOURCE, ""))
    return ServerTask(task["id"], source, _caption(data), submissions, bool(task["drafts"]), task)


def _caption(data: Mapping[str, Any]) -> str:
    return str(data.get(names.DATA_CAPTION) or "")


def _hash(data: Mapping[str, Any], prediction: Mapping[str, Any] | None) -> str:
    """Return a hash of a task: its data, and what counts of its prediction."""
    counts = None if prediction is None else [prediction.get(key) for key in ("model_version", "score", "result")]
    return hashlib.sha256(encode([data, counts], order="sorted")).hexdigest()[:32]
