"""What the pre-labeller proposes is what Label Studio takes, checked as strictly as it can, and gives back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from label_studio_sdk.label_interface import LabelInterface
from PIL import Image
from prelabel_cases import captions, images

from annotator.domain.annotation import Prediction
from annotator.domain.caption import Caption
from annotator.domain.figure import Figure
from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.payload import prediction_payload, task_data
from annotator.label_studio.reading import pulled, submitted
from annotator.services.home import DEFAULT_LABELS
from annotator.services.palette import on_palette
from label_config import names, subfigure_config
from prelabel.classic.prelabeller import CLASSIC
from prelabel.synth.figures import SimulatedFigure

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
    from annotator.formats.figures import read_figures
    from annotator.formats.jsonl import Problems
    from prelabel.predict import figure_of, predict

    for number, record in enumerate(read_figures(shared_data / "figures.jsonl", Problems())):
        if number % 20 == 0:
            checked(predict(*figure_of(record, shared_data)))


@pytest.mark.slow
@pytest.mark.live
def test_pre_labels_come_back_from_the_real_server_as_they_went(
    real: LabelStudioServer, six: list[SimulatedFigure]
) -> None:
    """As a prediction, and as the annotation that an annotator makes of it by submitting it unchanged."""
    project = real.create_project("prelabels", "a mark", CONFIG)
    try:
        sent = [
            on_palette(CLASSIC.predict(each.figure(f"images/{each.image_name}"), each.image), DEFAULT_LABELS,
                       spare=True)
            for each in six
        ]  # fmt: skip
        tasks = [
            {"data": task_data(each.figure, seed=each.model_version), "predictions": [prediction_payload(each)]}
            for each in sent
        ]
        assert real.import_tasks(project.id, tasks).predictions == len(sent)
        back = {task["data"][names.DATA_SOURCE]: task for task in real.tasks(project.id)}
        for task in tasks:
            found = back[task["data"][names.DATA_SOURCE]]
            # Count what was made: the server has its ways of dropping rows in silence.
            [prediction] = found["predictions"]
            assert prediction["result"] == task["predictions"][0]["result"]
            assert prediction["score"] == pytest.approx(task["predictions"][0]["score"])
            real.add_annotation(
                found["id"], {"result": prediction["result"], "parent_prediction": prediction["id"]}
            )
        for task in real.tasks(project.id):
            [each] = [
                own for own in sent if names.task_source(own.figure.id, 1) == task["data"][names.DATA_SOURCE]
            ]
            record = submitted(task).record
            assert record is not None
            work = pulled(task, record, each.figure, annotator="ann1", phase="1")
            assert work.findings == work.left_out == ()
            assert work.annotation.seeded_by == each.model_version
            by_label = {subfigure.label: subfigure for subfigure in work.annotation.subfigures}
            assert set(by_label) == {subfigure.label for subfigure in each.subfigures}
            for subfigure in each.subfigures:
                assert by_label[subfigure.label].subcaption == subfigure.subcaption
                assert by_label[subfigure.label].box.as_list() == pytest.approx(subfigure.box.as_list(), abs=1e-3)
    finally:
        real.delete_project(project.id)
