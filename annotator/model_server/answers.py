"""A model's answers to Label Studio's tasks, in its ML backend protocol."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from annotator.campaign.palette import on_palette
from annotator.label_studio.payload.figures import prediction_payload
from annotator.label_studio.payload.items import items_prediction
from annotator.model_server.tasks import ImageSource, figure_of_task, image_address
from label_config import names
from panelwise.domain import AnnotatorError, FormatError, Phase, Prediction, TaskType
from panelwise.runtime import record_fault
from prelabel.runs import Prelabeller

#: Longest labelling config that is read, in characters.
MOST_CONFIG = 1_000_000
_TYPES = Phase(name="types", task_type=TaskType.FIGURE_TYPES)


class Answers:
    """A model behind Label Studio's protocol. It predicts one figure at a time for all clients.

    warn: hears, a line each, of figures that could not be done.
    """

    def __init__(self, model: Prelabeller, images: ImageSource, warn: Callable[[str], None]) -> None:
        self._model = model
        self._images = images
        self._warn = warn
        self._one = threading.Lock()

    @property
    def version(self) -> str:
        """Of the model."""
        return self._model.version

    def check(self, config: str) -> None:
        """Raise FormatError, one line, where projects of this labelling config cannot be served."""
        if not labels_of(config) and not asks_for_types(config):
            raise FormatError(
                f'the labelling config has neither <RectangleLabels name="{names.SUBFIGURE}"> nor '
                f'<Choices name="{names.TYPES}">; only projects made by `annotator push` can be served'
            )

    def predictions(
        self, tasks: Sequence[object], config: str, *, single_span: bool = False
    ) -> list[dict[str, Any] | list[Any]]:
        """Return an answer for each task, in order; empty for one that failed: it is not stored, and the task
        is requested again when it is opened next.
        """
        labels, types = labels_of(config), asks_for_types(config)
        found: list[dict[str, Any] | list[Any]] = []
        for task in tasks:
            try:
                found.append(self._prediction(task, labels, types, single_span) or [])
            except AnnotatorError as error:
                self._warn(str(error))
                found.append([])
            except Exception as error:  # A fault of the model's on one figure must not stop the server.
                self._warn(f"{_named(task)}: the model failed on it ({record_fault(error)})")
                found.append([])
        return found

    def _prediction(
        self, task: object, labels: Sequence[str], types: bool, single_span: bool
    ) -> dict[str, Any] | None:
        data = task.get("data") if isinstance(task, Mapping) else None
        if not isinstance(data, Mapping):
            raise FormatError(f"{_named(task)}: has no data")
        image = self._images.image(image_address(data, _named(task)))
        figure = figure_of_task(data, image, _named(task))
        with self._one:
            prediction = self._model.predict(figure, image)
        if not labels:
            kind = prediction.items.kind if types else None
            return signed(items_prediction(_TYPES, (), kind), self.version)
        return signed(prediction_payload(_offered(prediction, labels), single_span=single_span), self.version)


def signed(payload: dict[str, Any] | None, version: str) -> dict[str, Any] | None:
    """The prediction, each region bearing the model's version: all of a project's predictions share one there.

    What is read back from there: `annotator.label_studio.payload.reading`.
    """
    if payload is None:
        return None
    return {**payload, "result": [{**region, names.REGION_MODEL: version} for region in payload["result"]]}


def labels_of(config: str) -> tuple[str, ...]:
    """Return the labels that a project offers for subfigures; empty if its config has none.

    Raises FormatError for a config that is no XML, or has a document type: entities are not for configs.
    """
    root = _parsed(config)
    return tuple(
        value
        for control in root.iter("RectangleLabels")
        if control.get("name") == names.SUBFIGURE
        for label in control.iter("Label")
        if (value := label.get("value"))
    )


def asks_for_types(config: str) -> bool:
    """Return whether a project asks what types a figure has."""
    return any(control.get("name") == names.TYPES for control in _parsed(config).iter("Choices"))


def _parsed(config: str) -> ElementTree.Element:
    if len(config) > MOST_CONFIG or "<!DOCTYPE" in config or "<!ENTITY" in config:
        raise FormatError("the labelling config is too long, or has a document type; leave that out")
    try:
        return ElementTree.fromstring(config)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        raise FormatError(
            f"the labelling config is no XML ({error}); correct it in the project's settings"
        ) from None


def _offered(prediction: Prediction, labels: Sequence[str]) -> Prediction:
    """With the project's labels only: the server refuses others."""
    renamed = on_palette(prediction, labels, spare=True)
    kept = [place for place, each in enumerate(renamed.subfigures) if each.label in labels]
    return replace(
        renamed,
        subfigures=tuple(renamed.subfigures[place] for place in kept),
        scores=tuple(renamed.scores[place] for place in kept),
    )


def _named(task: object) -> str:
    number = task.get("id") if isinstance(task, Mapping) else None
    return f"task {number}" if isinstance(number, int) else "a task"
