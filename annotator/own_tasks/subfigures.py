"""A figure's subfigures as an annotator's own task: the screen, and what it starts from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from annotator.adjudication.proposals import panels
from annotator.adjudication.state import FigureState
from annotator.adjudication.subfigures import figure_state
from annotator.campaign.home import Home
from annotator.campaign.palette import on_palette
from annotator.consensus.differences import has_too_many_boxes
from annotator.queue.pages import Progress
from annotator.store.queries.work import FigureWork
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.figure import Figure


def shown_prediction(prediction: Prediction | None, campaign: Campaign, phase: Phase) -> Prediction | None:
    """A model's prediction as a task starts from it; None if it has more boxes than the campaign allows."""
    if prediction is None or has_too_many_boxes(prediction, campaign):
        return None
    shown = on_palette(prediction, campaign.labels, spare=False)
    return shown.with_single_spans() if phase.single_span else shown


def task_state(
    figure: Figure, prediction: Prediction | None, home: Home, annotator: str, progress: Progress
) -> FigureState:
    """Build the adjudication screen of a figure with at most a prediction."""
    found = figure_state(FigureWork(figure, (), (), (), prediction), home, annotator, progress)
    candidates = tuple(replace(each, conflict=False, reasons=()) for each in found.candidates)
    return msgspec.structs.replace(found, candidates=candidates)


def shown_work(own: Annotation) -> dict[str, Any]:
    """Return an annotator's work as the view of a decision shows it."""
    return {"subfigures": panels(own.subfigures)}
