from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from agreement_builders import annotations as drawn_annotations
from builders import a_figure, a_subfigure, an_annotation
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.primitives.settings import Settings
from agreement.report.full_report import Course, full_report
from agreement.report.json.report import report_json
from agreement.report.summary import report_on
from agreement.score.losses import CAUSES
from agreement.score.subfigure_f1 import Mode
from agreement.trends.drift import Grouping
from panelwise.domain.annotation import Annotation

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
        "interval_reason": None,
        "losses_reason": None,
        "losses": {**dict.fromkeys(map(str, CAUSES), 0.0), "boundary of the text": pytest.approx(0.2)},
        "figures": 2,
        "boxes": {
            "gold": 2,
            "predicted": 2,
            "precision": [1.0] * 10,
            "recall": [1.0] * 10,
            "f1": [1.0] * 10,
            "mean_f1": 1.0,
            "mean_iou": 1.0,
            "reason": None,
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


def course(*phases: str) -> list[Annotation]:
    """Two people, six figures in two weeks, in each of the phases; the second of whom errs in the first phase."""
    return [
        an_annotation(
            a_figure(f"f{number}"),
            annotator=name,
            phase=phase,
            minutes=number * 2 * 24 * 60,
            subfigures=(a_subfigure(tokens=(4, 7) if name == "B" and number > 3 and phase == "1" else (4, 6)),),
        )
        for phase in phases
        for number in range(6)
        for name in "AB"
    ]


def test_drift_another_phase_and_repeats_have_their_keys() -> None:
    record = json.loads(report_json(full_report(course("1", "2"), QUICK, phase="1", against="2")))
    drift = record["drift"]
    assert (drift["by"], drift["reason"], drift["interval_method"]) == ("week", None, "bootstrap")
    assert drift["figures_without_period"] == []
    assert [each["period"] for each in drift["periods"]] == ["2026-W47", "2026-W48", "2026-W49"]
    assert drift["periods"][0] == {
        "period": "2026-W47",
        "first": "2026-11-21T12:00:00Z",
        "last": "2026-11-21T12:00:00Z",
        "figures": 1,
        "counted": 2,
        "iaa": 1.0,
        "reason": None,
        "interval": None,
        "interval_reason": "one figure alone cannot be resampled",
    }
    reason = "fewer than two periods with an IAA over two figures or more"
    assert drift["trend"] == {"slope": None, "interval": None, "reason": reason}
    other = record["other_phase"]
    assert (other["phase"], other["against"], other["figures_in_both"], other["figures_changed"]) == (
        "1",
        "2",
        6,
        [],
    )
    assert other["annotators"] == {"both": ["A", "B"], "phase_only": [], "against_only": []}
    assert [each["scope"] for each in other["comparisons"]] == [
        "all work",
        "the same figures",
        "the same figures and annotators",
    ]
    for each in other["comparisons"]:
        assert each["difference"] == each["phase"]["iaa"] - each["against"]["iaa"] < 0
        assert each["phase"]["interval"] == record["interval"]
    first, second = record["repeats"]
    assert (first["annotator"], first["phase"], first["against"], first["score"]) == ("A", "1", "2", 1)
    assert second["score"] == pytest.approx((4 + 2 * 0.5) / 6)
    assert (second["counted"], second["figures"], second["figures_seeded"]) == (12, 6, 0)


def test_what_was_not_asked_for_is_null() -> None:
    record = json.loads(report_json(full_report(course("1"), QUICK, course=Course(None))))
    assert (record["drift"], record["other_phase"]) == (None, None)
    (one, _) = record["repeats"]
    assert (one["against"], one["reason"]) == (None, "no other phase to have done a figure twice in")


#: No numbers that could be undefined: names, what was not asked for, and the cause of a loss that there is not.
NO_VALUES = {
    *("phase", "against", "drift", "other_phase", "acquainted"),
    *("lost_most_to", "interval_method", "first", "last"),
}


def nulls(record: Any, path: str = "") -> Iterator[tuple[str, bool]]:
    """Every null that stands for an undefined value, and whether a reason stands beside it."""
    if isinstance(record, list):
        for place, each in enumerate(record):
            yield from nulls(each, f"{path}[{place}]")
    elif isinstance(record, dict):
        for key, value in record.items():
            if value is None or (isinstance(value, list) and None in value):
                if key in NO_VALUES or "reason" in key:
                    continue
                yield f"{path}.{key}", bool(record.get(f"{key}_reason") or record.get("reason"))
            else:
                yield from nulls(value, f"{path}.{key}")


several = st.lists(
    st.tuples(drawn_annotations(), st.sampled_from("12")).map(lambda pair: replace(pair[0], phase=pair[1])),
    max_size=10,
    unique_by=lambda each: (each.figure.id, each.annotator, each.phase),
)


@pytest.mark.slow
@given(several, st.sampled_from(Mode), st.sampled_from(Grouping), st.sampled_from([0, 5]))
@settings(max_examples=30)
def test_every_undefined_value_is_null_with_a_reason_beside_it(
    work: list[Annotation], mode: Mode, by: Grouping, resamples: int
) -> None:
    found = full_report(work, Settings(mode, resamples=resamples), phase="1", against="2", course=Course(by))
    text = report_json(found)
    assert [path for path, told in nulls(json.loads(text)) if not told] == []
    again = full_report(work, Settings(mode, resamples=resamples), phase="1", against="2", course=Course(by))
    assert report_json(again) == text
