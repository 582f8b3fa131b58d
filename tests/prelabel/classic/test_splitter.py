import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from prelabel.captions.parser import parse_caption
from prelabel.panels.splitter import split_image


def grid(
    rows: int, columns: int, *, gutter: int = 12, ground: str = "white", ink: str = "steelblue", cell: int = 120
) -> tuple[Image.Image, list[tuple[int, int, int, int]]]:
    """Filled cells on a ground, and their boxes in reading order."""
    image = Image.new("RGB", (columns * (cell + gutter) + gutter, rows * (cell + gutter) + gutter), ground)
    boxes = []
    for row in range(rows):
        for column in range(columns):
            x, y = gutter + column * (cell + gutter), gutter + row * (cell + gutter)
            image.paste(ink, (x, y, x + cell, y + cell))
            boxes.append((x, y, x + cell, y + cell))
    return image, boxes


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["white", "black", "#cfd8dc"])
@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 2), (2, 3), (3, 1)])
@pytest.mark.parametrize("told", [True, False])
def test_cells_on_any_ground_are_found(rows: int, columns: int, ground: str, told: bool) -> None:
    image, boxes = grid(rows, columns, ground=ground)
    split = split_image(image, rows * columns if told else None)
    assert sorted(tuple(round(value) for value in box.as_list()) for box in split.boxes) == sorted(boxes)


def test_one_expected_panel_is_all_that_is_drawn_whatever_its_white_space() -> None:
    image, boxes = grid(2, 2)
    (box,) = split_image(image, 1).boxes
    assert box.as_list() == [*boxes[0][:2], *boxes[-1][2:]]


def test_a_caption_that_is_not_sure_of_its_count_gives_way_to_the_gutters() -> None:
    image, boxes = grid(2, 2)
    assert len(split_image(image, 3, certainty=0.1).boxes) == len(boxes)
    assert len(split_image(image, 3, certainty=1.0).boxes) == 3


@pytest.mark.parametrize(("beside", "told", "panels"), [(40, None, 1), (160, 2, 2), (300, None, 2)])
def test_without_a_count_something_small_beside_a_picture_is_no_panel(
    beside: int, told: int | None, panels: int
) -> None:
    image = Image.new("RGB", (620 + beside, 520), "white")
    image.paste("steelblue", (10, 10, 580, 510))
    image.paste("steelblue", (610, 10, 610 + beside, 510))
    assert len(split_image(image, told).boxes) == panels


@pytest.mark.parametrize(("arrow", "panels"), [(True, 1), (False, 2)])
def test_without_a_count_drawings_one_below_the_other_are_panels_if_nothing_joins_them(
    arrow: bool, panels: int
) -> None:
    image = Image.new("RGB", (400, 440), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, 380, 200), outline="black", width=3)
    draw.rectangle((20, 240, 380, 420), outline="black", width=3)
    if arrow:
        draw.line((200, 200, 200, 240), fill="black", width=3)
    assert len(split_image(image).boxes) == panels


def test_without_a_count_an_edge_within_one_of_several_like_pictures_parts_nothing() -> None:
    rng = np.random.default_rng(5)
    image, boxes = grid(2, 2, cell=200)
    for x0, y0, x1, y1 in boxes:
        image.paste(Image.fromarray(rng.integers(90, 130, (y1 - y0, x1 - x0), dtype=np.uint8)), (x0, y0))
    # The fourth is light above a line and dark below, as an implant is on bone.
    x0, y0, x1, y1 = boxes[-1]
    image.paste(Image.fromarray(rng.integers(190, 230, (100, x1 - x0), dtype=np.uint8)), (x0, y0))
    assert len(split_image(image).boxes) == 4


def test_without_a_count_the_bars_of_a_plot_on_a_tinted_ground_are_no_pictures() -> None:
    image = Image.new("RGB", (600, 400), "#e5ecf6")
    draw = ImageDraw.Draw(image)
    for place in range(12):
        x, height = 20 + 48 * place, (40, 380)[place == 6]
        draw.rectangle((x, 390 - height, x + 40, 390), fill="seagreen")
    assert len(split_image(image).boxes) == 1


