"""Figures and work as Label Studio's JSON: exact in text, a thousandth of a pixel in boxes."""

from __future__ import annotations

import pytest
from builders import a_figure, a_prediction, a_subfigure, boxes, figures, subfigure_lists
from hypothesis import given
from hypothesis import strategies as st
from label_studio_sdk.label_interface import LabelInterface

from annotator.label_studio.payload.figures import from_percent, prediction_payload, regions, task_data, to_percent
from label_config import names, subfigure_config
from panelwise.domain.annotation import Prediction, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure

INTERFACE = LabelInterface(subfigure_config(["A", "B", "C", "Ai", "(d)", "é"]))


@st.composite
def worked_figures(draw: st.DrawFn) -> tuple[Figure, tuple[Subfigure, ...]]:
    figure = draw(figures())
    return figure, draw(subfigure_lists(figure))


@st.composite
def boxed_figures(draw: st.DrawFn) -> tuple[Figure, Box]:
    figure = draw(figures())
    return figure, draw(boxes(figure))


@given(boxed_figures())
def test_a_box_round_trips_within_a_thousandth_of_a_pixel(case: tuple[Figure, Box]) -> None:
    figure, box = case
    assert from_percent(to_percent(box, figure), figure, str).as_list() == pytest.approx(box.as_list(), abs=1e-3)


@given(worked_figures())
def test_label_studio_itself_takes_every_prediction(case: tuple[Figure, tuple[Subfigure, ...]]) -> None:
    figure, subfigures = case
    payload = prediction_payload(Prediction(figure, "m", subfigures, (0.5,) * len(subfigures)))
    assert INTERFACE.validate_prediction(payload, return_errors=True) == []


@given(worked_figures())
def test_spans_say_the_text_that_their_offsets_cover(case: tuple[Figure, tuple[Subfigure, ...]]) -> None:
    figure, subfigures = case
    for region in regions(figure, subfigures):
        if region["from_name"] == names.SUBCAPTION:
            value = region["value"]
            assert value["text"] == figure.caption.text[value["start"] : value["end"]].replace("\n", "\\n")


def test_a_scattered_subcaption_is_several_spans_under_one_label() -> None:
    result = regions(a_figure(), [a_subfigure(tokens=(4, 6, 7, 10))])
    assert [region["value"]["labels"] for region in result[1:]] == [["A"]] * 3


def test_where_one_span_is_asked_for_the_longest_is_shown() -> None:
    figure = a_figure()
    prediction = Prediction(figure, "m", (a_subfigure(tokens=(4, 6, 7, 10)),), (0.5,))
    [_, span] = prediction_payload(prediction, single_span=True)["result"]
    assert span["value"]["text"] == "left lung"


def test_a_prediction_scores_the_mean_of_its_subfigures_and_none_scores_nothing() -> None:
    assert prediction_payload(a_prediction(scores=(0.5, 1.0)))["score"] == 0.75
    assert prediction_payload(Prediction(a_figure(), "m", (), ()))["score"] == 0.0


def test_task_data_names_the_figure_and_escapes_what_the_article_says() -> None:
    data = task_data(a_figure(image="images/a b#1.png", references=("x < y", "<script>")), seed="m1")
    assert data == {
        "image": "/data/local-files/?d=images/a%20b%231.png",
        "caption": a_figure().caption.text,
        "references": "<p>x &lt; y</p><p>&lt;script&gt;</p>",
        "title": "f1",
        "source_id": "f1",
        "model_version": "m1",
    }


@pytest.mark.parametrize("image", ["", "../secret.png", "store.sqlite"])
def test_a_figure_without_a_stored_image_is_refused(image: str) -> None:
    with pytest.raises(InvalidAnnotation, match='figure "f1": no stored image'):
        task_data(a_figure(image=image))
