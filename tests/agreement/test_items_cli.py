"""Types, verdicts and people's answers as `agreement report` tells them, on the command line."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from html_pages import check_page, numbers_in

from annotator.cli.agreement.main import group
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import QAKind
from panelwise.files.jsonl import write_lines


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(group, [*map(str, arguments)], standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    records = (
        {"instance_id": f"p{n}", "figure_id": "f1", "qa_pair_type": kind.value, "question": "Why?", "answer": "4"}
        for n, kind in enumerate(QAKind)
    )
    write_lines(tmp_path / "qa.jsonl", records)
    return tmp_path / "qa.jsonl"


def test_scivqas_human_answers_are_told_by_type_of_question(shared_data: Path) -> None:
    folder = shared_data / "scivqa"
    code, said, _ = run("report", folder / "qa.jsonl")
    rows = dict(re.findall(r"^(\w[\w\- ]+?) +(0\.\d{6}) ", said.partition("human answers")[2], re.MULTILINE))
    assert code == 0
    assert rows == {
        "infinite visual": "0.490000",
        "infinite non-visual": "0.660000",
        "binary visual": "0.880000",
        "binary non-visual": "0.850000",
        "choice visual": "0.920000",
        "choice non-visual": "0.850000",
        "unanswerable": "0.930000",
        "all types": "0.797143",
    }
    table = run("report", folder / "human_predictions_sample.csv", "--pairs", folder / "qa.jsonl")[1]
    assert table == said


@pytest.mark.parametrize("layout", ["text", "json", "html"])
def test_each_layout_tells_of_answers(pairs: Path, tmp_path: Path, layout: str) -> None:
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\np0,4\np1,5\n")
    code, said, _ = run("report", tmp_path / "ann.csv", "--pairs", pairs, "--format", layout)
    assert code == 0
    if layout == "json":
        assert json.loads(said)["items"]["answers"]["everybody"][-1]["exact_match"] == 0.5
    else:
        assert re.search("[Hh]uman answers", said)
        assert "0.5" in said


def test_tables_are_written_of_answers_too(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\np0,4\n")
    out = tmp_path / "tables"
    assert run("report", tmp_path / "ann.csv", "--pairs", pairs, "--format", "csv", "--out", out)[0] == 0
    rows = list(csv.DictReader((out / "answers.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["qa_pair_type"], row["exact match"]) for row in rows] == [
        (QAKind.INFINITE_VISUAL.value, "1.0"),
        ("all", "1.0"),
    ]


def test_a_bad_row_is_told_and_the_rest_is_measured(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\np0,4\nodd,4\n")
    code, said, told = run("report", tmp_path / "ann.csv", "--pairs", pairs)
    assert code == 1
    assert "1.000000" in said
    assert 'ann.csv:3: "odd" is the id of no pair' in told


def test_the_pairs_are_not_written_over(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\np0,4\n")
    with pytest.raises(AnnotatorError, match="is an input of this command"):
        run("report", tmp_path / "ann.csv", "--pairs", pairs, "--out", pairs)


def test_pairs_without_any_answer_are_refused(pairs: Path) -> None:
    with pytest.raises(AnnotatorError, match="holds pairs, but no answers"):
        run("report", pairs)


def test_systems_that_answer_questions_are_compared(pairs: Path, tmp_path: Path) -> None:
    rows = {"good": [f"p{n},4" for n in range(7)], "poor": ["p0,4", "p1,I don't know", "p2,5"]}
    for name, answers in rows.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["instance_id,answer_pred", *answers]))
    files = (pairs, tmp_path / "poor.csv", tmp_path / "good.csv")
    code, said, _ = run("compare", *files, "--bootstrap", 100)
    assert code == 0
    ranked = re.findall(r"^(\w+) +([\d.]+) ", said, re.MULTILINE)
    assert [name for name, _ in ranked[:4] if name in rows] == ["good", "poor"]
    assert "poor: no answer to 4 questions, 1 not known; all of these count as wrong" in said
    record = json.loads(run("compare", *files, "--format", "json")[1])
    poor = record["systems"][1]
    assert record["resampled"] == "figure"
    assert (poor["system"], poor["missing"], poor["unknown"]) == ("poor", 4, 1)
    assert poor["measures"]["exact_match"]["value"] == pytest.approx(1 / 7)
    assert poor["behind_best"]["rouge_1"]["value"] == pytest.approx(6 / 7)
    assert {each["qa_pair_type"] for each in poor["by_type"]} == {kind.value for kind in QAKind}
    code, html, _ = run("compare", *files, "--bootstrap", 100, "--format", "html")
    page = check_page(html)
    assert code == 0
    assert "poor.csv" in page.text
    again = json.loads(run("compare", *files, "--bootstrap", 100, "--format", "json")[1])
    shown = {value for value, _ in page.numbers}
    assert shown <= numbers_in(again)
    measures = [each["measures"] for each in again["systems"]] + [again["systems"][1]["behind_best"]]
    assert {each["rouge_1"]["value"] for each in measures} <= shown
    assert "one article alone cannot be resampled" in page.text


def test_the_shared_tasks_sample_compares_as_its_own_script_has_it(shared_data: Path) -> None:
    folder = shared_data / "scivqa"
    said = run("compare", folder / "qa.jsonl", folder / "human_predictions_sample.csv", "--bootstrap", 0)[1]
    assert "0.797143 0.804286 0.843752 0.843371" in said
    assert "ROUGE-1  precision 0.851571, recall 0.846155" in said


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--mode", "paper"), "--mode can't be combined"),
        (("--people", "x"), "--people can't be combined"),
        (("--annotator", "x"), "--annotator can't be combined"),
        (("--no-sweep",), "--no-sweep can't be combined"),
    ],
)
def test_options_of_boxes_are_refused_for_answers(
    pairs: Path, tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    (tmp_path / "ann.csv").write_text("instance_id,answer_pred\np0,4\n")
    with pytest.raises(click.UsageError, match=why):
        run("compare", pairs, tmp_path / "ann.csv", *options)


def test_a_file_without_answers_is_refused_in_one_line(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text("{}\n")
    for name, why in (
        ("none.csv", "no such file"),
        ("odd.jsonl", "holds no answers"),
        ("qa.jsonl", "but no answers"),
    ):
        with pytest.raises(AnnotatorError, match=why):
            run("compare", pairs, tmp_path / name)
