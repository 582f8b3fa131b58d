"""What Label Studio hands back: work comes back as it went, and what does not fit is refused or named."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation, figures, subfigure_lists
from hypothesis import given
from hypothesis import strategies as st

from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.label_studio.payload.reading import Pulled, Submitted, pulled, submitted
from label_config import names
from panelwise.domain.annotation import EDGE_SLACK, Annotation, Status, Subfigure
from panelwise.domain.campaign import Phase
from panelwise.domain.errors import InvalidAnnotation, SyncError
from panelwise.domain.figure import Figure

TIME = "2026-11-21T10:00:00.123456Z"


@st.composite
def worked_figures(draw: st.DrawFn) -> tuple[Figure, tuple[Subfigure, ...]]:
    figure = draw(figures())
    return figure, draw(subfigure_lists(figure))


def read(figure: Figure, result: list[dict[str, Any]], *, single_span: bool = False, **record: Any) -> Pulled:
    task = {"id": 7, "data": task_data(figure), "predictions": []}
    whole = {"id": 9, "result": result, "updated_at": TIME, **record}
    return pulled(task, whole, figure, annotator="ann1", phase=Phase("1", single_span=single_span))


def a_result(annotation: Annotation | None = None) -> list[dict[str, Any]]:
    return copy.deepcopy(annotation_payload(annotation or an_annotation())["result"])


@given(worked_figures(), st.sampled_from(Status))
def test_an_annotation_round_trips(case: tuple[Figure, tuple[Subfigure, ...]], status: Status) -> None:
    figure, subfigures = case
    sent = an_annotation(figure, subfigures=subfigures, status=status, seconds=3.5)
    back = read(figure, **annotation_payload(sent))
    assert back.findings == back.left_out == ()
    assert (back.annotation.status, back.annotation.seconds) == (status, 3.5)
    assert [(each.label, each.subcaption) for each in back.annotation.subfigures] == [
        (each.label, each.subcaption) for each in subfigures
    ]
    for ours, theirs in zip(subfigures, back.annotation.subfigures, strict=True):
        assert theirs.box.as_list() == pytest.approx(ours.box.as_list(), abs=1e-3)


def test_where_one_span_is_asked_for_a_second_is_a_finding() -> None:
    result = a_result(an_annotation(subfigures=(a_subfigure(tokens=(4, 6, 7, 10)),)))
    back = read(a_figure(), result, single_span=True)
    assert 'figure "f1", annotator "ann1": label "A" has 3 spans' in back.findings[0]
    assert back.left_out == ()
    assert back.annotation.subfigures[0].subcaption == {4, 6, 7, 10}


def test_time_seed_and_guideline_are_kept() -> None:
    task = {"data": task_data(a_figure(), seed="classic-1"), "predictions": []}
    record = {"result": [], "updated_at": TIME, "parent_prediction": 4, "lead_time": 2}
    back = pulled(task, record, a_figure(), annotator="ann1", phase=Phase("1"), guideline="v2").annotation
    assert back.saved_at.isoformat() == "2026-11-21T10:00:00.123456+00:00"
    assert (back.seeded_by, back.guideline, back.seconds) == ("classic-1", "v2", 2.0)


def test_work_that_began_from_nothing_has_no_seed() -> None:
    assert read(a_figure(), []).annotation.seeded_by is None


def test_a_seed_that_nothing_tells_of_is_unknown_not_none() -> None:
    assert read(a_figure(), [], parent_prediction=4).annotation.seeded_by == "unknown"


def test_two_boxes_under_one_label_both_take_its_spans() -> None:
    subfigures = (a_subfigure(), a_subfigure(box=(400, 0, 800, 600)))
    back = read(a_figure(), a_result(an_annotation(subfigures=subfigures)))
    assert [each.subcaption for each in back.annotation.subfigures] == [{4, 6, 7}, {4, 6, 7}]
    assert 'label "A" is on more than one box' in back.findings[0]


def test_a_box_a_little_beyond_the_edge_is_cut_and_one_far_beyond_is_refused() -> None:
    figure = a_figure()
    result = a_result()
    result[0]["value"]["width"] = 100 * (800 + EDGE_SLACK / 2) / 800
    assert read(figure, result).annotation.subfigures[0].box.x1 == 800
    result[0]["value"]["width"] = 120
    with pytest.raises(InvalidAnnotation, match=r'figure "f1", annotator "ann1": box .* leaves the image'):
        read(figure, result)


@pytest.mark.parametrize(
    ("place", "key", "value", "complaint"),
    [
        ("region", "original_width", 801, "801 x 600 pixels"),
        ("region", "original_height", None, "was the image replaced"),
        ("region", "image_rotation", 90, "rotated"),
        ("value", "rotation", 0.5, "rotated"),
        ("value", "x", "left", "without numbers"),
        ("value", "x", float("nan"), "not a finite number"),
        ("value", "x", float("inf"), "not a finite number"),
        ("value", "width", -10, "is inverted"),
        ("value", "rectanglelabels", "A", "no list"),
    ],
)
def test_geometry_that_does_not_fit_is_refused(place: str, key: str, value: Any, complaint: str) -> None:
    result = a_result()
    (result[0] if place == "region" else result[0]["value"])[key] = value
    with pytest.raises(InvalidAnnotation, match=complaint):
        read(a_figure(), result)


@pytest.mark.parametrize(
    "value",
    [
        {"width": 0},
        {"height": 0.0},
        {"width": 1e-18},
        {"x": 100, "width": 0.01},
        {"y": -0.01, "height": 0.01},
    ],
)
def test_a_box_without_area_is_named_and_left_out(value: dict[str, Any]) -> None:
    result = a_result()
    result[1]["value"].update(value)
    back = read(a_figure(), result)
    assert [each.label for each in back.annotation.subfigures] == ["A"]
    assert "has no area" in back.left_out[0]
    assert "labels: B" in back.left_out[0]


def test_a_box_without_area_on_another_image_is_refused_still() -> None:
    result = a_result()
    result[1]["value"]["width"] = 0
    result[1]["original_width"] = 801
    with pytest.raises(InvalidAnnotation, match="was the image replaced"):
        read(a_figure(), result)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"end": 10_000}, "does not fit a caption"),
        ({"start": -1}, "does not fit"),
        ({"start": "three"}, "does not fit"),
        ({"text": "something else"}, "something else"),
    ],
)
def test_spans_that_do_not_fit_the_caption_are_refused(change: dict[str, Any], complaint: str) -> None:
    result = a_result()
    result[-2]["value"].update(change)
    with pytest.raises(InvalidAnnotation, match=complaint):
        read(a_figure(), result)


def test_newlines_may_be_written_out_or_not() -> None:
    text = a_figure().caption.text
    start, end = text.index("heart"), text.index("above")
    result = a_result()
    for said in (text[start:end], text[start:end].replace("\n", "\\n"), text[start:end].replace("\n", " ")):
        result[-2]["value"] = {"start": start, "end": end, "text": said, "labels": ["A"]}
        assert read(a_figure(), result).left_out == ()


def test_what_has_no_label_or_no_box_is_named() -> None:
    result = a_result()
    result[0]["value"]["rectanglelabels"] = []
    result[3]["value"]["labels"] = []
    back = read(a_figure(), result)
    assert [each.label for each in back.annotation.subfigures] == ["B"]
    told = " | ".join(back.left_out)
    assert "has no label, so it is left out" in told
    assert 'label "A" has 1 span(s) in the caption but no box' in told


def test_regions_of_other_controls_are_named() -> None:
    result = [{"from_name": "brush", "value": {}}, {"type": "relation", "from_id": "a", "to_id": "b"}]
    back = read(a_figure(), result)
    assert [("brush" in line, "relation" in line) for line in back.left_out] == [(True, False), (False, True)]


def test_an_unknown_choice_is_a_finding() -> None:
    back = read(a_figure(), [{"from_name": names.STATUS, "value": {"choices": ["Perhaps"]}}])
    assert "Perhaps" in back.findings[0]
    assert back.annotation.status is Status.ACCEPTED


def test_a_region_that_is_no_object_is_refused() -> None:
    with pytest.raises(InvalidAnnotation, match="no object"):
        read(a_figure(), ["box"])


def test_a_caption_replaced_meanwhile_is_refused() -> None:
    task = {"data": task_data(a_figure(caption="older")), "predictions": []}
    with pytest.raises(InvalidAnnotation, match="not the stored one"):
        pulled(task, {"result": [], "updated_at": TIME}, a_figure(), annotator="ann1", phase=Phase("1"))


def test_a_time_that_is_none_is_told() -> None:
    with pytest.raises(SyncError, match="is no time"):
        read(a_figure(), [], updated_at="yesterday")


def test_of_several_annotations_the_owners_latest_counts() -> None:
    def record(id: int, by: Any, hour: int) -> dict[str, Any]:
        return {"id": id, "completed_by": by, "updated_at": f"2026-11-21T{hour:02}:00:00Z"}

    task = {"annotations": [record(1, 5, 9), record(2, {"id": 5}, 10), record(3, 6, 11)]}
    assert submitted(task, owner=5) == Submitted(task["annotations"][1], 2, (5, 6))
    assert submitted(task) == Submitted(task["annotations"][2], 2, (5, 6))
    assert submitted({"annotations": []}) == Submitted(None, 0, ())


def test_of_a_known_owner_who_has_submitted_nothing_nothing_counts() -> None:
    task = {"annotations": [{"id": 1, "completed_by": 5, "updated_at": TIME}]}
    assert submitted(task, owner=8) == Submitted(None, 1, (5,))


@pytest.mark.parametrize("huge", [10**400, float("inf")])
def test_numbers_beyond_all_measure_are_refused(huge: float) -> None:
    result = a_result()
    result[0]["value"]["x"] = huge
    with pytest.raises(InvalidAnnotation):
        read(a_figure(), result=result)
    assert read(a_figure(), result=a_result(), lead_time=huge).annotation.seconds is None


def test_a_time_beyond_the_calendar_is_told() -> None:
    with pytest.raises(SyncError, match="updated_at is no time"):
        read(a_figure(), result=a_result(), updated_at="0001-01-01T00:00:00+14:00")
