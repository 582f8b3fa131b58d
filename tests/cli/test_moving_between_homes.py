"""What one home writes, another reads; and what a user is told where it cannot be whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure, an_annotation
from PIL import Image
from running import Done, notes, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record

CAPTION = an_annotation().figure.caption.text


def annotator(*arguments: object, home: Path) -> Done:
    return run_command(group, "annotator", *arguments, "--home", home)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    return Home.create(tmp_path / "fresh").path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A campaign with two figures and one annotator; one figure has MedICaT's keys, the other none."""
    made = Home.create(tmp_path / "home").path
    for name in ("a.png", "b.jpg"):
        Image.new("RGB", (800, 600), "white").save(tmp_path / name)
    sources = {"f_1": {"document": "d"}, "f_2": {"document": "d", "pdf_hash": "0a", "fig_uri": "2-Figure1-1.png"}}
    write_lines(
        tmp_path / "figures.jsonl",
        [
            {"figure_id": each, "image": image, "caption": CAPTION, "references": [], "source": source}
            for (each, source), image in zip(sources.items(), ("a.png", "b.jpg"), strict=True)
        ],
    )
    work = [annotation_record(an_annotation(a_figure(each))) for each in sources]
    write_lines(tmp_path / "work.jsonl", work)
    assert annotator("import", "figures", tmp_path / "figures.jsonl", home=made).returncode == 0
    assert annotator("import", "annotations", tmp_path / "work.jsonl", home=made).returncode == 0
    return made


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A campaign of three figures without images, one of which does not even name one; two annotators."""
    made = Home.create(tmp_path / "bare").path
    figure = {"caption": CAPTION, "width": 800, "height": 600}
    names = {"f1": {"image": "scans/f1.png"}, "f2": {"image": "scans/f2.png"}, "f3": {}}
    write_lines(tmp_path / "bare.jsonl", [{"figure_id": each, **figure, **more} for each, more in names.items()])
    work = [
        annotation_record(an_annotation(a_figure(each), annotator=name)) for each in names for name in ("a", "b")
    ]
    write_lines(tmp_path / "bare-work.jsonl", work)
    assert annotator("import", "figures", tmp_path / "bare.jsonl", "--no-images", home=made).returncode == 0
    assert annotator("import", "annotations", tmp_path / "bare-work.jsonl", home=made).returncode == 0
    return made


@pytest.mark.slow
def test_gold_with_its_images_is_imported_as_figures_and_work(home: Path, fresh: Path, tmp_path: Path) -> None:
    out, images = tmp_path / "out" / "gold.jsonl", tmp_path / "out" / "images"
    single = ("--include", "single")
    assert annotator("export", "gold", *single, "--out", out, "--images", images, home=home).returncode == 0
    assert sorted(each["image"] for each in records(out)) == sorted(path.name for path in images.iterdir())
    done = annotator("import", "figures", out, "--images", images, home=fresh)
    assert (done.returncode, done.stdout, notes(done.stderr)) == (0, "imported 2 figures\n", "")
    done = annotator("import", "annotations", out, "--from", "medicat", home=fresh)
    assert (done.returncode, done.stdout) == (0, "imported 2 annotations\n")
    assert done.stderr.count('annotations can\'t represent "provenance" (2 records)') == 1
    again = tmp_path / "again.jsonl"
    more = tmp_path / "more"
    assert annotator("export", "gold", *single, "--out", again, "--images", more, home=fresh).returncode == 0
    keys = ("pdf_hash", "fig_key", "fig_uri", "figure_id", "image", "text", "subfigures", "subcaptions", "source")
    assert [{key: each[key] for key in keys} for each in records(again)] == [
        {key: each[key] for key in keys} for each in records(out)
    ]


def test_figures_without_images_are_one_line_of_the_label_studio_export(bare: Path, tmp_path: Path) -> None:
    done = annotator("export", "label-studio", "--out", tmp_path / "t.json", home=bare)
    assert (done.returncode, done.stdout) == (1, f"wrote 0 annotations to {tmp_path / 't.json'}\n")
    assert done.stderr.splitlines()[0] == (
        "left out 6 annotations of 3 figures without a stored image: f1, f2, f3; import the figures again with "
        "their images and --revise"
    )
    assert len(notes(done.stderr).splitlines()) == 1


def test_a_coco_file_names_images_as_they_were_given(bare: Path, tmp_path: Path) -> None:
    out = tmp_path / "coco.json"
    done = annotator("export", "coco", "--out", out, home=bare)
    assert done.returncode == 0
    assert [each["file_name"] for each in json.loads(out.read_text())["images"]] == [
        *("scans/f1.png", "scans/f2.png", "")
    ]
    assert (
        "note: 2 images not stored here: file_name is the name from the import, without a known folder"
        in done.stderr.splitlines()
    )
    assert "note: 1 figure without an image or file name, file_name is empty: f3; import" in done.stderr


def test_the_scivqa_export_tells_what_the_gold_added_and_replaced(fresh: Path, tmp_path: Path) -> None:
    pair = {"qa_pair_type": "unanswerable", "question": "Why?", "answer_options": [], "answer": "x"}
    extra = {
        "figs_numb": "3",
        "qa": [{"instance_id": "q1", **pair, "verdict": "theirs"}, {"instance_id": "q2", **pair}],
    }
    edited = QAItem("q1", "Why not?", QAKind("unanswerable"), (), "x", frozenset())
    items = Items(
        FigureKind(None, 2, frozenset(), ""),
        (
            QAVerdict("q1", Verdict.INCORRECT, edited, ""),
            QAVerdict("q2", Verdict.CORRECT, None, "fine"),
        ),
        (HumanAnswer("q2", "y", ""),),
    )
    figure = a_figure("f1", extra=extra)
    with Home.find(fresh).open_store() as store, store.transaction() as tx:
        tx.figures.add(figure)
        tx.decisions.add(a_decision(figure, items=items))
    done = annotator("export", "scivqa", "--out", tmp_path / "s.jsonl", home=fresh)
    assert done.returncode == 0
    for line in (
        'SciVQA cannot represent verdicts on pairs: 1 kept under the extra key "qa[].verdict"',
        'SciVQA cannot represent notes on verdicts: 1 kept under the extra key "qa[].note"',
        'SciVQA cannot represent human answers: 1 kept under the extra key "qa[].human_prediction"',
        # The verdict that had come, the question and the number of subfigures.
        "SciVQA cannot represent two values under one key, so that the gold's took the place of what had come "
        "with figures and pairs: 3 left out; `annotator export figures` writes what had come",
    ):
        assert f"note: {line}" in done.stderr.splitlines()


@pytest.mark.slow
def test_one_of_a_kind_is_told_in_the_singular(home: Path, fresh: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.jsonl"
    write_lines(first, records(tmp_path / "figures.jsonl")[:1])
    assert annotator("import", "figures", first, home=fresh).stdout == "imported 1 figure\n"
    write_lines(first, records(tmp_path / "work.jsonl")[:1])
    assert annotator("import", "annotations", first, home=fresh).stdout == "imported 1 annotation\n"
    for kind, told in (
        ("gold", "wrote 1 figure to"),
        ("annotations", "wrote 1 annotation to"),
        ("figures", "wrote 1 figure to"),
        ("coco", "wrote 2 boxes on 1 image to"),
        ("label-studio", "wrote 1 annotation to"),
        ("scivqa", "wrote 1 figure to"),
    ):
        options = ["--include", "single"] if kind in ("gold", "coco") else []
        done = annotator("export", kind, *options, "--out", tmp_path / "o", home=fresh)
        assert done.stdout.startswith(told)


def test_pairs_stay_where_a_later_file_does_not_speak_of_them(fresh: Path, tmp_path: Path) -> None:
    Image.new("RGB", (80, 60), "white").save(tmp_path / "f1.png")
    figure = {"figure_id": "f1", "image_file": "f1.png", "caption": "Figure 1.", "figs_numb": "2", "paper_id": "p"}
    pair = {"instance_id": "q1", "qa_pair_type": "unanswerable", "question": "Why?", "answer_options": []}
    path, pairs = tmp_path / "f.jsonl", tmp_path / "q.jsonl"
    write_lines(path, [figure])
    write_lines(pairs, [{**pair, "answer": "x", "figure_id": "f1"}])

    def bring(*options: object, **more: object) -> str:
        write_lines(path, [{**figure, **more}])
        done = annotator("import", "figures", path, *options, home=fresh)
        assert (done.returncode, notes(done.stderr)) == (0, "")
        return done.stdout

    def asked() -> list[str]:
        annotator("export", "scivqa", "--out", tmp_path / "s.jsonl", home=fresh)
        return [each["instance_id"] for each in records(tmp_path / "s.jsonl")[0]["qa"]]

    bring("--qa", pairs)
    assert bring() == "imported 0 figures, 1 unchanged\n"
    assert bring("--revise") == "revised 0 figures, updated 0 in place, 1 unchanged\n"
    assert bring("--revise", figs_numb="3") == "revised 0 figures, updated 1 in place, 0 unchanged\n"
    assert bring("--revise", caption="Figure one.").startswith("revised 1 figure (1 caption)")
    assert asked() == ["q1"]
    assert bring("--revise", caption="Figure one.", qa=[]).startswith("revised 0 figures, updated 1 in place")
    assert asked() == []