def test_an_even_image_is_one_box_and_so_is_a_single_pixel() -> None:
    for size in ((200, 100), (1, 1), (1, 300)):
        (box,) = split_image(Image.new("L", size, 255)).boxes
        assert box.as_list() == [0, 0, *size]


def test_inner_white_space_is_not_cut_while_gutters_are_left() -> None:
    # Two panels, each of two bars with a narrow gap; the gutter between the panels is wider.
    image = Image.new("RGB", (440, 200), "white")
    for x in (10, 110, 240, 340):
        image.paste("black", (x, 10, x + 90, 190))
    split = split_image(image, 2)
    assert sorted(box.x0 for box in split.boxes) == [10, 240]


def test_pictures_stitched_along_a_seam_are_parted() -> None:
    rng = np.random.default_rng(0)
    left = rng.normal(60, 6, (200, 200))
    right = rng.normal(150, 6, (200, 240))
    image = Image.fromarray(np.clip(np.hstack([left, right]), 0, 255).astype(np.uint8))
    split = split_image(image, 2)
    assert abs(max(box.x0 for box in split.boxes) - 200) <= 2


def test_where_nothing_parts_the_panels_there_are_as_many_boxes_all_the_same_and_unsure() -> None:
    rng = np.random.default_rng(1)
    image = Image.fromarray(rng.integers(0, 255, (200, 300), dtype=np.uint8))
    split = split_image(image, 3)
    assert len(split.boxes) == 3
    assert max(split.scores) < 0.5


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "I", "F", "I;16"])
def test_images_of_any_mode_are_split(mode: str) -> None:
    image, boxes = grid(1, 2, ink="black")
    converted = image.convert("L").convert(mode) if mode in ("I", "F", "I;16", "LA", "1") else image.convert(mode)
    assert len(split_image(converted, 2).boxes) == len(boxes)


def test_what_is_transparent_is_ground() -> None:
    image = Image.new("RGBA", (260, 120), (0, 0, 0, 0))
    for x in (5, 135):
        image.paste((10, 20, 30, 255), (x, 5, x + 110, 115))
    assert len(split_image(image, 2).boxes) == 2


images = st.builds(
    lambda seed, width, height, share: Image.fromarray(
        (255 - 255 * (np.random.default_rng(seed).random((height, width)) < share)).astype(np.uint8)
    ),
    st.integers(0, 1000),
    st.integers(1, 90),
    st.integers(1, 90),
    st.sampled_from([0.0, 0.005, 0.05, 0.5, 1.0]),
)


@given(images, st.none() | st.integers(1, 30))
def test_boxes_stay_inside_the_image_scores_in_range_and_again_the_same(
    image: Image.Image, expected: int | None
) -> None:
    split = split_image(image, expected)
    assert split == split_image(image, expected)
    assert len(split.boxes) == len(split.scores) >= 1
    assert all(box.inside(*image.size) for box in split.boxes)
    assert all(0 <= score <= 1 for score in split.scores)
    if expected is not None:
        assert len(split.boxes) <= expected


@pytest.mark.slow
def test_boxes_of_real_figures_are_found(shared_data: Path) -> None:
    names = {}
    for line in (shared_data / "figures.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        names[record["figure_id"]] = record["image"]
    found = proposed = gold = 0
    for line in (shared_data / "gold_annotations.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        with Image.open(shared_data / names[record["figure_id"]]) as image:
            labels = parse_caption(record["caption"] or "").labels
            boxes = [box.as_list() for box in split_image(image, len(record["subfigures"]), labels).boxes]
        gold += len(record["subfigures"])
        proposed += len(boxes)
        for subfigure in record["subfigures"]:
            x0, y0, x1, y1 = subfigure["box"]
            for box in boxes:
                width, height = min(x1, box[2]) - max(x0, box[0]), min(y1, box[3]) - max(y0, box[1])
                shared = max(0.0, width) * max(0.0, height)
                union = (x1 - x0) * (y1 - y0) + (box[2] - box[0]) * (box[3] - box[1]) - shared
                if shared / union >= 0.5:
                    found += 1
                    boxes.remove(box)
                    break
    assert 2 * found / (proposed + gold) > 0.9
