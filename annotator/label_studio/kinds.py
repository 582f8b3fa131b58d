"""The labelling config, the tasks and the annotations of each task type."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msgspec.json import encode

from annotator.annotation_server import Content, SentTask, ServerTask, Submission
from annotator.label_studio.answers import account, changed_by, parts
from annotator.label_studio.payload import figures
from annotator.label_studio.payload import items as payload_items
from label_config import names, subfigure_config
from panelwise.domain import Annotation, Campaign, Figure, Phase, Prediction, Subfigure, SyncError
from panelwise.formats import predicted_kind


def config_of(campaign: Campaign, phase: Phase) -> str:
    """Return the labelling config of a phase's projects. Raises ValueError for labels that it can't hold."""
    if phase.kind.drawn:
        return subfigure_config(campaign.labels)
    return payload_items.items_config(phase)


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
    return SentTask(data, payload, left_out, _caption(data), content_hash(data, payload))


def task_on_server(task: Content, url: str) -> ServerTask:
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


def content_hash(data: Content, prediction: Content | None) -> str:
    """Return a hash of a task: its data, and what counts of its prediction."""
    counts = None if prediction is None else [prediction.get(key) for key in ("model_version", "score", "result")]
    return hashlib.sha256(encode([data, counts], order="sorted")).hexdigest()[:32]


def _caption(data: Content) -> str:
    return str(data.get(names.DATA_CAPTION) or "")


def annotation_of(annotation: Annotation, phase: Phase) -> dict[str, Any]:
    """Return an annotation of a task of the phase, as the server takes it."""
    if phase.kind.drawn:
        return figures.annotation_payload(annotation)
    return payload_items.items_annotation(annotation, phase, annotation.figure.imported.pairs)


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
