from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, a_subfigure, an_annotation

from panelwise.domain.annotation import (
    DECISION_WORDS,
    WORK_WORDS,
    Panel,
    Prediction,
    Status,
    Subfigure,
    began_from_prediction,
    repeated_labels,
)
from panelwise.domain.box import Box
from panelwise.domain.decision import DECISION_PHASE, Gold, GoldSource, Provenance
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, Items

FRONT_END = Path(__file__).parents[2] / "annotator/web/frontend/src/wire/types.ts"


def test_a_box_may_pass_the_edge_by_half_a_pixel_and_no_more() -> None:
    an_annotation(subfigures=(a_subfigure(box=(-0.5, 0, 800.5, 600)),))
    with pytest.raises(InvalidAnnotation, match=r"leaves the image \(800 x 600 pixels\)"):
        an_annotation(subfigures=(a_subfigure(box=(0, 0, 801, 600)),))


@pytest.mark.parametrize("token", [-1, 999])
def test_tokens_must_be_the_captions(token: int) -> None:
    with pytest.raises(InvalidAnnotation, match=f'token {token} of .* in subcaption "A"; re-import the caption'):
        an_annotation(subfigures=(a_subfigure(tokens=[token]),))


def test_a_subfigure_needs_a_label() -> None:
    with pytest.raises(InvalidAnnotation, match="has no label"):
        an_annotation(subfigures=(a_subfigure(""),))


@pytest.mark.parametrize("missing", ["annotator", "phase"])
def test_an_annotation_says_whose_and_in_which_phase(missing: str) -> None:
    with pytest.raises(InvalidAnnotation, match=missing):
        an_annotation(**{missing: ""})


@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=1))])
def test_times_are_aware_and_utc(zone: timezone | None) -> None:
    with pytest.raises(InvalidAnnotation, match="not in UTC"):
        replace(an_annotation(), saved_at=datetime(2026, 1, 1, tzinfo=zone))


def test_two_boxes_may_share_a_label_in_an_annotation_but_not_in_gold() -> None:
    twice = (a_subfigure("A"), a_subfigure("B"), a_subfigure("A"))
    assert repeated_labels(an_annotation(subfigures=twice).subfigures) == ("A",)
    with pytest.raises(InvalidAnnotation, match='label "A" is on more than one box'):
        a_decision(subfigures=twice)
    assert a_decision(subfigures=twice, status=Status.REJECTED).status is Status.REJECTED


def test_a_prediction_has_one_score_in_0_to_1_for_each_subfigure() -> None:
    assert a_prediction().scores == (0.9, 0.9)
    with pytest.raises(InvalidAnnotation, match="1 scores for 2 subfigures"):
        a_prediction(scores=[0.5])
    with pytest.raises(InvalidAnnotation, match=r"outside \[0, 1\]"):
        a_prediction(scores=[0.5, 1.5])
    with pytest.raises(InvalidAnnotation, match="model's version"):
        Prediction(a_figure(), "", (), ())


def test_a_decision_needs_its_reviewer_and_counts_from_one() -> None:
    with pytest.raises(InvalidAnnotation, match="reviewer"):
        a_decision(reviewer="")
    with pytest.raises(InvalidAnnotation, match="from 1, not 0"):
        a_decision(version=0)


def test_gold_is_checked_like_a_decision() -> None:
    decision = a_decision()
    provenance = Provenance(GoldSource.ADJUDICATED, "rev1", ("ann1",), decision.decided_at)
    assert (
        Gold(decision.figure, decision.status, decision.subfigures, provenance).subfigures == decision.subfigures
    )
    with pytest.raises(InvalidAnnotation, match="more than one box"):
        Gold(decision.figure, decision.status, decision.subfigures * 2, provenance)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"id": ""}, "needs an id"),
        ({"width": 0}, "0 x 600"),
        ({"height": 0}, "800 x 0"),
        ({"width": 2**31}, "2147483648 x 600"),
        ({"height": 10**400}, "cannot be"),
        ({"revision": 0}, "from 1"),
        ({"revision": 2**31}, "revision 2147483648 is invalid"),
    ],
)
def test_a_figure_that_cannot_be_is_refused(change: dict[str, object], complaint: str) -> None:
    fields = {"id": "f1", "image": "", "width": 800, "height": 600, "caption": a_figure().caption, **change}
    with pytest.raises(InvalidAnnotation, match=complaint):
        Figure(**fields)


