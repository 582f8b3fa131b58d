"""Pairs and figure types out of a campaign and into another one, by the commands that a user runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision
from click.testing import CliRunner, Result
from items_cases import TOML, a_qa_figure, edited, judged, kinds, verdicts

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.consensus.gold_rule import GoldTally, gold
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record
from panelwise.formats.medicat import read_gold

FIGURES = tuple(a_qa_figure(name) for name in ("alike", "differ", "settled"))


def annotator(*arguments: object, home: Path) -> Result:
    done = CliRunner().invoke(group, [*map(str, arguments), "--home", str(home)], standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, (AnnotatorError, SystemExit)):
        raise done.exception
    return done


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def scivqa_rows() -> list[dict[str, Any]]:
    """The figures as SciVQA publishes them, pairs beside."""
    return [
        {
            "figure_id": figure.id,
            "image_file": f"{figure.id}.png",
            "caption": figure.caption.text,
            "paper_id": "p1",
            "width": 800,
            "height": 600,
            **figure.record_keys,
        }
        for figure in FIGURES
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three figures of SciVQA's, imported without images; two annotators who differ on one of them."""
    made = tmp_path / "home"
    assert CliRunner().invoke(group, ["init", str(made)], standalone_mode=False).exception is None
    (made / "campaign.toml").write_text(TOML, encoding="utf-8")
    write_lines(tmp_path / "figures.jsonl", scivqa_rows())
    done = annotator("import", "figures", tmp_path / "figures.jsonl", "--no-images", home=made)
    assert done.exception is None
    store = Home.find(made).open_store()
    with store.read() as tx:
        alike, differ, settled = (tx.figures.get(each.id) for each in FIGURES)
    work = [
        *(judged(figure, verdicts(figure), annotator=name) for figure in (alike, differ) for name in ("ann1",)),
        judged(alike, verdicts(alike), annotator="ann2"),
        judged(differ, verdicts(differ, edited(differ, "q1", answer="0.7")), annotator="ann2"),
        *(judged(alike, kinds(True, 2), annotator=name, phase="types") for name in ("ann1", "ann2")),
    ]
    write_lines(tmp_path / "work.jsonl", map(annotation_record, work))
    done = annotator("import", "annotations", tmp_path / "work.jsonl", home=made)
    assert "6" in done.output
    with store.transaction() as tx:
        items = verdicts(settled, edited(settled, "q4", answer="Yes", note="the legend names it"))
        tx.decisions.add(a_decision(settled, subfigures=(), items=Items(kinds().kind, items.verdicts)))
    store.close()
    return made


def test_settled_pairs_are_written_and_what_is_left_out_is_told(home: Path, tmp_path: Path) -> None:
    done = annotator("export", "qa", "--out", tmp_path / "qa.jsonl", home=home)
    assert "wrote 14 pairs on 2 figures" in done.output
    assert "(7 adjudicated, 7 unanimous, 0 single)" in done.output
    assert "left out 1 unresolved; adjudicate them with `annotator serve`: differ" in done.output
    records = lines_of(tmp_path / "qa.jsonl")
    fourth = next(each for each in records if each["instance_id"] == "settled-q4")
    assert (fourth["answer"], fourth["original"]["answer"], fourth["verdict"]) == ("Yes", "No", "Incorrect.Edit")
    assert fourth["image_file"] == "settled.png"


def test_settled_pairs_come_into_another_campaign(home: Path, tmp_path: Path) -> None:
    annotator("export", "qa", "--out", tmp_path / "qa.jsonl", home=home)
    fresh = tmp_path / "fresh"
    assert CliRunner().invoke(group, ["init", str(fresh)], standalone_mode=False).exception is None
    bare = [{key: value for key, value in row.items() if key != "qa"} for row in scivqa_rows()]
    write_lines(tmp_path / "bare.jsonl", bare)
    done = annotator(
        "import", "figures", tmp_path / "bare.jsonl", "--qa", tmp_path / "qa.jsonl", "--no-images", home=fresh
    )
    assert done.exception is None
    store = Home.find(fresh).open_store()
    with store.read() as tx:
        pairs = {pair["instance_id"]: pair for pair in tx.figures.get("settled").imported.record["qa"]}
    store.close()
    assert pairs["settled-q4"]["answer"] == "Yes"
    assert len(pairs) == 7


def test_settled_types_are_written(home: Path, tmp_path: Path) -> None:
    done = annotator("export", "types", "--out", tmp_path / "types.jsonl", home=home)
    assert "wrote 2 figure types to" in done.output
    assert {each["figure_id"]: each["types"] for each in lines_of(tmp_path / "types.jsonl")} == {
        "alike": ["line chart"],
        "settled": ["line chart"],
    }


def test_gold_with_items_reads_back_equal_and_says_that_it_has_no_subfigures(home: Path, tmp_path: Path) -> None:
    done = annotator("export", "gold", "--out", tmp_path / "gold.jsonl", home=home)
    assert "2 figures with a type or pairs only" in done.output
    problems = Problems()
    read = list(read_gold(tmp_path / "gold.jsonl", problems))
    where = Home.find(home)
    store = where.open_store()
    written = list(gold(store, where.campaign, GoldTally()))
    store.close()
    assert [(each.figure.id, each.items, each.provenance) for each in read] == [
        (each.figure.id, each.items, each.provenance) for each in written
    ]
    assert problems.count == 0


def test_work_on_pairs_that_the_figure_lacks_is_told_and_kept(home: Path, tmp_path: Path) -> None:
    stray = judged(FIGURES[0], Items(verdicts=(QAVerdict("nowhere", Verdict.CORRECT),)), annotator="ann3")
    write_lines(tmp_path / "stray.jsonl", [annotation_record(stray)])
    done = annotator("import", "annotations", tmp_path / "stray.jsonl", home=home)
    assert "have pairs that the figure doesn't have: alike" in done.output
    store = Home.find(home).open_store()
    with store.read() as tx:
        assert len(list(tx.annotations.all(annotator="ann3"))) == 1
    store.close()


def test_a_file_of_the_campaign_is_not_overwritten(home: Path) -> None:
    for what in ("qa", "types"):
        done = annotator("export", what, "--out", home / "campaign.toml", home=home)
        assert isinstance(done.exception, AnnotatorError)
