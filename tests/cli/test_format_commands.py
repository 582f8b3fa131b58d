"""Import and export in the layouts of others, as a user runs them: from one home into a fresh one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import an_annotation
from click.testing import CliRunner, Result
from PIL import Image

from annotator.cli.campaign.main import group
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record


def annotator(*arguments: object, home: Path | None = None) -> Result:
    given = [*map(str, arguments), *(["--home", str(home)] if home else [])]
    return CliRunner().invoke(group, given, standalone_mode=False)


def status(done: Result) -> int:
    """The exit status: commands give theirs back, or raise what the console script turns into 1."""
    if isinstance(done.exception, AnnotatorError):
        return 1
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code or int(done.return_value or 0)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A campaign with one figure and two annotators of one mind."""
    made = tmp_path / "home"
    Image.new("RGB", (800, 600), "white").save(tmp_path / "f1.png")
    record = {"figure_id": "f1", "image": "f1.png", "caption": an_annotation().figure.caption.text}
    write_lines(tmp_path / "figures.jsonl", [{**record, "references": ["See."], "source": {"document": "d"}}])
    work = [annotation_record(an_annotation(annotator=name, seeded_by="m")) for name in ("a", "b")]
    write_lines(tmp_path / "work.jsonl", work)
    assert status(annotator("init", made)) == 0
    assert status(annotator("import", "figures", tmp_path / "figures.jsonl", home=made)) == 0
    assert status(annotator("import", "annotations", tmp_path / "work.jsonl", home=made)) == 0
    return made


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    assert status(annotator("init", tmp_path / "fresh")) == 0
    return tmp_path / "fresh"


def work_in(home: Path, tmp_path: Path, *options: str) -> list[dict[str, Any]]:
    assert status(annotator("export", "annotations", "--out", tmp_path / "out.jsonl", *options, home=home)) == 0
    return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["jsonl", "medicat"])
def test_a_campaign_moves_to_another_home(home: Path, fresh: Path, tmp_path: Path, layout: str) -> None:
    before = work_in(home, tmp_path)
    done = annotator("export", "figures", "--layout", layout, "--out", tmp_path / "f.jsonl", home=home)
    assert (status(done), done.stdout) == (0, f"wrote 1 figure to {tmp_path / 'f.jsonl'}\n")
    assert ('under the extra key "panelwise"' in done.stderr) is (layout == "medicat")
    done = annotator("export", "label-studio", "--out", tmp_path / "t.json", home=home)
    assert (status(done), done.stdout) == (0, f"wrote 2 annotations to {tmp_path / 't.json'}\n")
    assert "names and phases of annotators: 2 kept" in done.stderr
    assert status(annotator("import", "figures", tmp_path / "f.jsonl", "--images", home, home=fresh)) == 0
    done = annotator("import", "annotations", tmp_path / "t.json", "--from", "label-studio", home=fresh)
    assert (status(done), done.stdout) == (0, "imported 2 annotations\n")
    assert work_in(fresh, tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("categories", ["subfigure", "label"])
def test_gold_boxes_go_out_and_come_in_as_coco(home: Path, tmp_path: Path, categories: str) -> None:
    out = tmp_path / "coco.json"
    done = annotator(
        *("export", "coco", "--out", out, "--categories", categories, "--images-root", home / "images"), home=home
    )
    said = f"wrote 2 boxes on 1 image to {out}\nstatus of 1 figure: 1 unanimous\n"
    assert (status(done), done.stdout) == (0, said)
    assert "COCO cannot represent subcaptions: 2 kept" in done.stderr
    (image,) = json.loads(out.read_text())["images"]
    assert (home / "images" / image["file_name"]).is_file()
    done = annotator("import", "annotations", out, "--from", "coco", "--annotator", "c", "--phase", "9", home=home)
    assert (status(done), done.stdout) == (0, "imported 1 annotation\n")
    ours, theirs = (work_in(home, tmp_path, "--annotator", name)[0]["subfigures"] for name in ("a", "c"))
    assert ours == theirs


def test_boxes_of_others_find_their_figures_by_file_name(home: Path, tmp_path: Path) -> None:
    boxes = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 400, 600]}]
    images = [
        {"id": 1, "file_name": "train/f1.jpg"},
        {"id": 2, "file_name": "other.jpg"},
        {"id": 3, "file_name": "9.jpg", "figure_id": "f9"},
    ]
    whole = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "panel"}]}
    (tmp_path / "c.json").write_text(json.dumps(whole))
    done = annotator(
        *("import", "annotations", tmp_path / "c.json", "--from", "coco", "--annotator", "net"), home=home
    )
    assert status(done) == 1
    assert done.stdout == "imported 1 annotation; see the 2 errors above\n"
    assert 'image "other.jpg" matches no stored figure' in done.stderr
    assert 'figure "f9" is not in the store; import it first' in done.stderr


