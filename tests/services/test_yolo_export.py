"""`annotator export yolo`: images, labels and data.yaml, which are read back."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from builders import a_figure, a_subfigure, an_annotation
from PIL import Image
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group as annotator
from panelwise.files.jsonl import Problems
from panelwise.formats.layout import Reading, read_work
from panelwise.formats.registry import YOLO

BOXES = {"A": (10.25, 0, 400.5, 600), "B": (400.5, 0, 800, 600)}


def a_campaign(path: Path) -> Home:
    """Return a campaign with ten figures of two articles, one without subfigures, all boxed by one annotator."""
    home = Home.create(path, settings='name = "L"\nlabels = ["A"]\ninclude = ["single"]\n[[phases]]\nname = "1"\n')
    with home.open_store() as store, store.transaction() as tx:
        for number in range(10):
            Image.new("RGB", (800, 600), "white").save(home.images / f"f{number}.png")
            figure = a_figure(f"f {number}", image=f"images/f{number}.png", document=f"PMC{number % 2}")
            parts = tuple(a_subfigure(label, box=box) for label, box in BOXES.items()) if number else ()
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, subfigures=parts))
    return home


def unpacked(home: Home, folder: Path, *options: object) -> tuple[Path, str, int]:
    out = folder / "yolo.zip"
    done = run_command(annotator, "annotator", "export", "yolo", "--home", home.path, "--out", out, *options)
    with ZipFile(out) as archive:
        archive.extractall(folder / "set")
    return folder / "set", done.stdout + done.stderr, done.returncode


@pytest.mark.parametrize(
    ("options", "names", "labels"),
    [((), ["subfigure"], ["A", "B"]), (("--categories", "label"), ["A", "B"], ["A", "B"])],
)
def test_the_data_set_reads_back_with_its_boxes(
    tmp_path: Path, options: tuple[str, ...], names: list[str], labels: list[str]
) -> None:
    folder, text, status = unpacked(a_campaign(tmp_path / "home"), tmp_path, *options)
    assert status == 0, text
    assert "wrote 18 boxes on 10 images" in text
    assert "subcaptions: 18 left out" in text
    settings = yaml.safe_load((folder / "data.yaml").read_text())
    assert list(settings["names"].values()) == names
    problems, read = Problems(), {}
    for work in read_work(YOLO, folder, problems, Reading()):
        read[work.figure.id] = work.subfigures
    assert problems.lines == []
    assert set(read) == {f"f{number}" for number in range(10)}
    assert read["f0"] == ()
    assert [part.label for part in read["f1"]] == labels
    for part in read["f1"]:
        assert part.box.as_list() == pytest.approx(BOXES[part.label], abs=1e-3)


def test_articles_are_in_one_split_and_trainers_find_their_folders(tmp_path: Path) -> None:
    folder, _, _ = unpacked(a_campaign(tmp_path / "home"), tmp_path)
    settings = yaml.safe_load((folder / "data.yaml").read_text())
    split_of = {path.stem: path.parent.name for path in folder.glob("images/*/*.png")}
    for article in range(2):
        assert len({split_of[f"f{number}"] for number in range(10) if number % 2 == article}) == 1
    for key in ("train", "val"):
        images = list((folder / settings[key]).iterdir())
        assert images
        assert all((folder / "labels" / image.parent.name / f"{image.stem}.txt").is_file() for image in images)


def test_an_image_that_is_missing_is_named_and_costs_no_other(tmp_path: Path) -> None:
    home = a_campaign(tmp_path / "home")
    (home.images / "f3.png").unlink()
    _, text, status = unpacked(home, tmp_path)
    assert status == 1
    assert 'figure "f 3": ' in text
    assert "wrote 16 boxes on 9 images" in text
