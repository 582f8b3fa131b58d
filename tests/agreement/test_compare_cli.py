from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from click.testing import CliRunner, Result
from running import notes

from annotator.cli.agreement.main import group
from annotator.consensus.gold_rule import from_decision
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.medicat import gold_record

FIGURES = tuple(f"f{number}" for number in range(4))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    write_lines(
        tmp_path / "gold.jsonl", [annotation_record(an_annotation(a_figure(n), annotator="gold")) for n in FIGURES]
    )
    return tmp_path / "gold.jsonl"


def predictions(path: Path, *scores: float) -> Path:
    write_lines(path, [prediction_record(a_prediction(a_figure(name), scores=scores)) for name in FIGURES])
    return path


def compare(*arguments: object, **more: Any) -> Result:
    words = ["compare", *map(str, arguments), "--bootstrap", "50"]
    return CliRunner().invoke(group, words, catch_exceptions=False, **more)


def test_several_files_make_a_ranked_table(gold: Path, tmp_path: Path) -> None:
    done = compare(gold, predictions(tmp_path / "a.jsonl", 0.9, 0.4), predictions(tmp_path / "b.jsonl", 0.5, 0.5))
    assert done.exit_code == 0
    rows = [line.split()[:3] for line in done.stdout.splitlines() if line.startswith("   1")]
    assert rows == [["1", "classic-1", "(a)"], ["1", "classic-1", "(b)"]]
    assert notes(done.stderr) == ""


def test_one_seed_gives_the_same_bytes_whatever_the_order_of_the_files(gold: Path, tmp_path: Path) -> None:
    first, second = predictions(tmp_path / "a.jsonl", 0.9, 0.4), predictions(tmp_path / "b.jsonl", 0.5, 0.7)
    for layout in ("text", "json"):
        one = compare(gold, first, second, "--format", layout).stdout
        assert one == compare(gold, first, second, "--format", layout).stdout
        assert one == compare(gold, second, first, "--format", layout).stdout


def test_annotators_may_be_chosen_one_by_one(gold: Path, tmp_path: Path) -> None:
    work = [an_annotation(a_figure(n), annotator=name) for n in FIGURES for name in ("ann1", "ann2", "ann3")]
    write_lines(tmp_path / "work.jsonl", map(annotation_record, work))
    chosen = ("--annotator", "ann3", "--annotator", "ann1")
    done = compare(gold, tmp_path / "work.jsonl", *chosen, "--format", "json")
    assert [row["predicted"] for row in json.loads(done.stdout)["ranking"]] == ["ann1", "ann3"]


def test_sweeps_can_be_left_out(gold: Path, tmp_path: Path) -> None:
    model = predictions(tmp_path / "a.jsonl", 0.9, 0.4)
    assert "min IoU" in compare(gold, model).stdout
    assert "min IoU" not in compare(gold, model, "--no-sweep").stdout


def test_no_source_may_be_written_over(gold: Path, tmp_path: Path) -> None:
    first, second = predictions(tmp_path / "a.jsonl", 0.9, 0.4), predictions(tmp_path / "b.jsonl", 0.5, 0.7)
    before = second.read_bytes()
    with pytest.raises(Exception, match=r"b\.jsonl"):
        compare(gold, first, second, "--out", second)
    assert second.read_bytes() == before


def test_a_real_model_and_real_people_are_ranked_against_the_real_gold(shared_data: Path) -> None:
    people = shared_data / "annotations.jsonl"
    done = compare(shared_data / "gold_annotations.jsonl", people, "--format", "json")
    record = json.loads(done.stdout)
    assert [(row["predicted"], round(row["score"], 6)) for row in record["ranking"]] == [
        ("ann1", 1.0),
        ("ann3", 0.956299),
        ("ann2", 0.922038),
    ]
    assert record["common_figures"] == 19
    assert all(each["interval"][0] <= each["difference"] <= each["interval"][1] for each in record["differences"])


