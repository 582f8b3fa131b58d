"""Label Studio as an `AnnotationServer`: Panelwise's values to and from its JSON, for each kind of task."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any
from xml.etree import ElementTree

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
from annotator.label_studio import ml_backend
from annotator.label_studio.answers import account, changed_by, part, parts
from annotator.label_studio.ml_backend import ModelServers
from annotator.label_studio.payload import figures, reading
from annotator.label_studio.payload import items as payload_items
from label_config import names, subfigure_config
from panelwise.domain import Annotation, Campaign, Figure, Phase, Prediction, SyncError
from panelwise.files import is_number
from panelwise.formats import predicted_kind


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
            return subfigure_config(campaign.labels) if phase.kind.drawn else payload_items.items_config(phase)
        except ValueError as error:
            raise SyncError(f"labels in campaign.toml: {error}; correct them") from error

    def missing_parts(self, config: str, required: str) -> tuple[str, ...]:
        """Describe what `config` lacks of the required one."""
        return missing_parts(config, required)

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
        return task_of(figure, prediction, campaign, phase, labels=labels)

    def add_tasks(self, project_id: int, tasks: Sequence[SentTask]) -> Imported:
        """Add tasks, all of them or none."""
        return self.import_tasks(
            project_id,
            [{"data": task.data, "predictions": [task.prediction] if task.prediction else []} for task in tasks],
        )

    def read_tasks(self, project_id: int, task_ids: Sequence[int]) -> list[ServerTask]:
        """Return those of the tasks that the project has."""
        return [_task_on_server(task, self.url) for task in self.tasks_by_id(project_id, task_ids)]

    def tasks_of_sources(self, project_id: int, sources: Sequence[str]) -> list[ServerTask]:
        """Return the project's tasks of these sources, by id."""
        return [_task_on_server(task, self.url) for task in self.tasks_by_source(project_id, sources)]

    def read_changes(self, project_id: int, since: str | None) -> Iterator[tuple[TaskMark, ServerTask]]:
        """Yield the tasks that changed after `since`, in the order of their changes."""
        for mark, task in self.whole_changes(project_id, since):
            yield mark, _task_on_server(task, self.url)

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
        return _content_hash(task.content["data"], next(iter(predictions), None))

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
        record = next((submission for submission in task.submissions if submission.content is found.record), None)
        return Submitted(record, found.others, found.accounts)

    def changed_locks(self, task: ServerTask, record: Submission) -> Iterator[str]:
        """Describe an annotation's missing or moved locked regions."""
        return changed_locked_regions(task.content, record.content)

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
        if phase.kind.drawn:
            return self.add_annotation(task_id, figures.annotation_payload(annotation))
        pairs = annotation.figure.imported.pairs
        return self.add_annotation(task_id, payload_items.items_annotation(annotation, phase, pairs))


#: What annotators choose from.
_OFFERS = ("Label", "Choice")


def missing_parts(there: str, required: str) -> tuple[str, ...]:
    """Describe the project's missing parts of the expected config, for the lead; () if work can be read.

    Compared are names of controls and objects, what each shows or refers to, and the labels and choices. Texts,
    colours, hotkeys and order may differ.
    """
    try:
        found = set(_parts(ElementTree.fromstring(there)))
    except ElementTree.ParseError:
        return ("it is no XML",)
    return tuple(dict.fromkeys(part for part in _parts(ElementTree.fromstring(required)) if part not in found))


