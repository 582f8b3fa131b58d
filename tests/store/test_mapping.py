from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from builders import (
    NOON,
    a_figure,
    a_subfigure,
    an_annotation,
    annotations,
    figures,
    item_sets,
    names,
    subfigure_lists,
    texts,
    times,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.store.database.values import to_time
from annotator.store.rows import figure_mapping, mapping
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Prediction, Status
from panelwise.domain.box import Box
from panelwise.domain.decision import Decision
from panelwise.domain.errors import StoreError
from panelwise.domain.figure import Figure

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def predictions(draw: st.DrawFn) -> Prediction:
    figure = draw(figures())
    subfigures = draw(subfigure_lists(figure))
    scores = tuple(draw(st.floats(0, 1)) for _ in subfigures)
    return Prediction(figure, draw(names), subfigures, scores, draw(item_sets))


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    figure = draw(figures())
    return Decision(
        figure=figure,
        reviewer=draw(names),
        version=1,
        status=draw(st.sampled_from(Status)),
        subfigures=draw(subfigure_lists(figure)),
        based_on=tuple(draw(st.lists(names, max_size=3))),
        decided_at=draw(times),
        items=draw(item_sets),
        note=draw(texts),
        seconds=draw(st.none() | st.floats(0, 1e6)),
    )


def as_kept(row: dict[str, object]) -> dict[str, object]:
    """A row as a database hands it back: text in UTF-8, numbers."""
    return {key: value.encode().decode() if isinstance(value, str) else value for key, value in row.items()}


@given(figures(), st.dictionaries(texts, json_values, max_size=3))
def test_a_figure_round_trips(figure: Figure, extra: dict[str, object]) -> None:
    figure = replace(figure, extra=extra, image_sha256="0f")
    assert figure_mapping.figure_from(as_kept(figure_mapping.figure_row(figure))) == figure


@given(annotations())
def test_an_annotation_round_trips(annotation: Annotation) -> None:
    row = as_kept(mapping.annotation_row(annotation))
    assert mapping.annotation_from(row, annotation.figure) == annotation


@given(predictions())
def test_a_prediction_round_trips(prediction: Prediction) -> None:
    row = as_kept(mapping.prediction_row(prediction))
    assert mapping.prediction_from(row, prediction.figure) == prediction


@given(decisions())
def test_a_decision_round_trips(decision: Decision) -> None:
    row = as_kept(mapping.decision_row(decision))
    assert mapping.decision_from(row, decision.figure) == decision


class _Undo(Exception):
    pass


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=25)
@given(annotations(), predictions(), decisions())
@pytest.mark.slow
def test_work_of_every_kind_comes_back_equal_from_the_database(
    store: Store, annotation: Annotation, prediction: Prediction, decision: Decision
) -> None:
    def put_all() -> None:
        with store.transaction() as tx:
            for work, prefix in ((annotation, "a"), (prediction, "p"), (decision, "d")):
                tx.figures.add(replace(work.figure, id=prefix + work.figure.id))
            mine = replace(annotation, figure=replace(annotation.figure, id="a" + annotation.figure.id))
            assert tx.annotations.add(mine)
            assert list(tx.annotations.all()) == [mine]
            theirs = replace(prediction, figure=replace(prediction.figure, id="p" + prediction.figure.id))
            tx.predictions.put(theirs)
            assert list(tx.predictions.all()) == [theirs]
            final = replace(decision, figure=replace(decision.figure, id="d" + decision.figure.id))
            tx.decisions.add(final)
            assert list(tx.decisions.all()) == [final]
            raise _Undo

    with pytest.raises(_Undo):
        put_all()


@given(times, times)
def test_written_times_sort_as_time_does(one: datetime, other: datetime) -> None:
    assert (to_time(one) < to_time(other)) == (one < other)
    assert len(to_time(one)) == 27


def test_a_time_in_another_zone_named_utc_is_written_in_utc() -> None:
    assert to_time(NOON.astimezone(timezone(timedelta(hours=2)))) == "2026-11-21T12:00:00.000000Z"


