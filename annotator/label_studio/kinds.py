"""What differs between task types in push and pull."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from annotator.label_studio.payload import figures, reading, reading_items
from annotator.label_studio.payload import items as payload_items
from annotator.label_studio.payload.reading import Pulled
from label_config.subfigures import subfigure_config
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.errors import SyncError
from panelwise.domain.figure import Figure
from panelwise.formats.scivqa import pairs_of, predicted_kind


@dataclass(frozen=True, slots=True)
class Sent:
    """A task as it is sent to the server.

    data: what its config shows. prediction: what the annotator starts from, or None. left_out: parts of the
    prediction that could not be sent, a line each.
    """

    data: Mapping[str, Any]
    prediction: Mapping[str, Any] | None
    left_out: tuple[str, ...] = ()


class Kind(Protocol):
    """A type of tasks. Add a new one to `KINDS`; no other code asks for a task's type."""

    def config(self, campaign: Campaign, phase: Phase) -> str:
        """Return the labelling config of a phase's projects. Raises ValueError if campaign.toml has none."""
        ...

    def sent(self, figure: Figure, prediction: Prediction | None, campaign: Campaign, phase: Phase) -> Sent:
        """Return a figure's task. prediction: a model's latest, None to show none.

        Raises InvalidAnnotation if the figure can't be a task.
        """
        ...

    def read(
        self,
        task: Mapping[str, Any],
        record: Mapping[str, Any],
        figure: Figure,
        *,
        annotator: str,
        phase: Phase,
        guideline: str = "",
    ) -> Pulled:
        """Return one annotation of a task. Raises InvalidAnnotation, which names figure and annotator."""
        ...


class Subfigures:
    """Tasks on subfigures: boxes and their captions."""

    def config(self, campaign: Campaign, phase: Phase) -> str:
        """See `Kind`."""
        return subfigure_config(campaign.labels)

    def sent(self, figure: Figure, prediction: Prediction | None, campaign: Campaign, phase: Phase) -> Sent:
        """See `Kind`. Labels that the campaign lacks are left out: the server refuses them."""
        left_out: tuple[str, ...] = ()
        if prediction is not None:
            prediction, left_out = _offered(prediction, campaign)
        return Sent(
            figures.task_data(figure, seed=prediction.model_version if prediction is not None else ""),
            figures.prediction_payload(prediction, single_span=phase.single_span)
            if prediction is not None
            else None,
            left_out,
        )

    def read(
        self,
        task: Mapping[str, Any],
        record: Mapping[str, Any],
        figure: Figure,
        *,
        annotator: str,
        phase: Phase,
        guideline: str = "",
    ) -> Pulled:
        """See `Kind`."""
        return reading.pulled(
            task,
            record,
            figure,
            annotator=annotator,
            phase=phase.name,
            guideline=guideline,
            single_span=phase.single_span,
        )


class ItemTasks:
    """Tasks on figure types, verdicts on question-answer pairs, or human answers."""

    def config(self, campaign: Campaign, phase: Phase) -> str:
        """See `Kind`."""
        return payload_items.items_config(phase)

    def sent(self, figure: Figure, prediction: Prediction | None, campaign: Campaign, phase: Phase) -> Sent:
        """See `Kind`. Seeded phases show a model's types, else those imported with the figure."""
        pairs = () if phase.task_type is TaskType.FIGURE_TYPES else pairs_of(figure)
        start = predicted_kind(figure, prediction) if phase.asks_for_kind and phase.seeded else None
        return Sent(
            payload_items.items_data(figure, phase, pairs, seed=start.model_version if start else ""),
            payload_items.items_prediction(phase, pairs, start.items.kind if start else None),
        )

    def read(
        self,
        task: Mapping[str, Any],
        record: Mapping[str, Any],
        figure: Figure,
        *,
        annotator: str,
        phase: Phase,
        guideline: str = "",
    ) -> Pulled:
        """See `Kind`."""
        return reading_items.pulled_items(
            task, record, figure, annotator=annotator, phase=phase, guideline=guideline
        )


#: What knows of each type of tasks.
KINDS: Mapping[TaskType, Kind] = {
    TaskType.SUBFIGURES: Subfigures(),
    **dict.fromkeys(sorted(payload_items.ITEM_TASKS), ItemTasks()),
}


def kind_of(phase: Phase) -> Kind:
    """Return the kind of a phase's tasks. Raises SyncError for a type that can't be pushed."""
    found = KINDS.get(phase.task_type)
    if found is None:
        offered = ", ".join(f'"{each.value}"' for each in KINDS)
        raise SyncError(
            f'phase "{phase.name}": tasks of type "{phase.task_type.value}" cannot be pushed yet; use {offered}'
        )
    return found


def _offered(prediction: Prediction, campaign: Campaign) -> tuple[Prediction, tuple[str, ...]]:
    """Return the prediction with the campaign's labels only, and a line for each label left out."""
    kept: list[tuple[Subfigure, float]] = []
    left_out = []
    for subfigure, score in zip(prediction.subfigures, prediction.scores, strict=True):
        if subfigure.label in campaign.labels:
            kept.append((subfigure, score))
            continue
        left_out.append(
            f'figure "{prediction.figure.id}": the prediction of {prediction.model_version} has label '
            f'"{subfigure.label}", which is not among the campaign\'s; it is left out '
            "(add it to labels in campaign.toml)"
        )
    shown = replace(
        prediction, subfigures=tuple(each for each, _ in kept), scores=tuple(score for _, score in kept)
    )
    return shown, tuple(left_out)
