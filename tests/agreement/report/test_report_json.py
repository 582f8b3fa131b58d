from __future__ import annotations

import json

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.metrics.losses import Loss
from agreement.metrics.summary import Settings, comparison, report_on
from agreement.report.json import comparison_json, report_json

QUICK = Settings(resamples=20)


def test_a_report_has_the_keys_that_scripts_rely_on_unrounded() -> None:
    annotations = [
        an_annotation(a_figure(name), annotator=who, subfigures=(a_subfigure(tokens=tokens),))
        for name in ("f1", "f2")
        for who, tokens in (("A", (4, 6, 7)), ("B", (4, 6)))
    ]
    record = json.loads(report_json(report_on(annotations, QUICK, phase="1")))
    assert record["iaa"] == 0.8
    assert record["interval"] == [0.8, 0.8]
    assert record["pairs"][0] == {
        "gold": "A",
        "predicted": "B",
        "score": 0.8,
        "reason": None,
        "counted": 2,
        "interval": [0.8, 0.8],
        "losses": {**dict.fromkeys(map(str, Loss), 0.0), "boundary of the text": pytest.approx(0.2)},
        "figures": 2,
        "boxes": {
            "gold": 2,
            "predicted": 2,
            "precision": [1.0] * 10,
            "recall": [1.0] * 10,
            "f1": [1.0] * 10,
            "mean_f1": 1.0,
            "mean_iou": 1.0,
        },
        "left_out": {},
        "figures_left_out": {},
    }
    assert (record["mode"], record["common"], record["min_iou"], record["phase"]) == ("paper", "none", 0.5, "1")
    assert (record["bootstrap"], record["seed"]) == (20, 0)
    assert record["pooled"] == record["macro"] == 0.8
    assert (record["boxes"]["thresholds"][0], record["boxes"]["thresholds"][-1]) == (0.5, 0.95)
    assert (record["boxes"]["f1"], record["boxes"]["mean_iou"]) == ([1.0] * 10, 1.0)
    assert record["annotators"][0]["as_gold"] == 0.8
    assert record["status"][0]["kappa"] is None
    assert record["status"][0]["reason"] == "both gave one verdict throughout"


def test_what_is_undefined_is_null_with_its_reason() -> None:
    record = json.loads(report_json(report_on([an_annotation(annotator="Zoë")], QUICK)))
    assert record["iaa"] is None
    assert record["reason"] == "one annotator only (Zoë); agreement needs two"
    assert (record["interval"], record["interval_reason"]) == (None, "no pair is defined")
    assert record["pairs"] == []


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
    assert record["interval"] is not None