def test_payloads_sort_token_ids_and_write_equal_boxes_alike() -> None:
    whole = an_annotation(subfigures=(a_subfigure(box=(-0.0, 0, 4, 6), tokens=(7, 4)),))
    same = an_annotation(subfigures=(a_subfigure(box=(0.0, 0.0, 4.0, 6.0), tokens=(4, 7)),))
    row = mapping.annotation_row(whole)
    assert json.loads(row["payload"])["subfigures"] == [["A", [0.0, 0.0, 4.0, 6.0], [4, 7]]]
    assert row["payload"] == mapping.annotation_row(same)["payload"]


def test_floats_are_kept_exactly() -> None:
    box = Box(0.1 + 0.2, 5e-324, 1 / 3 + 100, 599.9999999999999)
    annotation = an_annotation(subfigures=(replace(a_subfigure(), box=box),))
    assert mapping.annotation_from(mapping.annotation_row(annotation), annotation.figure).subfigures[0].box == box


def test_the_content_hash_ignores_times_and_sees_the_rest() -> None:
    def content(annotation: Annotation) -> object:
        return mapping.annotation_row(annotation)["content"]

    first = content(an_annotation())
    assert first == content(an_annotation(minutes=5, seconds=3.0, guideline="2"))
    others = [
        an_annotation(a_figure(revision=2)),
        an_annotation(status=Status.REJECTED),
        an_annotation(subfigures=()),
        an_annotation(seeded_by="m"),
    ]
    assert first not in [content(other) for other in others]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"a": "x\x00y"}, "holds NUL"),
        ({"a": [{"b\x00": 1}]}, "holds NUL"),
        ({"a": object()}, "cannot be kept as JSON"),
        ({("a",): 1}, "cannot be kept as JSON"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_one_line(extra: dict[str, object], message: str) -> None:
    with pytest.raises(StoreError, match=message) as raised:
        figure_mapping.figure_row(a_figure(extra=extra))
    assert "\n" not in str(raised.value)


def test_endless_nesting_is_refused() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(StoreError, match="cannot be kept as JSON"):
        figure_mapping.figure_row(a_figure(extra={"loop": loop}))


def test_text_that_only_looks_like_an_escaped_nul_is_kept() -> None:
    figure = a_figure(extra={"a": r"\u0000"})
    assert figure_mapping.figure_from(figure_mapping.figure_row(figure)) == figure


@pytest.mark.parametrize(
    "spoil",
    [
        lambda row: {**row, "payload": "{"},
        lambda row: {**row, "payload": "[]"},
        lambda row: {**row, "payload": '{"subfigures": [["A", [4, 0, 3, 1], []]]}'},
        lambda row: {**row, "payload": row["payload"].replace('"items":{', '"items":{"remark":"odd"')},
        lambda row: {**row, "status": "perhaps"},
        lambda row: {**row, "saved_at": "yesterday"},
    ],
)
def test_a_damaged_row_is_told_in_one_line(
    spoil: Callable[[dict[str, object]], dict[str, object]],
) -> None:
    row = spoil(mapping.annotation_row(an_annotation()))
    with pytest.raises(
        StoreError, match=r'^an annotation of figure "f1" by "ann1" in the store is damaged .*backup$'
    ):
        mapping.annotation_from(row, a_figure())


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"guideline":""', '"guideline":5', "guideline"),
        ('"seeded_by":null', '"seeded_by":[]', "seeded_by"),
        ('"subfigures":[["A"', '"subfigures":[[7', "subfigures"),
    ],
)
def test_a_value_of_another_type_in_a_payload_is_named_by_its_key(old: str, new: str, place: str) -> None:
    row = mapping.annotation_row(an_annotation())
    assert old in row["payload"]
    with pytest.raises(StoreError, match=rf"in the store is damaged .*\$\.{place}.*; restore a backup$"):
        mapping.annotation_from({**row, "payload": row["payload"].replace(old, new)}, a_figure())
