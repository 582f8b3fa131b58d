from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from annotator.cli.prelabel import group
from annotator.prelabels.train import Material, examples_of
from panelwise.files.jsonl import Problems
from prelabel.models.checkpoints import read_about
from prelabel.training.data.splits import Split
from prelabel.training.tasks.classifier import labelled_kind


@pytest.fixture(scope="module")
def docfigure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset's layout: 20 figures to train with, 4 to test."""
    folder = tmp_path_factory.mktemp("DocFigure")
    for name in ("annotation", "images"):
        (folder / name).mkdir()
    for which, count in (("train", 20), ("test", 4)):
        lines = []
        for number in range(count):
            image = f"{which}_{number}.png"
            Image.new("RGB", (60, 40), "red" if number % 2 else "blue").save(folder / "images" / image)
            lines.append(f"{image}, {'Medical images' if number % 2 else 'Line charts'}")
        (folder / "annotation" / f"{which}.txt").write_text("\n".join(lines) + "\n")
    return folder


def test_figures_have_their_type_and_the_datasets_splits(docfigure: Path) -> None:
    problems = Problems()
    found = examples_of(Material(docfigure), problems)
    assert problems.count == 0
    assert {each.figure.id for each in found if each.split is Split.TEST} == {f"test_{n}.png" for n in range(4)}
    # 15 of 80 figures validate.
    assert sum(each.split is Split.VAL for each in found) == 4
    assert labelled_kind(found[0]).types == {"line chart"}
    assert labelled_kind(found[1]).types == {"medical images"}
    assert Material(docfigure).split_source == "DocFigure's lists, validation drawn with seed 0"


def test_what_cannot_be_read_is_named_and_left_out(docfigure: Path, tmp_path: Path) -> None:
    (tmp_path / "annotation").mkdir()
    (tmp_path / "annotation" / "train.txt").write_text("none.png, Maps\nno comma\n../x.png, Maps\n\n")
    (tmp_path / "images").symlink_to(docfigure / "images")
    with open(tmp_path / "annotation" / "train.txt", "a") as file:
        file.write("train_0.png, Maps\n")
    problems = Problems()
    assert [each.figure.id for each in examples_of(Material(tmp_path), problems)] == ["train_0.png"]
    assert len(problems.lines) == 3
    assert '"no comma" is not "IMAGE, TYPE"' in problems.lines[0]
    assert "none.png: No such file" in problems.lines[1]


@pytest.mark.slow
def test_the_papers_classifier_is_trained_and_what_it_keeps_is_scored(docfigure: Path, tmp_path: Path) -> None:
    """As in the paper, but for its size: one type a figure, a centre crop, what is kept at top K."""

    def invoke(*arguments: object) -> str:
        done = CliRunner().invoke(group, [str(each) for each in arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    out = tmp_path / "model"
    invoke("train", "classifier", docfigure, "--target", "type", "--softmax", "--crop", "--random-weights",
           "--side", 32, "--epochs", 1, "--device", "cpu", "--out", out)  # fmt: skip
    about = read_about(out)
    assert (about.architecture["softmax"], about.architecture["crop"]) == (True, True)
    said = invoke("evaluate", "--table", docfigure, "--classifier", out, "--keep", "medical images", "--device",
                  "cpu", "--column", "test")  # fmt: skip
    # Two types: among the two likeliest both are, so all figures are kept, and half of them are wanted.
    assert "kept at top 2: P / R 50.0 / 100.0" in " ".join(said.split())