def test_the_peoples_agreement_stands_beside_each_score(gold: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    figures = [a_figure(name) for name in ("f1", "f2")]
    work = [an_annotation(each, annotator=name) for each in figures for name in ("ann", "ben")]
    write_lines(people, map(annotation_record, work))
    model = predictions(tmp_path / "model.jsonl", 0.9, 0.8)
    done = compare(gold, model, "--people", people)
    assert done.exit_code == 0, done.output
    assert "human ceiling      IAA of 2 annotators" in done.stdout
    [gap] = json.loads(compare(gold, model, "--people", people, "--format", "json").stdout)["ceiling"]["gaps"]
    assert gap["people"] == 1.0
    assert gap["gap"] == 1.0 - gap["score"]
    two = [an_annotation(each, annotator="ann", phase=phase) for each in figures for phase in ("1", "2")]
    write_lines(people, map(annotation_record, two))
    with pytest.raises(AnnotatorError, match="holds phases 1, 2; choose one with --people-phase"):
        compare(gold, model, "--people", people)
    assert compare(gold, model, "--people-phase", "1").exit_code == 2


def test_figures_of_one_article_are_drawn_together(gold: Path, tmp_path: Path) -> None:
    """A file of figures names articles, and so does MedICaT's gold; a comparison says what it resampled."""
    first, second = predictions(tmp_path / "a.jsonl", 0.9, 0.4), predictions(tmp_path / "b.jsonl", 0.5, 0.7)
    people = tmp_path / "people.jsonl"
    work = [an_annotation(a_figure(figure), annotator=name) for figure in FIGURES for name in ("ann", "ben")]
    write_lines(people, map(annotation_record, work))
    assert "50 resamples of figures, seed 0" in compare(gold, first, "--people", people).stdout
    articles = tmp_path / "figures.jsonl"
    write_lines(
        articles, [{"figure_id": name, "source": {"document": str(name in FIGURES[:2])}} for name in FIGURES]
    )
    text = compare(gold, first, "--people", people, "--articles", articles).stdout
    assert "50 resamples of articles, seed 0" in text
    assert "intervals by bootstrap over articles" in text
    assert "50 resamples of articles, seed 0" in " ".join(
        compare(gold, first, second, "--articles", articles).stdout.split()
    )
    page = compare(gold, first, "--articles", articles, "--format", "html").stdout
    assert "Resamples of articles, seed" in page
    medicat = tmp_path / "medicat.jsonl"
    figures = [a_figure(name, source={"document": str(name in FIGURES[:2])}) for name in FIGURES]
    write_lines(medicat, [gold_record(from_decision(a_decision(each))) for each in figures])
    record = json.loads(compare(medicat, first, second, "--people", people, "--format", "json").stdout)
    assert (record["interval_unit"], record["ranking_unit"], record["ceiling"]["unit"]) == ("article",) * 3
    with pytest.raises(AnnotatorError, match=r"no such file; name a figures\.jsonl with --articles"):
        compare(gold, first, "--articles", tmp_path / "none.jsonl")


@pytest.mark.parametrize("mode", ["paper", "official-code"])
@pytest.mark.parametrize(
    "lacking", [("caption", "tokens"), ("width", "height"), ("caption",), ("width", "height", "caption", "tokens")]
)
def test_predictions_without_size_or_caption_score_as_with_those_of_the_gold(
    gold: Path, tmp_path: Path, mode: str, lacking: tuple[str, ...]
) -> None:
    whole = [prediction_record(a_prediction(a_figure(name), scores=(0.9, 0.4))) for name in (*FIGURES, "no-gold")]
    write_lines(tmp_path / "whole.jsonl", whole)
    bare = [{key: value for key, value in each.items() if key not in lacking} for each in whole]
    write_lines(tmp_path / "bare.jsonl", bare)
    options = ("--mode", mode, "--format", "json")
    expected, found = (compare(gold, tmp_path / name, *options) for name in ("whole.jsonl", "bare.jsonl"))
    assert (found.exit_code, found.stdout, notes(found.stderr)) == (0, expected.stdout, notes(expected.stderr))
    assert json.loads(found.stdout)["counted"] > 0


def test_gold_without_a_caption_for_its_subcaptions_is_refused_with_what_to_add(
    gold: Path, tmp_path: Path
) -> None:
    records = [json.loads(line) for line in gold.read_text("utf-8").splitlines()]
    write_lines(
        gold, [{key: value for key, value in each.items() if key not in ("caption", "tokens")} for each in records]
    )
    done = compare(gold, predictions(tmp_path / "a.jsonl", 0.9, 0.4))
    assert done.exit_code == 1
    assert f'{gold}:1: "caption" is missing' in done.stderr
    assert "add the figure's caption" in done.stderr
