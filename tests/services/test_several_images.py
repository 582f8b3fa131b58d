"""Figures of several images: put together at import, with the publisher's panels as pre-labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group as annotator
from annotator.prelabels.run import to_prelabel
from panelwise.domain.annotation import PUBLISHER
from panelwise.formats.several_images import arranged

CAPTION = "Two rats. (A) A young rat. (B) An old rat in a maze."
COLOURS = {"a.png": ("red", (100, 80)), "b.png": ("blue", (60, 80)), "c.png": ("green", (500, 40))}


def a_record(*images: object, **more: Any) -> dict[str, Any]:
    return {"figure_id": "rats", "images": list(images), "caption": CAPTION, **more}


def a_home(folder: Path, *records: dict[str, Any], options: Sequence[str] = ()) -> tuple[Home, str, int]:
    if not (folder / "home").exists():
        settings = 'name = "L"\nlabels = ["A", "B"]\n[[phases]]\nname = "1"\n'
        Home.create(folder / "home", settings=settings)
        for name, (colour, size) in COLOURS.items():
            Image.new("RGB", size, colour).save(folder / name)
    path = folder / "figures.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = run_command(annotator, "annotator", "import", "figures", path, "--home", folder / "home", *options)
    return Home.find(folder / "home"), done.stdout + done.stderr, done.returncode


def panels(home: Home) -> list[tuple[str, list[float], str]]:
    with home.open_store() as store, store.read() as tx:
        (prediction,) = tx.predictions.all(model_version=PUBLISHER)
        caption = prediction.figure.caption
        return [
            (part.label, part.box.as_list(), caption.text_of(part.subcaption)) for part in prediction.subfigures
        ]


def canvas(home: Home) -> Image.Image:
    with home.open_store() as store, store.read() as tx:
        return Image.open(home.image_path(tx.figures.get("rats"))).convert("RGB")


def test_images_without_places_stand_in_rows_and_are_panels(tmp_path: Path) -> None:
    parts = [
        {"image": "a.png", "label": "A", "caption": "A young rat."},
        {"image": "b.png", "caption": "(B) An old rat in a maze."},
    ]
    home, text, status = a_home(tmp_path, a_record(*parts, "c.png"))
    assert status == 0, text
    assert panels(home) == [
        ("A", [0, 0, 100, 80], "A young rat."),
        ("B", [108, 0, 168, 80], "(B) An old rat in a maze."),
        ("C", [0, 88, 500, 128], ""),
    ]
    image = canvas(home)
    assert image.size == (500, 128)
    assert [image.getpixel(place) for place in ((50, 40), (130, 40), (50, 110), (104, 40))] == [
        (255, 0, 0),
        (0, 0, 255),
        (0, 128, 0),
        (255, 255, 255),
    ]


def test_images_with_places_stand_as_on_the_page_at_the_finest_scale(tmp_path: Path) -> None:
    parts = [
        {"image": "b.png", "place": [310, 120, 340, 160]},
        {"image": "a.png", "place": [300, 100, 400, 110]},
    ]
    home, text, status = a_home(tmp_path, a_record(*parts))
    assert status == 0, text
    assert [box for _, box, _ in panels(home)] == [[20, 40, 80, 120], [0, 0, 200, 20]]
    assert canvas(home).size == (200, 120)


def test_places_that_cover_each_other_are_not_believed() -> None:
    size, boxes = arranged([(50, 50), (50, 50)], [(0, 0, 10, 10), (5, 0, 15, 10)])
    assert boxes == ((0, 0, 50, 50), (58, 0, 108, 50))
    assert size == (108, 50)


def test_a_small_image_on_a_large_place_does_not_blow_the_figure_up() -> None:
    (width, height), _ = arranged([(1000, 1000), (10, 10)], [(0, 0, 1, 1), (2, 0, 900, 900)])
    assert width * height <= 4.1 * (1000 * 1000 + 10 * 10)


def test_importing_again_changes_nothing_and_revising_follows_the_images(tmp_path: Path) -> None:
    a_home(tmp_path, a_record("a.png", "b.png"))
    home, text, status = a_home(tmp_path, a_record("a.png", "b.png"))
    assert (status, "1 unchanged" in text) == (0, True)
    home, text, status = a_home(tmp_path, a_record("a.png", "c.png"), options=["--revise"])
    assert status == 0, text
    assert [box for _, box, _ in panels(home)] == [[0, 0, 100, 80], [0, 88, 500, 128]]


def test_panels_of_the_publisher_are_not_pre_labelled_over(tmp_path: Path) -> None:
    home, _, _ = a_home(tmp_path, a_record("a.png", "b.png"), a_record(figure_id="one", image="c.png"))
    with home.open_store() as store:
        assert to_prelabel(store, "classic-1") == ["one"]
        assert sorted(to_prelabel(store, "classic-1", again=True)) == ["one", "rats"]


def test_one_image_in_the_list_is_the_figures_own(tmp_path: Path) -> None:
    home, text, status = a_home(tmp_path, a_record("a.png"))
    assert status == 0, text
    assert canvas(home).size == (100, 80)
    with home.open_store() as store, store.read() as tx:
        assert list(tx.predictions.all(model_version=PUBLISHER)) == []


def test_an_image_wins_over_a_list_of_images(tmp_path: Path) -> None:
    home, _, status = a_home(tmp_path, a_record("b.png", {"other": 1}, image="a.png"))
    assert status == 0
    assert canvas(home).size == (100, 80)


@pytest.mark.parametrize(
    ("images", "complaint"),
    [
        (["a.png", "missing.png"], "missing.png"),
        (["a.png", 7], '"images[1]" holds a number, not an object'),
        (["a.png", {"label": "B"}], '"images[1].image" is missing'),
        (["a.png", {"image": "b.png", "place": [1, 2, 3]}], '"images[1].place"'),
        (["a.png", {"image": "b.png", "place": [5, 2, 3, 9]}], "has no area"),
        (["a.png", "https://example.org/b.png"], "several are not downloaded"),
        ("a.png", '"images" holds a text'),
    ],
)
def test_a_bad_list_of_images_is_named_and_costs_no_other_figure(
    tmp_path: Path, images: Any, complaint: str
) -> None:
    bad = {"figure_id": "bad", "images": images, "caption": ""}
    home, text, status = a_home(tmp_path, a_record("a.png", "b.png"), bad)
    assert status == 1
    assert complaint in text
    assert "imported 1 figure" in text
    assert len(panels(home)) == 2
