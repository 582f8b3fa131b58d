from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from prelabel.training.data.changes import Change

PLAIN = Change(
    mirrored=False,
    flipped=False,
    transposed=False,
    stretch=1.0,
    margins=(0.0, 0.0, 0.0, 0.0),
    own_ground=False,
    grey=False,
    inverted=False,
    blur=0.0,
    contrast=(1.0, 0.0),
)
WIDTH, HEIGHT = 200, 120
PANEL = [20.0, 10.0, 90.0, 60.0]

GEOMETRIES: dict[str, dict[str, Any]] = {
    "mirrored": {"mirrored": True},
    "flipped": {"flipped": True},
    "transposed": {"transposed": True},
    "stretched": {"stretch": 1.25},
    "framed": {"margins": (0.05, 0.1, 0.0, 0.02)},
    "all": {
        "mirrored": True,
        "flipped": True,
        "transposed": True,
        "stretch": 0.8,
        "margins": (0.06, 0.0, 0.01, 0.06),
    },
}


def a_picture() -> Image.Image:
    """White, with one black panel."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    x0, y0, x1, y1 = map(int, PANEL)
    image.paste((0, 0, 0), (x0, y0, x1, y1))
    return image


@pytest.mark.parametrize("name", GEOMETRIES)
def test_boxes_follow_what_they_hold(name: str) -> None:
    change = replace(PLAIN, **GEOMETRIES[name])
    image = change.image(a_picture())
    assert image.size == change.size(WIDTH, HEIGHT)
    (box,) = change.boxes(np.array([PANEL], dtype=np.float32), WIDTH, HEIGHT)
    dark = np.argwhere(np.asarray(image.convert("L")) < 128)
    assert np.abs(box - [dark[0, 1], dark[:, 0].min(), dark[-1, 1] + 1, dark[:, 0].max() + 1]).max() <= 1


@pytest.mark.parametrize("name", GEOMETRIES)
def test_a_box_over_the_whole_image_stays_one(name: str) -> None:
    change = replace(PLAIN, **GEOMETRIES[name])
    boxes = change.boxes(np.array([[0, 0, WIDTH, HEIGHT], PANEL], dtype=np.float32), WIDTH, HEIGHT)
    assert boxes[0].tolist() == [0, 0, *change.size(WIDTH, HEIGHT)]
    assert boxes[1].tolist() != boxes[0].tolist()


def test_colours_change_and_boxes_do_not() -> None:
    change = replace(PLAIN, grey=True, inverted=True, blur=0.5, contrast=(0.5, 20.0))
    image = change.image(Image.new("RGB", (4, 4), (255, 255, 255)))
    assert image.getpixel((2, 2)) == (20, 20, 20)
    boxes = np.array([PANEL], dtype=np.float32)
    assert np.array_equal(change.boxes(boxes, WIDTH, HEIGHT), boxes)


def test_a_margin_has_the_colour_of_the_page_or_of_the_picture() -> None:
    black = Image.new("RGB", (100, 100), "black")
    white = replace(PLAIN, margins=(0.1, 0.0, 0.0, 0.0))
    assert white.image(black).getpixel((0, 0)) == (255, 255, 255)
    assert replace(white, own_ground=True).image(black).getpixel((0, 0)) == (0, 0, 0)


def test_a_change_hangs_on_its_numbers_only_and_most_are_small() -> None:
    drawn = [Change.draw(np.random.default_rng([1, number])) for number in range(300)]
    assert drawn == [Change.draw(np.random.default_rng([1, number])) for number in range(300)]
    assert 60 < sum(change.mirrored for change in drawn) < 120
    assert 200 < sum(change.stretch == 1.0 for change in drawn) < 280
    assert all(0.75 <= change.stretch <= 1.33 and max(change.margins) <= 0.06 for change in drawn)
