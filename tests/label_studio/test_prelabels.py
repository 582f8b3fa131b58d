"""What the pre-labeller proposes is what Label Studio takes, checked as strictly as it can, and gives back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from label_studio_sdk.label_interface import LabelInterface
from PIL import Image
from prelabel_cases import captions, images

from annotator.campaign.home import DEFAULT_LABELS
from annotator.campaign.palette import on_palette
from annotator.label_studio.payload.figures import prediction_payload
from label_config import names, subfigure_config
from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise_simulator.figures import SimulatedFigure
from prelabel.classic.prelabeller import CLASSIC

CONFIG = subfigure_config(list(DEFAULT_LABELS))
INTERFACE = LabelInterface(CONFIG)


def checked(prediction: Prediction) -> None:
    """Raise AssertionError unless Label Studio's strict validation passes, and each offset fits its text.

    The latter it does not look at. Labels are brought onto the palette as they are when a figure is pushed; what
    is on none even so is left out there.
    """
    pushed = on_palette(prediction, DEFAULT_LABELS, spare=True)
    kept = [place for place, each in enumerate(pushed.subfigures) if each.label in DEFAULT_LABELS]
    assert len(kept) == min(len(pushed.subfigures), len(DEFAULT_LABELS))
    pushed = replace(
        pushed,
        subfigures=tuple(pushed.subfigures[place] for place in kept),
        scores=tuple(pushed.scores[place] for place in kept),
    )
    payload = prediction_payload(pushed)
    assert INTERFACE.validate_prediction(payload, return_errors=True) == []
    assert 0.0 <= payload["score"] <= 1.0
    text = prediction.figure.caption.text
    for region in payload["result"]:
        value = region["value"]
        if region["from_name"] == names.SUBCAPTION:
            assert value["text"] == text[value["start"] : value["end"]].replace("\n", "\\n")
        else:
            assert value["x"] >= 0.0
            assert value["y"] >= 0.0
            assert value["x"] + value["width"] <= 100.0 + 1e-9
            assert value["y"] + value["height"] <= 100.0 + 1e-9


@given(images(), captions)
def test_label_studio_takes_the_pre_labels_of_every_figure(image: Image.Image, text: str) -> None:
    checked(CLASSIC.predict(Figure("f", "images/f.png", image.width, image.height, Caption.cut(text)), image))


@pytest.mark.slow
def test_label_studio_takes_the_pre_labels_of_simulated_figures(six: list[SimulatedFigure]) -> None:
    for each in six:
        checked(CLASSIC.predict(each.figure(), each.image))


@pytest.mark.slow
def test_label_studio_takes_the_pre_labels_of_real_figures(shared_data) -> None:
    from panelwise.files.jsonl import Problems
    from panelwise.formats.figures import read_figures
    from prelabel.runs.predict import figure_of, predict

    for number, record in enumerate(read_figures(shared_data / "figures.jsonl", Problems())):
        if number % 20 == 0:
            checked(predict(*figure_of(record, shared_data)))
