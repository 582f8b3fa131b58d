from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from builders import a_figure
from PIL import Image

from annotator.campaign.home import Home
from annotator.imports.image_intake import store_image
from annotator.measurement.report_pictures import BYTES, BYTES_EACH, SIDE, ReportPictures, homes_among
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import write_lines
from panelwise.formats.figures import figure_record


def draw(path: Path, size: tuple[int, int] = (800, 600), *, noisy: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, "teal")
    if noisy:
        image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))
    image.save(path)
    return path


def opened(data: bytes | None) -> Image.Image:
    assert data is not None
    image = Image.open(io.BytesIO(data))
    image.load()
    assert image.format == "JPEG"
    return image


def test_a_folder_is_searched_by_figure_id(tmp_path: Path) -> None:
    draw(tmp_path / "f1.png", (1600, 1200))
    draw(tmp_path / "a_b.jpg")
    (tmp_path / "f2.txt").write_text("no image")
    pictures = ReportPictures(images=tmp_path)
    assert opened(pictures(a_figure("f1"))).size == (SIDE, SIDE * 3 // 4)
    assert opened(pictures(a_figure("a/b"))).size == (720, 540)
    assert pictures.summary() == ""
    assert pictures(a_figure("f2")) is None
    assert pictures(a_figure("f3")) is None
    assert (
        pictures.summary() == f"{tmp_path}: has no image of f2 and 1 more; the report shows the boxes without it"
    )


@pytest.mark.parametrize("named", ["folder", "file"])
def test_figures_jsonl_says_where_images_lie(tmp_path: Path, named: str) -> None:
    draw(tmp_path / "pictures" / "first one.png")
    figures = [a_figure("f1", image="pictures/first one.png"), a_figure("f2", image="http://example.org/f2.png")]
    write_lines(tmp_path / "figures.jsonl", map(figure_record, figures))
    pictures = ReportPictures(images=tmp_path if named == "folder" else tmp_path / "figures.jsonl")
    assert opened(pictures(a_figure("f1"))).size == (720, 540)
    assert pictures(a_figure("f2")) is None


def stored(tmp_path: Path) -> tuple[Home, Figure]:
    home = Home.create(tmp_path / "home")
    image = store_image(draw(tmp_path / "x.png"), home.path, "f1")
    figure = a_figure("f1", image=image.path)
    store = home.open_store()
    with store.transaction() as tx:
        tx.figures.add_many([figure])
    store.close()
    return home, figure


def test_a_home_among_the_sources_shows_its_own_images(tmp_path: Path) -> None:
    home, figure = stored(tmp_path)
    homes = homes_among([home.path, tmp_path, tmp_path / "absent.jsonl"])
    assert [each.path for each in homes] == [home.path]
    pictures = ReportPictures(homes)
    assert opened(pictures(figure)).size == (720, 540)
    assert pictures(a_figure("f1", image="")) is None
    assert pictures(a_figure("f1", image="../x.png")) is None
    assert pictures.missing == ["f1", "f1"]


def test_a_home_can_be_named_for_work_that_lies_elsewhere(tmp_path: Path) -> None:
    home, _ = stored(tmp_path)
    pictures = ReportPictures(images=home.path)
    assert opened(pictures(a_figure("f1", image=""))).size == (720, 540)
    assert pictures(a_figure("f2")) is None


@pytest.mark.slow
def test_pictures_share_the_bytes_that_a_report_may_have(tmp_path: Path) -> None:
    draw(tmp_path / "f1.png", (1600, 1200), noisy=True)
    for number in (1, 20, 50):
        data = ReportPictures(images=tmp_path, number=number)(a_figure("f1"))
        assert data is not None
        assert len(data) <= min(BYTES_EACH, BYTES // number)


def test_what_does_not_fit_the_figure_or_is_no_image_is_told_and_left_out(tmp_path: Path) -> None:
    draw(tmp_path / "f1.png", (800, 400))
    (tmp_path / "f2.png").write_bytes(b"no image")
    told: list[str] = []
    pictures = ReportPictures(images=tmp_path, warn=told.append)
    assert pictures(a_figure("f1")) is None
    assert pictures(a_figure("f2")) is None
    first, second = told
    assert first == (
        f'{tmp_path / "f1.png"}: is 800 x 400 pixels, figure "f1" 800 x 600; the report shows the boxes without it'
    )
    assert str(tmp_path / "f2.png") in second
    assert "\n" not in second


def test_images_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        ReportPictures(images=tmp_path / "absent")


def test_where_no_image_was_to_be_found_nothing_is_told() -> None:
    pictures = ReportPictures()
    assert pictures(a_figure("f1")) is None
    assert pictures.summary() == ""


@pytest.mark.slow
def test_the_same_image_gives_the_same_bytes(tmp_path: Path) -> None:
    draw(tmp_path / "f1.png", noisy=True)
    assert ReportPictures(images=tmp_path)(a_figure("f1")) == ReportPictures(images=tmp_path)(a_figure("f1"))
