"""What Label Studio hands back: work comes back as it went, and what does not fit is refused or named."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation, figures, subfigure_lists
from hypothesis import given
from hypothesis import strategies as st

from annotator.annotation_server import Pulled, Submitted
from annotator.label_studio.payload.figures import annotation_payload, task_data
from annotator.label_studio.payload.reading import pulled, submitted
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


def test_a_box_a_little_beyond_the_edge_is_cut_and_one_far_beyond_is_left_out() -> None:
    figure = a_figure()
    result = a_result()
    result[0]["value"]["width"] = 100 * (800 + EDGE_SLACK / 2) / 800
    assert read(figure, result).annotation.subfigures[0].box.x1 == 800
    result[0]["value"]["width"] = 120
    back = read(figure, result)
    assert [each.label for each in back.annotation.subfigures] == ["B"]
    assert back.left_out[0].startswith(
        'figure "f1", annotator "ann1": box [0.0, 0.0, 960.0, 600.0] leaves the image'
    )
    assert "; draw it inside" in back.left_out[0]
    result[0]["value"]["width"] = 800
    assert "it looks like pixels; give percent of the image" in read(figure, result).left_out[0]


@pytest.mark.parametrize(
    ("place", "key", "value", "complaint"),
    [
        ("region", "original_height", None, "does not say on which size of image"),
        ("region", "original_width", "wide", "does not say on which size of image"),
        ("region", "image_rotation", 90, "rotated"),
        ("value", "rotation", 0.5, "rotated"),
        ("value", "rotation", "slightly", "rotated"),
        ("value", "x", "left", "without numbers"),
        ("value", "x", float("nan"), "not a finite number"),
        ("value", "x", float("inf"), "not a finite number"),
        ("value", "x", 10**400, "without numbers"),
        ("value", "rectanglelabels", {"A": 1}, "no list"),
        ("region", "value", {"points": [[0, 0], [5, 0], [5, 5]], "polygonlabels": ["A"]}, "without numbers"),
        ("region", "value", None, 'a region of kind "rectanglelabels"'),
    ],
)
def test_a_box_that_cannot_be_read_costs_only_itself(place: str, key: str, value: Any, complaint: str) -> None:
    result = a_result()
    (result[0] if place == "region" else result[0]["value"])[key] = value
    back = read(a_figure(), result)
    assert [each.label for each in back.annotation.subfigures] == ["B"]
    assert complaint in back.left_out[0]
    assert all(line.startswith('figure "f1", annotator "ann1": ') for line in back.left_out)


def test_boxes_of_another_size_of_image_refuse_the_annotation() -> None:
    result = a_result()
    result[0]["original_width"] = 801
    with pytest.raises(InvalidAnnotation, match=r"801 x 600 pixels.*was the image replaced"):
        read(a_figure(), result)


@pytest.mark.parametrize(
    ("place", "change", "note"),
    [
        ("value", {"x": 50, "width": -50}, "has its corners swapped; read as [0.0, 0.0, 400.0, 600.0]"),
        ("value", {"y": 100, "height": -100}, "has its corners swapped"),
        ("value", {"height": 100.1}, "passes the image's edge by a rounding; read as [0.0, 0.0, 400.0, 600.0]"),
        ("value", {"rectanglelabels": [" A\t"]}, 'has blanks around it; read as "A"'),
        ("value", {"rectanglelabels": "A"}, ""),
        ("value", {"rotation": "0"}, ""),
        ("value", {"rotation": 360.0}, ""),
        ("value", {"rotation": None, "width": "50"}, ""),
        ("region", {"image_rotation": "0.0", "original_width": "800"}, ""),
    ],
)
def test_harmless_deviations_of_a_box_are_put_right(place: str, change: dict[str, Any], note: str) -> None:
    result = a_result()
    (result[0] if place == "region" else result[0]["value"]).update(change)
    back = read(a_figure(), result)
    assert back.annotation.subfigures == read(a_figure(), a_result()).annotation.subfigures
    assert back.left_out == ()
    assert note in (back.findings[0] if note else "")
    assert len(back.findings) == bool(note)


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


@pytest.mark.parametrize("text_of_b", [False, True])
def test_nothing_is_missing_without_a_box_without_area_but_the_text_of_its_label(text_of_b: bool) -> None:
    tokens = (9, 10) if text_of_b else ()
    result = a_result(an_annotation(subfigures=(a_subfigure("A"), a_subfigure("B", tokens=tokens))))
    box_of_b = next(each for each in result if "x" in each["value"] and "B" in str(each["value"]))
    box_of_b["value"]["width"] = 0
    back = read(a_figure(), result)
    assert [each.label for each in back.annotation.subfigures] == ["A"]
    assert back.annotation.partly_read is text_of_b


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
        ({"start": True}, "does not fit"),
        ({"start": 1e400}, "does not fit"),
        ({"text": "something else"}, "something else"),
        ({"labels": {"A": 1}}, "is no list"),
    ],
)
def test_a_span_that_does_not_fit_the_caption_costs_only_itself(change: dict[str, Any], complaint: str) -> None:
    result = a_result()
    result[-2]["value"].update(change)
    back, good = (read(a_figure(), each).annotation.subfigures for each in (result, a_result()))
    assert [each.box for each in back] == [each.box for each in good]
    assert back[0].subcaption == good[0].subcaption
    assert back[1].subcaption < good[1].subcaption
    [line] = read(a_figure(), result).left_out
    assert complaint in line


@pytest.mark.parametrize(
    ("ends", "note"),
    [((13, 4), "has its ends swapped; read as [4, 13)"), (("4", 13.0), ""), ((4, 14), ""), ((3, 14), "")],
)
def test_harmless_deviations_of_a_span_are_put_right(ends: tuple[Any, Any], note: str) -> None:
    figure = a_figure(caption="(A) left lung (B) right lung")
    result = a_result(an_annotation(figure, subfigures=(a_subfigure(tokens=()),)))
    value = {"start": ends[0], "end": ends[1], "text": "left lung", "labels": ["A"]}
    back = read(figure, [*result, {"from_name": names.SUBCAPTION, "type": "labels", "value": value}])
    assert (back.annotation.subfigures[0].subcaption, back.left_out) == ({3, 4}, ())
    assert note in "".join(back.findings)
    assert len(back.findings) == bool(note)


def test_a_span_that_ends_one_beyond_the_caption_ends_with_it() -> None:
    figure = a_figure(caption="(A) left lung")
    result = a_result(an_annotation(figure, subfigures=(a_subfigure(tokens=()),)))
    value = {"start": 4, "end": 14, "labels": ["A"]}
    back = read(figure, [*result, {"from_name": names.SUBCAPTION, "type": "labels", "value": value}])
    assert back.annotation.subfigures[0].subcaption == {3, 4}
    assert "ends one beyond the caption; read as [4, 13)" in back.findings[0]


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
    others = [{"from_name": "brush", "value": {}}, {"type": "relation", "from_id": "a", "to_id": "b"}]
    back = read(a_figure(), [*a_result(), *others, "box"])
    assert len(back.annotation.subfigures) == 2
    assert "a region that is no object is left out" in back.left_out[-1]
    back = read(a_figure(), [*a_result(), *others])
    assert [("brush" in line, "relation" in line) for line in back.left_out] == [(True, False), (False, True)]


PERHAPS = {"from_name": names.STATUS, "value": {"choices": ["Perhaps"]}}


def test_an_unknown_choice_beside_boxes_is_a_finding() -> None:
    back = read(a_figure(), [*a_result(), PERHAPS])
    assert "Perhaps" in back.findings[0]
    assert back.annotation.status is Status.ACCEPTED


BOX, SPAN = a_result()[0], a_result()[2]


@pytest.mark.parametrize(
    "result",
    [
        [{**BOX, "from_name": "panel"}, {**SPAN, "from_name": "words"}],
        [{**BOX, "type": "polygonlabels", "value": {"points": [[0, 0], [5, 0], [5, 5]], "polygonlabels": ["A"]}}],
        [{**BOX, "from_name": "mask", "value": {"format": "rle", "rle": [0, 1], "brushlabels": ["A"]}}],
        [{**BOX, "value": {"x": 5, "y": 5, "radiusX": 3, "radiusY": 2, "rectanglelabels": ["A"]}}],
        [{**BOX, "value": {**BOX["value"], "width": 0}}],
        [{**BOX, "value": {**BOX["value"], "rotation": 45}}, SPAN],
        [{**BOX, "value": {**BOX["value"], "rectanglelabels": []}}],
        [BOX, {**SPAN, "from_name": "words"}],
        [BOX, {**SPAN, "value": {**SPAN["value"], "end": 9999}}],
        [SPAN],
        [{"type": "relation", "from_id": "a", "to_id": "b"}],
        [PERHAPS],
        ["box"],
        None,
    ],
)
def test_an_annotation_of_which_nothing_could_be_read_is_no_work_without_boxes(result: Any) -> None:
    with pytest.raises(InvalidAnnotation, match=r'figure "f1", annotator "ann1": (left out, since|its result)'):
        read(a_figure(), result)
    assert read(a_figure(), result, was_cancelled=True).annotation.status is Status.IGNORED


def test_a_rejected_figure_says_so_whatever_else_could_not_be_read() -> None:
    rejected = {"from_name": names.STATUS, "value": {"choices": [names.STATUS_REJECT]}}
    back = read(a_figure(), [{**BOX, "from_name": "panel"}, rejected])
    assert (back.annotation.status, len(back.left_out)) == (Status.REJECTED, 1)


def test_the_same_region_twice_is_one_and_another_under_its_id_is_named() -> None:
    result = a_result()
    back = read(a_figure(), [*result, result[0], {**result[1], "id": result[0]["id"]}])
    assert [each.label for each in back.annotation.subfigures] == ["A", "B", "B"]
    assert 'region "box0" is there twice; it is read once' in back.findings[0]
    assert 'two regions have the id "box0"; both are read' in back.findings[1]
    assert (back.left_out, back.annotation.partly_read) == ((), False)


def test_a_caption_replaced_meanwhile_is_refused() -> None:
    task = {"data": task_data(a_figure(caption="older")), "predictions": []}
    with pytest.raises(InvalidAnnotation, match="not the stored one"):
        pulled(task, {"result": [], "updated_at": TIME}, a_figure(), annotator="ann1", phase=Phase("1"))


@pytest.mark.parametrize("saved", [1795255200, 1795255200000, "1795255200", 1795255200.0])
def test_a_time_may_be_in_seconds_or_milliseconds(saved: object) -> None:
    back = read(a_figure(), [], updated_at=saved)
    assert back.annotation.saved_at == datetime(2026, 11, 21, 10, tzinfo=UTC)


def test_boxes_in_fractions_of_the_image_are_refused_with_the_cause() -> None:
    result = a_result()
    boxes = [region for region in result if region["from_name"] == "subfig"]
    for region in boxes:
        region["value"].update(x=0.1, y=0.2, width=0.3, height=0.5)
    with pytest.raises(InvalidAnnotation, match="lie within the first percent of the image, as fractions"):
        read(a_figure(), boxes)
    boxes[0]["value"].update(width=30)
    assert len(read(a_figure(), boxes).annotation.subfigures) == len(boxes)


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
def test_numbers_beyond_all_measure_cost_only_themselves(huge: float) -> None:
    result = a_result()
    result[0]["value"]["x"] = huge
    assert len(read(a_figure(), result=result).annotation.subfigures) == 1
    assert read(a_figure(), result=a_result(), lead_time=huge).annotation.seconds is None


def test_a_time_beyond_the_calendar_is_told() -> None:
    with pytest.raises(SyncError, match="updated_at is no time"):
        read(a_figure(), result=a_result(), updated_at="0001-01-01T00:00:00+14:00")
