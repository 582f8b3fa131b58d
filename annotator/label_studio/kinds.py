"""The labelling config and the tasks of each task type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotator.label_studio.payload import figures
from annotator.label_studio.payload import items as payload_items
from label_config.subfigures import subfigure_config
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.figure import Figure
from panelwise.formats.scivqa import predicted_kind


@dataclass(frozen=True, slots=True)
class Sent:
    """A task as it is sent to the server.

    data: what its config shows. prediction: what the annotator starts from, or None. left_out: parts of the
    prediction that could not be sent, a line each.
    """

    data: Mapping[str, Any]
    prediction: Mapping[str, Any] | None
    left_out: tuple[str, ...] = ()


def config_of(campaign: Campaign, phase: Phase) -> str:
    """Return the labelling config of a phase's projects. Raises ValueError for labels that it can't hold."""
    if phase.task_type is TaskType.SUBFIGURES:
        return subfigure_config(campaign.labels)
    return payload_items.items_config(phase)


def task_of(figure: Figure, prediction: Prediction | None, campaign: Campaign, phase: Phase) -> Sent:
    """Return a figure's task. prediction: a model's latest, None to show none.

    Labels that the campaign lacks are left out: the server refuses them. Tasks on figure types show a model's
    types in a seeded phase, else those imported with the figure. Raises InvalidAnnotation if the figure can't be a
    task.
    """
    if phase.task_type is not TaskType.SUBFIGURES:
        pairs = () if phase.task_type is TaskType.FIGURE_TYPES else figure.imported.pairs
        start = predicted_kind(figure, prediction) if phase.asks_for_kind and phase.seeded else None
        return Sent(
            payload_items.items_data(figure, phase, pairs, seed=start.model_version if start else ""),
            payload_items.items_prediction(phase, pairs, start.items.kind if start else None),
        )
    if prediction is None:
        return Sent(figures.task_data(figure), None)
    shown, left_out = _offered(prediction, campaign)
    payload = figures.prediction_payload(shown, single_span=phase.single_span)
    return Sent(figures.task_data(figure, seed=shown.model_version), payload, left_out)


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
