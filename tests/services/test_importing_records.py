"""MedICaT's records and our own whose authors, figures or times repeat: one annotation each, or named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation

from annotator.consensus.gold_rule import from_decision
from annotator.imports.exports_of_others import import_from
from annotator.store.store import Store
from panelwise.domain.campaign import Campaign, Phase, TaskType
from panelwise.domain.errors import FormatError
from panelwise.domain.items import FigureKind, Items
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import annotation_record
from panelwise.formats.medicat import gold_record

CAMPAIGN = Campaign("c", (Phase("1"), Phase("2")), ("A", "B"))


def medicat(tmp_path: Path, *names: str | None) -> Path:
    work = [gold_record(from_decision(a_decision())) | {"annotator": name} for name in names]
    file = tmp_path / "m.jsonl"
    file.write_text("".join(json.dumps({key: each[key] for key in each if each[key]}) + "\n" for each in work))
    return file


def test_medicats_records_that_name_several_annotators_are_each_theirs(store: Store, tmp_path: Path) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    file = medicat(tmp_path, "ann", "ben")
    with pytest.raises(FormatError, match=r"2 annotators \(ann, ben\)"):
        list(import_from("medicat", store, CAMPAIGN, file, Problems(), annotator="cleo"))
    list(import_from("medicat", store, CAMPAIGN, file, Problems(), annotator="cleo", account="ben"))
    problems = Problems()
    list(import_from("medicat", store, CAMPAIGN, file, problems))
    with store.read() as tx:
        assert {each.annotator for each in tx.annotations.all()} == {"ann", "ben", "cleo"}
    assert problems.count == 0


def test_records_without_an_author_beside_ones_with_one_are_named(store: Store, tmp_path: Path) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    problems = Problems()
    list(import_from("medicat", store, CAMPAIGN, medicat(tmp_path, "ann", None), problems, annotator="ann"))
    assert "without an author: 1 record; came in as ann's, as the others did" in problems.notes[0]
    problems = Problems()
    list(import_from("medicat", store, CAMPAIGN, medicat(tmp_path, None, None), problems, annotator="ann"))
    assert "without an author" not in " ".join(problems.notes)


def test_a_second_record_of_a_figure_is_named_with_its_line_and_the_first_kept(
    store: Store, tmp_path: Path
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    problems = Problems()
    *_, tally = import_from("medicat", store, CAMPAIGN, medicat(tmp_path, None, None), problems)
    assert tally.added == 1
    assert problems.lines[0].startswith(
        f'{tmp_path / "m.jsonl"}:2: figure "f1" by "gold" in phase "gold" is there before'
    )
    work = [
        an_annotation(minutes=at, subfigures=(a_subfigure(label),)) for at, label in ((0, "A"), (0, "B"), (1, "C"))
    ]
    lines = [annotation_record(each) for each in work]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    problems = Problems()
    list(import_from("jsonl", store, CAMPAIGN, tmp_path / "a.jsonl", problems))
    assert [line.split(":")[1] for line in problems.lines] == ["2"]
    assert "a.jsonl:3: " in problems.notes[0]
    assert "the one saved last counts" in problems.notes[0]
    with store.read() as tx:
        history = tx.annotations.history("f1", "ann1", "1")
    assert [each.subfigures[0].label for each in history] == ["A", "C"]


def test_a_type_that_the_campaign_does_not_list_costs_its_record_and_is_named(
    store: Store, tmp_path: Path
) -> None:
    phases = (Phase("1", TaskType.FIGURE_TYPES), Phase("fine", TaskType.FIGURE_TYPES, fine_types=True))
    campaign = Campaign("c", phases, ("A",), figure_types=("scan", "chart"))
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    work = [
        replace(
            an_annotation(annotator=who, phase=phase, subfigures=()),
            items=Items(FigureKind(False, 1, frozenset({name}))),
        )
        for who, phase, name in (("ann", "1", "scan"), ("ben", "1", "tree"), ("cleo", "fine", "tree"))
    ]
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(annotation_record(each)) + "\n" for each in work))
    problems = Problems()
    list(import_from("jsonl", store, campaign, file, problems))
    with store.read() as tx:
        assert {each.annotator for each in tx.annotations.all()} == {"ann", "cleo"}
    assert problems.lines == [
        f'{file}:2: figure "f1": type "tree" is none of the campaign\'s figure_types (scan, chart); '
        "correct the record, or list the type in campaign.toml"
    ]
