"""Label Studio as an `AnnotationServer`: Panelwise's values to and from the JSON of its requests."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotator.annotation_server import (
    AnnotationServer,
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
from annotator.label_studio.ml_backend import ModelServers
from annotator.label_studio.payload import reading
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
        return kinds.task_of(figure, prediction, campaign, phase, labels=labels)

    def add_tasks(self, project_id: int, tasks: Sequence[SentTask]) -> Imported:
        """Add tasks, all of them or none."""
        return self.import_tasks(
            project_id,
            [{"data": task.data, "predictions": [task.prediction] if task.prediction else []} for task in tasks],
        )

    def read_tasks(self, project_id: int, task_ids: Sequence[int]) -> list[ServerTask]:
        """Return those of the tasks that the project has."""
        return [kinds.task_on_server(task, self.url) for task in self.tasks_by_id(project_id, task_ids)]

    def tasks_of_sources(self, project_id: int, sources: Sequence[str]) -> list[ServerTask]:
        """Return the project's tasks of these sources, by id."""
        return [kinds.task_on_server(task, self.url) for task in self.tasks_by_source(project_id, sources)]

    def read_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, ServerTask]]:
        """Yield the tasks that changed after `since`, in the order of their changes."""
        for mark, task in self.whole_changes(project_id, since):
            yield mark, kinds.task_on_server(task, self.url)

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
        if len(predictions) > 1:
            return None
        return kinds.content_hash(task.content["data"], next(iter(predictions), None))

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
