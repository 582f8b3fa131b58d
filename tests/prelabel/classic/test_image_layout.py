"""Layouts from the image alone, on drawn pictures."""

import numpy as np
import pytest
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from prelabel.classic.prelabeller import CLASSIC
from prelabel.panels.canvas import Canvas
from prelabel.panels.image_layout import COEFFICIENTS, FEATURES, image_layout

CELL, GUTTER = 150, 10


def texture(width: int, height: int, seed: int) -> Image.Image:
    """A grey picture of soft blobs, dark enough to be ink throughout."""
    soft = gaussian_filter(np.random.default_rng(seed).normal(0, 1, (height, width)), 5)
    return Image.fromarray(np.clip(110 + 35 * soft / soft.std(), 0, 220).astype(np.uint8)).convert("RGB")


def chart(width: int, height: int, seed: int) -> Image.Image:
    """A bar chart with its axes: white space between bars is no gutter."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.line((10, 5, 10, height - 10, width - 5, height - 10), fill="black", width=2)
    for place, share in enumerate(np.random.default_rng(seed).uniform(0.4, 0.9, 4)):
        left = 20 + place * (width - 30) // 4
        draw.rectangle(
            (left, height - 10 - share * (height - 20), left + width // 8, height - 10), fill="steelblue"
        )
    return image


def plate(rows: int, columns: int, kind: str, *, below: int = 0) -> Image.Image:
    """Equal tiles without letters, and room below."""
    size = (columns * (CELL + GUTTER) + GUTTER, rows * (CELL + GUTTER) + GUTTER + below)
    image = Image.new("RGB", size, "white")
    for place in range(rows * columns):
        row, column = divmod(place, columns)
        tile = {"photographs": texture, "charts": chart}[kind](CELL, CELL, place)
        image.paste(tile, (GUTTER + column * (CELL + GUTTER), GUTTER + row * (CELL + GUTTER)))
    return image


def parts(image: Image.Image) -> list[tuple[int, int, int, int]]:
    """The rectangles found, in reading order of their corners."""
    return sorted((part.rect for part in image_layout(Canvas.of(image))), key=lambda rect: (rect[1], rect[0]))


def boxes(image: Image.Image, caption: str) -> int:
    """How many boxes the pre-labeller draws."""
    figure = Figure("f1", "f1.png", image.width, image.height, Caption.cut(caption))
    return len(CLASSIC.predict(figure, image).subfigures)


@pytest.mark.parametrize("kind", ["photographs", "charts"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 2), (3, 3), (1, 4), (4, 2)])
def test_equal_tiles_without_letters_are_cut(rows: int, columns: int, kind: str) -> None:
    assert len(parts(plate(rows, columns, kind))) == rows * columns


@pytest.mark.parametrize(
    "picture", [chart(400, 300, 1), texture(400, 300, 2), Image.new("RGB", (300, 200), "gray")]
)
def test_one_chart_or_photograph_stays_whole(picture: Image.Image) -> None:
    assert len(parts(picture)) == 1


def test_a_photograph_with_an_edge_across_part_of_it_stays_whole() -> None:
    image = texture(400, 300, 3)
    image.paste(texture(180, 140, 4).point(lambda level: level // 2), (60, 60))
    assert len(parts(image)) == 1


def test_a_legend_below_a_grid_does_not_join_its_columns() -> None:
    image = plate(1, 3, "charts", below=30)
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, image.height - 22, image.width - 40, image.height - 12), fill="firebrick")
    found = parts(image)
    assert len(found) == 3
    assert max(rect[3] for rect in found) < image.height - 22


@pytest.mark.parametrize(("scans", "margin"), [(1, 12), (2, 12), (3, 12), (3, 0)])
def test_scans_that_meet_in_black_are_cut_and_one_scan_is_not(scans: int, margin: int) -> None:
    image = Image.new("RGB", (scans * 200 + 2 * margin, 200 + 2 * margin), "white")
    image.paste("black", (margin, margin, image.width - margin, image.height - margin))
    for place in range(scans):
        body = texture(140, 140, place)
        image.paste(body, (margin + place * 200 + 30, margin + 30))
    assert len(parts(image)) == scans


@pytest.mark.parametrize("level", [0, 90, 200, 255])
@pytest.mark.parametrize("gutter", [4, 14])
def test_rows_of_unlike_number_are_cut_along_gutters_of_any_grey_though_no_margin_shows_it(
    level: int, gutter: int
) -> None:
    image = Image.new("RGB", (600 + 2 * gutter, 400 + gutter), (level,) * 3)
    for place in range(3):
        image.paste(texture(200, 150, place), (place * (200 + gutter), 0))
    half = 300 + gutter // 2
    for place in range(2):
        image.paste(texture(half, 250, 5 + place), (place * (half + gutter), 150 + gutter))
    assert len(parts(image)) == 5
    assert boxes(image, "Images of the patient.") == 5


def test_a_part_that_could_be_cut_says_how_likely_that_is() -> None:
    [whole] = image_layout(Canvas.of(texture(300, 300, 1)))
    [uncut] = image_layout(Canvas.of(plate(1, 3, "photographs")), 1)
    assert whole.further < 0 < uncut.further


def test_a_frame_around_the_figure_joins_nothing() -> None:
    image = plate(2, 2, "photographs")
    ImageDraw.Draw(image).rectangle((0, 0, image.width - 1, image.height - 1), outline="black", width=2)
    assert len(parts(image)) == 4


@pytest.mark.parametrize(
    "caption", ["", "Scans of the patient.", "Scans before (left) and after (right) treatment.", "(A) Scans."]
)
def test_tiles_outweigh_a_caption_that_names_fewer(caption: str) -> None:
    assert boxes(plate(2, 2, "photographs"), caption) == 4


def test_a_caption_that_names_more_than_the_image_shows_is_followed() -> None:
    assert boxes(plate(1, 2, "charts"), "(a) One. (b) Two. (c) Three. (d) Four.") == 4


def test_every_feature_has_its_coefficient() -> None:
    assert len(COEFFICIENTS) == len(FEATURES) == len(set(FEATURES))


def test_the_same_picture_gives_the_same_layout() -> None:
    image = plate(2, 3, "charts")
    assert image_layout(Canvas.of(image)) == image_layout(Canvas.of(image))
