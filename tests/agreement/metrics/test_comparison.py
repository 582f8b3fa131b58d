from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from agreement_builders import campaigns
from builders import NOON, a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.columns.scored import ScoredAnnotation
from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.score.subfigure_f1 import Common, Mode
from panelwise.domain.annotation import Annotation, Status

QUICK = Settings(resamples=20)


def with_tokens(figure: str, name: str, *tokens: int) -> Annotation:
    return an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(tokens=tokens),))


def test_a_comparison_pools_all_who_are_compared_and_names_what_one_side_lacks() -> None:
    gold = [with_tokens("f1", "gold", 4), with_tokens("f2", "gold", 4), with_tokens("f2", "gold", 4, 6)]
    predicted = [with_tokens("f1", "m1", 4), with_tokens("f1", "m2", 6), with_tokens("f3", "m2", 6)]
    found = comparison(gold, predicted, QUICK)
    assert (found.score, found.counted, found.reason) == (0.5, 2, "")
    assert (found.missing, found.surplus, found.gold_figures) == (("f2",), ("f3",), 2)
    assert found.superseded == (("f2", "gold"),)
    assert (found.interval, found.interval_reason) == (None, "several are compared; see the interval of each")
    assert found.left_out == {}


def test_a_comparison_of_one_has_an_interval() -> None:
    gold = [with_tokens(f"f{n}", "gold", 4) for n in range(3)]
    found = comparison(gold, [replace(each, annotator="m") for each in gold], QUICK)
    assert (found.score, found.interval, found.interval_reason) == (1, (1, 1), "")


@pytest.mark.parametrize(
    ("gold", "predicted", "reason"),
    [
        ([], [an_annotation()], "no gold"),
        ([an_annotation()], [], "nothing to compare with it"),
        ([an_annotation()], [an_annotation(a_figure("f2"), annotator="m")], "no figure in common"),
    ],
)
def test_an_undefined_comparison_has_its_reason(
    gold: list[Annotation], predicted: list[Annotation], reason: str
) -> None:
    found = comparison(gold, predicted, QUICK)
    assert (found.score, found.reason, found.interval) == (None, reason, None)


def test_a_comparison_with_nothing_to_count_is_zero_by_the_authors_code() -> None:
    gold, predicted = [with_tokens("f1", "gold", 3)], [with_tokens("f1", "m", 4)]
    assert comparison(gold, predicted, QUICK).score is None
    assert comparison(gold, predicted, replace(QUICK, mode=Mode.OFFICIAL)).score == 0


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.sampled_from([Common.NONE, Common.BOTH]))
def test_work_compared_with_itself_scores_1_at_every_threshold(
    annotations: list[Annotation], common: Common
) -> None:
    gold = [each for each in annotations if each.annotator == "ann1" and each.status is Status.ACCEPTED]
    found = comparison(gold, [replace(each, annotator="same") for each in gold], replace(QUICK, common=common))
    # Where two boxes of one figure coincide, the first answers to both.
    doubled = any(len({part.box for part in each.subfigures}) < len(each.subfigures) for each in gold)
    if found.counted and not doubled:
        (curves,) = found.curves
        assert found.score == 1
        assert {point.score for point in curves.iou} == {1}
        assert found.ranking.rows[0].score == 1


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.randoms(), st.sampled_from(Mode))
def test_the_order_of_the_work_changes_nothing(
    annotations: list[Annotation], source: random.Random, mode: Mode
) -> None:
    gold = [each for each in annotations if each.annotator == "ann1"]
    shuffled = comparison(
        source.sample(gold, len(gold)), source.sample(annotations, len(annotations)), replace(QUICK, mode=mode)
    )
    found = comparison(gold, annotations, replace(QUICK, mode=mode))
    assert (shuffled.ranking, shuffled.curves) == (found.ranking, found.curves)
    assert shuffled.score == found.score


@pytest.mark.slow
@settings(max_examples=30)
@given(campaigns, st.sampled_from(Mode))
def test_the_sweep_at_the_threshold_in_use_is_the_score(annotations: list[Annotation], mode: Mode) -> None:
    gold = [each for each in annotations if each.annotator == "ann1"]
    found = comparison(gold, annotations, replace(QUICK, mode=mode))
    for pair, curves in zip(found.pairs, found.curves, strict=True):
        (point,) = [each for each in curves.iou if each.min_iou == 0.5]
        assert (point.score, point.counted) == (pytest.approx(pair.score), pair.counted)


def test_a_model_s_scores_give_a_confidence_sweep_and_average_precision() -> None:
    gold = [an_annotation(a_figure(f"f{n}"), annotator="gold") for n in range(3)]
    model = [
        ScoredAnnotation(
            each.figure, "m", "prediction", Status.ACCEPTED, each.subfigures, NOON, scores=(0.9, 0.1 * n)
        )
        for n, each in enumerate(gold)
    ]
    (curves,) = comparison(gold, model, QUICK).curves
    assert [point.boxes for point in curves.confidence.points] == [6, 5, 4, 3]
    assert [point.score for point in curves.confidence.points] == [1, 5 / 6, 4 / 6, 3 / 6]
    assert curves.precision.ap == pytest.approx(1)


def test_the_curves_can_be_left_out() -> None:
    gold = [an_annotation(annotator="gold")]
    found = comparison(gold, gold, QUICK, curves=False)
    assert (found.curves, found.score) == ((), 1)


def test_the_newest_work_is_the_last_of_either_side_and_unknown_times_are_none() -> None:
    def at(name: str, moment: datetime) -> Annotation:
        return replace(with_tokens("f1", name, 4), saved_at=moment)

    unknown, known = datetime(1970, 1, 1, tzinfo=UTC), NOON + timedelta(days=3)
    assert comparison([at("gold", NOON)], [at("m", known)], QUICK).newest == known
    assert comparison([at("gold", known)], [at("m", unknown)], QUICK).newest == known
    assert comparison([at("gold", unknown)], [at("m", unknown)], QUICK).newest is None
    assert comparison([], [], QUICK).newest is None
