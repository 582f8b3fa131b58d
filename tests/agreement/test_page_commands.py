"""`--format html` of the commands: pages, their images and links, what is refused."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import a_prediction
from html_pages import a_campaign, check_page
from PIL import Image

from annotator.cli.agreement.main import main
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def agreement(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["agreement", *map(str, arguments)])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "annotations.jsonl"
    path.parent.mkdir()
    write_lines(path, map(annotation_record, a_campaign(6)))
    return path


def test_a_report_is_written_as_a_page_twice_the_same(source: Path, tmp_path: Path, agreement: Command) -> None:
    out = tmp_path / "report.html"
    options = ("--format", "html", "--bootstrap", 20, "--view", "https://view.example/panelwise")
    assert agreement("report", source, *options, "--out", out) == (0, "", "")
    page = check_page(out.read_text("utf-8"), view="https://view.example/panelwise/")
    assert "annotations.jsonl" in page.text
    assert str(tmp_path) not in page.text
    code, printed, _ = agreement("report", source, *options)
    assert (code, printed) == (0, out.read_text("utf-8"))


@pytest.mark.slow
def test_images_are_shown_and_those_missing_told(source: Path, tmp_path: Path, agreement: Command) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(5):
        Image.new("RGB", (800, 600), "teal").save(folder / f"fig-{number:03}.png")
    code, printed, err = agreement(
        "report", source, "--format", "html", "--bootstrap", 0, "--images", folder, "--worst", 6
    )
    page = check_page(printed)
    assert code == 0
    assert len(page.all("image")) == 5
    assert err == f"{folder}: has no image of fig-005; the report shows the boxes without it\n"


@pytest.mark.parametrize("worst", [0, 2])
def test_so_many_of_the_worst_figures_are_shown(source: Path, agreement: Command, worst: int) -> None:
    _, printed, _ = agreement("report", source, "--format", "html", "--bootstrap", 0, "--worst", worst)
    assert len(check_page(printed).all("article")) == worst


def test_models_and_annotators_are_compared_on_a_page(source: Path, tmp_path: Path, agreement: Command) -> None:
    figures = {each.figure.id: each.figure for each in a_campaign(6)}
    predictions = tmp_path / "model.jsonl"
    made = [a_prediction(figure, scores=(0.9, 0.4)) for figure in figures.values()]
    write_lines(predictions, map(prediction_record, made))
    code, printed, err = agreement(
        *("compare", source, predictions, source, "--gold-annotator", "ann1", "--bootstrap", 20),
        *("--annotator", "ann2", "--annotator", "classic-1", "--format", "html"),
    )
    assert (code, err) == (0, "")
    page = check_page(printed)
    for said in ("Ranking", "classic-1", "Other thresholds", "COCO average precision"):
        assert said in page.text


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--view", "http://x.example"), 2, "--view needs --format html"),
        (("--images", "."), 2, "--images needs --format html"),
        (("--worst", "3"), 2, "--worst needs --format html"),
        (("--format", "html", "--view", "javascript:alert(1)"), 2, "is not an address"),
        (("--format", "html", "--view", "http://[bad"), 2, "is not an address"),
        (("--format", "html", "--view", "http://x.example/?a=b"), 2, "is not an address"),
        (("--format", "html", "--images", "absent"), 1, "absent: no such folder"),
        (("--format", "html", "--worst", "1000"), 2, "not in the range"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    arguments: tuple[str, ...], status: int, message: str, source: Path, agreement: Command
) -> None:
    code, printed, err = agreement("report", source, "--bootstrap", 0, *arguments)
    assert (code, printed) == (status, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_the_real_predictions_worst_figures_are_shown(
    shared_data: Path, tmp_path: Path, agreement: Command
) -> None:
    out = tmp_path / "compared.html"
    code, _, err = agreement(
        *("compare", shared_data / "gold_annotations.jsonl", shared_data / "annotations.jsonl"),
        *("--annotator", "ann2", "--images", shared_data, "--format", "html", "--bootstrap", 20, "--out", out),
    )
    assert (code, err) == (0, "")
    page = check_page(out.read_text("utf-8"))
    assert len(page.all("image")) == len(page.all("article")) > 5
    assert out.stat().st_size < 2_000_000