def test_scivqa_goes_in_and_out(fresh: Path, tmp_path: Path) -> None:
    Image.new("RGB", (80, 60), "white").save(tmp_path / "f1.png")
    figure = {"figure_id": "f1", "image_file": "f1.png", "caption": "Figure 1.", "figs_numb": "2", "paper_id": "p"}
    pair = {"instance_id": "q1", "qa_pair_type": "unanswerable", "question": "Why?", "answer_options": []}
    write_lines(tmp_path / "f.jsonl", [figure])
    write_lines(tmp_path / "q.jsonl", [{**pair, "answer": "x", "figure_id": "f1"}])
    done = annotator("import", "figures", tmp_path / "f.jsonl", "--qa", tmp_path / "q.jsonl", home=fresh)
    assert (status(done), done.stdout) == (0, "imported 1 figure\n")
    done = annotator("export", "scivqa", "--out", tmp_path / "s.json", home=fresh)
    assert (status(done), done.stderr) == (0, "")
    assert json.loads((tmp_path / "s.json").read_text()) == [{**figure, "qa": [{**pair, "answer": "x"}]}]


def test_a_figure_without_an_image_is_named_by_the_label_studio_export(tmp_path: Path, fresh: Path) -> None:
    figure = {"figure_id": "f1", "image": "f1.png", "caption": an_annotation().figure.caption.text}
    write_lines(tmp_path / "f.jsonl", [{**figure, "width": 800, "height": 600}])
    write_lines(tmp_path / "a.jsonl", [annotation_record(an_annotation())])
    assert status(annotator("import", "figures", tmp_path / "f.jsonl", "--no-images", home=fresh)) == 0
    assert status(annotator("import", "annotations", tmp_path / "a.jsonl", home=fresh)) == 0
    done = annotator("export", "label-studio", "--out", tmp_path / "t.json", home=fresh)
    assert (status(done), done.stdout) == (1, f"wrote 0 annotations to {tmp_path / 't.json'}\n")
    assert "left out 1 annotation of 1 figure without a stored image: f1; import" in done.stderr


def test_options_that_do_not_go_with_a_layout_are_wrong_usage(home: Path, tmp_path: Path) -> None:
    import click

    for options, told in (
        (["--from", "coco"], "add --annotator NAME"),
        (["--annotator", "a"], "annotations.jsonl names annotator and phase"),
        (
            ["--from", "medicat", "--phase", "1"],
            'format has no phase, "gold" is used; leave out --phase',
        ),
    ):
        done = annotator("import", "annotations", tmp_path / "x", *options, home=home)
        assert isinstance(done.exception, click.UsageError)
        assert told in str(done.exception)


def test_agreement_reads_an_export_as_it_reads_the_annotations(home: Path, tmp_path: Path) -> None:
    from annotator.cli.agreement.main import group as agreement

    annotator("export", "label-studio", "--out", tmp_path / "t.json", home=home)
    scores = []
    for source in (tmp_path / "t.json", tmp_path / "work.jsonl"):
        done = CliRunner().invoke(agreement, ["report", str(source), "--format", "json", "--bootstrap", "0"])
        assert done.exit_code == 0, done.output
        report = json.loads(done.stdout)
        scores.append((report["iaa"], report["pairs"]))
    assert scores[0] == scores[1]
    assert scores[0][0] == 1.0
    (tmp_path / "odd.json").write_text('[{"figure_id": "f1"}]')
    done = CliRunner().invoke(agreement, ["report", str(tmp_path / "odd.json")])
    assert "a JSON array, but not of Label Studio's tasks" in str(done.exception)


@pytest.mark.parametrize(
    "name",
    [
        "images\\F1.PNG",
        "f1",
        "f1.tif",
        "./a/f1.png",
        "https://host/x/f1.png?sig=2",
        "/data/local-files/?d=x%2Ff1.png",
        "/data/upload/3/0a1b2c3d-f1.png",
    ],
)
def test_boxes_find_their_figures_under_other_spellings_of_file_names(
    home: Path, tmp_path: Path, name: str
) -> None:
    box = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 400, 600]}
    whole = {"images": [{"id": 1, "file_name": name}], "annotations": [box], "categories": []}
    (tmp_path / "c.json").write_text(json.dumps(whole))
    done = annotator(
        *("import", "annotations", tmp_path / "c.json", "--from", "coco", "--annotator", "net"), home=home
    )
    assert (status(done), done.stdout) == (0, "imported 1 annotation\n")
