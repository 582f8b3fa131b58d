"""The worked cases of the metric and three people's real work, through the commands, in both modes.

The cases' words are no caption's tokens, so the files give the tokens; the two cases about common tokens give the
common set by hand, which a command cannot be told.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agreement_reference import pair_means
from running import run_command

from annotator.cli.agreement.main import group
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import read_annotations


def read(*arguments: object) -> tuple[object, str, dict[str, Any]]:
    done = run_command(group, "agreement", *arguments, "--bootstrap", 0, "--format", "json")
    return done.returncode, done.stderr, json.loads(done.stdout)


def ranges(words: list[str]) -> list[list[int]]:
    found, end = [], 0
    for word in words:
        found.append([end, end + len(word)])
        end += len(word) + 1
    return found


def record(case: dict[str, Any], side: str) -> dict[str, Any]:
    """One side of a case: every token a span of its own, so that a repeated id is a repeated span."""
    tokens = ranges(case["words"])
    return {
        "figure_id": "f1",
        "annotator": side,
        "phase": "1",
        "status": "accepted",
        "width": 700,
        "height": 600,
        "caption": " ".join(case["words"]),
        "tokens": tokens,
        "subfigures": [
            {"label": "ABC"[place], "box": box, "subcaption": [tokens[token] for token in ids]}
            for place, (box, ids) in enumerate(case[side])
        ],
        "saved_at": "2026-11-21T10:00:00Z",
    }


@pytest.mark.slow
@pytest.mark.parametrize("number", range(18))
def test_a_case_scores_through_the_command_as_told(number: int, shared_data: Path, tmp_path: Path) -> None:
    case = json.loads((shared_data / "agreement_cases.json").read_text("utf-8"))[number]
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predicted.jsonl"
    write_lines(gold, [record(case, "gold")])
    write_lines(predicted, [record(case, "pred")])

    status, told, by_paper = read("compare", gold, predicted)
    without_area = "zero-area" in case["name"]
    assert (status, "has zero area" in told) == (int(without_area), without_area)
    assert (by_paper["mode"], by_paper["common"]) == ("paper", "none")
    assert by_paper["score"] == case["paper_mean"]
    assert by_paper["counted"] == sum(each is not None for each in case["paper_per_gold"])
    assert (by_paper["score"] is None) == bool(by_paper["reason"])

    if "gold_common" in case:
        return  # At function level: tests/agreement/metrics/test_subfigure_f1.py and test_plain.py.
    status, told, by_code = read("compare", gold, predicted, "--mode", "official-code", "--common", "none")
    f1s = case["official_f1s"]
    assert (status, told) == (0, "")
    assert by_code["score"] == pytest.approx(sum(f1s) / len(f1s) if f1s else 0.0)
    assert by_code["counted"] == len(f1s)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "common"),
    [("paper", "none"), ("paper", "gold"), ("official-code", "gold"), ("official-code", "none")],
)
def test_three_real_annotators_score_in_every_mode_as_by_the_plain_loop(
    mode: str, common: str, shared_data: Path
) -> None:
    file = shared_data / "annotations.jsonl"
    annotations = list(read_annotations(file, Problems()))
    status, told, found = read("report", file, "--mode", mode, "--common", common)
    assert (status, told) == (0, "")
    wanted = pair_means(annotations, official=mode == "official-code", common=common)
    pairs = {(pair["gold"], pair["predicted"]): pair["score"] for pair in found["pairs"]}
    assert pairs == pytest.approx(wanted, abs=1e-12)
    defined = [score for score in wanted.values() if score is not None]
    assert found["iaa"] == pytest.approx(sum(defined) / len(defined), abs=1e-12)
    if (mode, common) == ("paper", "none"):
        assert {names: round(score, 6) for names, score in pairs.items() if names[0] < names[1]} == {
            ("ann1", "ann2"): 0.922038,
            ("ann1", "ann3"): 0.956299,
            ("ann2", "ann3"): 0.956343,
        }
        assert round(found["iaa"], 6) == 0.944893


def test_three_real_annotators_agree_on_every_box(shared_data: Path) -> None:
    _, _, found = read("report", shared_data / "annotations.jsonl")
    assert all(pair["losses"]["no box"] == pair["losses"]["wrong box"] == 0 for pair in found["pairs"])