def _parts(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        name = element.get("name")
        if name is None:
            continue
        about = f' of "{element.get("toName")}"' if element.get("toName") else ""
        value = element.get("value", "")
        shows = f" showing {value}" if value.startswith("$") else ""
        yield f'{element.tag} "{name}"{about}{shows}'
        for offer in element.iter():
            if offer.tag in _OFFERS:
                yield f'"{offer.get("alias") or offer.get("value")}" in "{name}"'


#: Percent of the image: the page rewrites numbers, with other last digits.
_TOLERANCE = 0.01
_LABELS = ("rectanglelabels", "labels", "choices")


def changed_locked_regions(task: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[str]:
    """Describe an annotation's missing or moved locked regions, for its annotator.

    Locked are the regions that the task's predictions mark as `readonly`. Places and labels are compared; ids and
    order are the server's.
    """
    there = parts(record, "result")
    for prediction in parts(task, "predictions"):
        for region in parts(prediction, "result"):
            if not region.get("readonly"):
                continue
            same = [each for each in there if each.get("from_name") == region.get("from_name")]
            value = part(region, "value")
            if any(_alike(value, each.get("value")) for each in same):
                continue
            called = ", ".join(str(label) for key in _LABELS for label in value.get(key) or ())
            kept = any(_labels(value) == _labels(part(each, "value")) for each in same)
            yield f'the locked region "{called}" was {"changed" if kept else "removed"}'


def _labels(value: Mapping[str, Any]) -> list[Any]:
    return [value.get(key) for key in _LABELS]


def _alike(one: Mapping[str, Any], other: object) -> bool:
    if not isinstance(other, Mapping):
        return False
    # Texts come with newlines written otherwise; where they are is what counts.
    return all(_equal(each, other.get(key)) for key, each in one.items() if key != "text")


def _equal(one: object, other: object) -> bool:
    if is_number(one) and is_number(other):
        return isclose(float(str(one)), float(str(other)), abs_tol=_TOLERANCE, rel_tol=0)
    return one == other


def task_of(
    figure: Figure,
    prediction: Prediction | None,
    campaign: Campaign,
    phase: Phase,
    *,
    labels: Sequence[str] | None = None,
) -> SentTask:
    """Return a figure's task. prediction: a model's latest, None to show none. labels: that the caption names.

    Labels that the campaign lacks are left out: the server refuses them. Tasks on figure types show a model's
    types in a seeded phase, else those imported with the figure. Raises InvalidAnnotation if the figure can't be a
    task.
    """
    left_out: tuple[str, ...] = ()
    payload: dict[str, Any] | None = None
    data: dict[str, Any]
    if not phase.kind.drawn:
        pairs = figure.imported.pairs if phase.kind.on_pairs else ()
        start = predicted_kind(figure, prediction) if phase.asks_for_kind and phase.seeded else None
        data = payload_items.items_data(figure, phase, pairs, seed=start.model_version if start else "")
        payload = payload_items.items_prediction(phase, pairs, start.items.kind if start else None)
    elif prediction is None:
        data = {**figures.task_data(figure)}
    else:
        shown, left_out = _offered(prediction, campaign)
        payload = figures.prediction_payload(shown, single_span=phase.single_span)
        data = {**figures.task_data(figure, seed=shown.model_version)}
    if labels is not None:
        data[names.DATA_LABELS] = list(labels)
    return SentTask(data, payload, left_out, _caption(data), _content_hash(data, payload))


def _task_on_server(task: Content, url: str) -> ServerTask:
    """Return a task of the server's API as the services read it.

    Raises SyncError, which names the server by its `url`, if one of its annotations lacks an id.
    """
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


def _content_hash(data: Content, prediction: Content | None) -> str:
    """Return a hash of a task: its data, and what counts of its prediction."""
    counts = None if prediction is None else [prediction.get(key) for key in ("model_version", "score", "result")]
    return hashlib.sha256(encode([data, counts], order="sorted")).hexdigest()[:32]


def _caption(data: Content) -> str:
    return str(data.get(names.DATA_CAPTION) or "")


def _offered(prediction: Prediction, campaign: Campaign) -> tuple[Prediction, tuple[str, ...]]:
    """Return the prediction with the campaign's labels only, and a line for each label left out."""
    labels = [subfigure.label for subfigure in prediction.subfigures]
    left_out = tuple(
        f'figure "{prediction.figure.id}": the prediction of {prediction.model_version} has label "{label}", '
        "which is not among the campaign's; it is left out (add it to labels in campaign.toml)"
        for label in labels
        if label not in campaign.labels
    )
    known = [place for place, label in enumerate(labels) if label in campaign.labels]
    return prediction.take(known), left_out