@pytest.mark.parametrize(
    ("seeded_by", "began"),
    [(None, False), ("", False), ("classic-1", True), ("given:gold", False), ("given:prediction:old", False)],
)
def test_given_boxes_are_no_prediction_to_begin_from(seeded_by: str | None, began: bool) -> None:
    assert began_from_prediction(seeded_by) is began


def test_a_model_is_as_sure_of_a_figure_as_of_its_least_sure_subfigure() -> None:
    assert a_prediction(scores=(0.9, 0.2)).certainty == pytest.approx(0.18)
    assert Prediction(a_figure(), "m-1", (), ()).certainty is None


def test_single_spans_are_the_longest_of_each_subcaption() -> None:
    figure = a_figure()
    scattered = a_subfigure("A", tokens=[0, 6, 7])
    bare = a_subfigure("B", box=(400, 0, 800, 600), tokens=[])
    reduced = Prediction(figure, "m", (scattered, bare), (0.9, 0.8)).with_single_spans()
    assert [each.subcaption for each in reduced.subfigures] == [{6, 7}, frozenset()]
    assert reduced.scores == (0.9, 0.8)
    assert reduced.with_single_spans() == reduced


def test_some_subfigures_of_a_prediction_keep_their_scores_in_the_order_asked_for() -> None:
    parts = tuple(a_subfigure(label) for label in "ABC")
    whole = Prediction(a_figure(), "m", parts, (0.9, 0.8, 0.7))
    assert whole.take([2, 0]) == Prediction(a_figure(), "m", (parts[2], parts[0]), (0.7, 0.9))
    assert whole.take([]) == Prediction(a_figure(), "m", (), ())


def test_a_decision_as_work_is_its_reviewers_unless_another_name_is_given() -> None:
    decision = a_decision(items=Items(kind=FigureKind(compound=True)))
    work = decision.as_annotation()
    assert (work.annotator, work.phase, work.saved_at) == (decision.reviewer, DECISION_PHASE, decision.decided_at)
    assert (work.status, work.subfigures, work.items) == (decision.status, decision.subfigures, decision.items)
    gold = decision.as_annotation("gold", "1")
    assert (gold.annotator, gold.phase) == ("gold", "1")


def test_the_front_end_has_the_same_words_for_a_status() -> None:
    source = FRONT_END.read_text(encoding="utf-8")
    for name, words in (("WORK_WORDS", WORK_WORDS), ("DECISION_WORDS", DECISION_WORDS)):
        (listed,) = re.findall(rf"const {name}: Record<Status, string> = \{{(.+)\}};", source)
        assert dict(re.findall(r'(\w+): "([^"]+)"', listed)) == {each.value: word for each, word in words.items()}


def test_an_annotators_work_is_done_rejected_or_left_out_and_a_decision_may_be_deferred() -> None:
    assert [each.work_word for each in Status] == ["done", "rejected", "left out"]
    assert [each.decision_word for each in Status] == ["accepted", "rejected", "deferred"]


def test_a_listed_panel_is_a_subfigure_unless_its_box_is_flat() -> None:
    panel = Panel((0.0, 0.0, 4.0, 2.0), (3, 1, 3), "A")
    assert not panel.is_flat
    assert panel.subfigure == Subfigure("A", Box(0.0, 0.0, 4.0, 2.0), frozenset({1, 3}))
    flat = Panel((0.0, 0.0, 4.0, 0.0), ())
    assert flat.is_flat
    with pytest.raises(InvalidAnnotation):
        _ = flat.subfigure
