from __future__ import annotations

import json
from dataclasses import replace

from builders import NOON, a_figure, a_subfigure, an_annotation

from agreement.columns.scored import ScoredAnnotation
from agreement.models.comparison import comparison
from agreement.models.sweep import SWEPT_IOUS
from agreement.primitives.settings import Settings
from agreement.report.json.comparison import comparison_json
from panelwise.domain.annotation import Annotation, Status

QUICK = Settings(resamples=20)
GOLD = [an_annotation(a_figure(f"f{n}"), annotator="gold") for n in range(3)]


def model(name: str, *scores: float) -> list[Annotation]:
    return [
        ScoredAnnotation(
            each.figure, name, "prediction", Status.ACCEPTED, each.subfigures, NOON, scores=(scores[n], 0.5)
        )
        for n, each in enumerate(GOLD)
    ]


def test_a_comparison_has_the_keys_that_scripts_rely_on() -> None:
    gold = [
        an_annotation(a_figure("f1"), annotator="gold"),
        an_annotation(a_figure("f2"), annotator="gold", subfigures=(a_subfigure(tokens=()),)),
        an_annotation(a_figure("f3"), annotator="gold"),
    ]
    predicted = [an_annotation(a_figure(name), annotator="model") for name in ("f1", "f2", "f4")]
    record = json.loads(comparison_json(comparison(gold, predicted, QUICK)))
    assert (record["score"], record["counted"], record["left_out"]) == (1, 2, 1)
    assert record["left_out_reasons"] == {"no subcaption": 1}
    assert record["per_figure"] == [
        {"figure_id": "f1", "predicted": "model", "score": 1, "counted": 2},
        {"figure_id": "f2", "predicted": "model", "score": None, "counted": 0},
    ]
    assert record["counts"]["gold_without_prediction"] == ["f3"]
    assert record["counts"]["predicted_without_gold"] == ["f4"]
    # Nothing counts in f2, and draws of f1 alone are all the same.
    assert (record["interval"], record["interval_reason"]) == (None, "one figure alone cannot be resampled")


def test_several_add_a_ranking_and_differences_to_the_same_keys() -> None:
    worse = [replace(each, annotator="b", subfigures=each.subfigures[:1]) for each in GOLD[:2]]
    alone = json.loads(comparison_json(comparison(GOLD, model("a", 0.9, 0.8, 0.7), QUICK)))
    several = json.loads(comparison_json(comparison(GOLD, [*model("a", 0.9, 0.8, 0.7), *worse], QUICK)))
    assert list(alone) == list(several)
    assert [(row["rank"], row["predicted"], row["score"]) for row in several["ranking"]] == [
        (1, "a", 1),
        (2, "b", 0.5),
    ]
    assert several["ranking"][1] == {
        "rank": 2,
        "predicted": "b",
        "score": 0.5,
        "reason": None,
        "interval": [0.5, 0.5],
        "counted": 4,
        "own_score": 0.5,
        "own_counted": 4,
        "figures": 2,
        "gold_figures": 3,
    }
    assert several["differences"] == [
        {
            "first": "a",
            "second": "b",
            "difference": 0.5,
            "reason": None,
            "interval": [0.5, 0.5],
            "joint_interval": [0.5, 0.5],
            "flipped": 0,
            "tied": 0,
            "figures": 2,
            "counted": 4,
        }
    ]
    assert (several["ranked_by"], several["common_figures"]) == ("the figures that all cover", 2)
    assert several["ranking_method"] == "bootstrap"
    assert (several["score"], several["counted"]) == (0.8, 10)
    assert [row["predicted"] for row in alone["ranking"]] == ["a"]
    assert alone["differences"] == []


def test_each_pair_has_its_curves() -> None:
    record = json.loads(comparison_json(comparison(GOLD, [*model("a", 0.9, 0.8, 0.7), *GOLD], QUICK)))
    of_model, of_people = record["pairs"]
    assert of_model["sweep"] == {"min_iou": list(SWEPT_IOUS), "score": [1] * 18, "counted": [6] * 18}
    found = of_model["confidence"]
    assert found["threshold"] == [0.5, 0.7, 0.8, 0.9]
    assert found["kept"] == [6, 3, 2, 1]
    assert found["score"] == [1, 0.5, 2 / 6, 1 / 6]
    assert found["best_f1"] == {"threshold": 0.5, "kept": 6, "f1": 1, "score": 1}
    assert found["best_score"] == found["best_f1"]
    assert of_model["average_precision"]["reason"] is None
    assert of_model["average_precision"]["gold"] == 6
    assert of_people["confidence"]["reason"] == "it carries no scores"
    assert of_people["confidence"]["best_f1"] is None
    assert of_people["average_precision"]["ap"] is None


def test_curves_that_were_not_asked_for_are_null() -> None:
    record = json.loads(comparison_json(comparison(GOLD, GOLD, QUICK, curves=False)))
    (pair,) = record["pairs"]
    assert (pair["sweep"], pair["confidence"], pair["average_precision"]) == (None, None, None)


def test_one_seed_gives_the_same_bytes_whatever_the_order() -> None:
    others = [*model("a", 0.9, 0.8, 0.7), *(replace(each, annotator="b") for each in GOLD)]
    assert comparison_json(comparison(GOLD, others, QUICK)) == comparison_json(
        comparison(GOLD[::-1], others[::-1], QUICK)
    )
