"""Dawid and Skene's model: equal to another package's values, and undefined with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.chance.dawid_skene import dawid_skene, reliabilities

#: Computed once with the package named in the file.
KNOWN = json.loads(Path(__file__).with_name("dawid_skene_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", KNOWN["cases"], ids=lambda case: case["name"])
def test_it_equals_crowd_kit(case: dict[str, Any]) -> None:
    rows = np.array(case["judgements"], dtype=np.int64)
    model = dawid_skene(*rows.T)
    assert model.priors == pytest.approx(case["priors"], abs=1e-6)
    accuracy = np.einsum("nkk,k->n", model.errors, model.priors)
    assert accuracy == pytest.approx(case["accuracy"], abs=1e-6)
    judged: dict[int, dict[str, int]] = {}
    for unit, annotator, label in case["judgements"]:
        judged.setdefault(unit, {})[f"ann{annotator}"] = label
    found = reliabilities(judged)
    assert [each.accuracy for each in found] == pytest.approx(case["accuracy"], abs=1e-6)
    assert sum(each.units for each in found) == len(rows)


def test_one_who_always_errs_is_known_from_the_others() -> None:
    judged = {
        unit: {"a": unit % 2, "b": unit % 2, "c": unit % 2, "d": 1 - unit % 2 if unit % 5 else unit % 2}
        for unit in range(40)
    }
    found = {each.annotator: each.accuracy for each in reliabilities(judged)}
    assert found["a"] == found["b"] == found["c"] == pytest.approx(1.0)
    assert found["d"] == pytest.approx(0.2)


def test_the_order_of_units_and_annotators_does_not_matter() -> None:
    judged = {
        unit: {name: (unit + len(name)) % 2 if unit % 3 else 1 for name in ("a", "bb", "c")} for unit in range(9)
    }
    turned = {unit: dict(reversed(judged[unit].items())) for unit in reversed(judged)}
    ours, theirs = reliabilities(judged), reliabilities(turned)
    assert [each.annotator for each in ours] == [each.annotator for each in theirs]
    assert [each.accuracy for each in ours] == pytest.approx([each.accuracy for each in theirs])


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        ({1: {"a": "yes", "b": "no"}, 2: {"a": "no"}}, "needs a unit that three judged"),
        ({1: dict.fromkeys("abc", "yes")}, "all gave one verdict throughout"),
    ],
)
def test_what_is_undefined_has_a_reason(judged: dict[int, dict[str, str]], reason: str) -> None:
    found = reliabilities(judged)
    assert found
    assert {(each.accuracy, each.reason) for each in found} == {(None, reason)}
    assert reliabilities({}) == ()
