import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter

from prelabel.panels.canvas import Canvas
from prelabel.panels.cuts import empty_runs, seams
from prelabel.panels.splitter import split_image
from prelabel.panels.strips import figure_area


def tissue(seed: int, height: int, width: int, level: float) -> np.ndarray:
    """A soft grey texture around a level."""
    soft = gaussian_filter(np.random.default_rng(seed).normal(0, 1, (height, width)), 8)
    return np.clip(level + 25 * soft / soft.std(), 0, 240)


def mosaic(rows: int, columns: int, *, line: int = 0) -> Image.Image:
    """Pictures of like size, stitched; line: pixels of white between them."""
    side = 150
    parts = []
    for row in range(rows):
        across = []
        for column in range(columns):
            cell = np.full((side, side), 255.0)
            inner = side - line
            cell[:inner, :inner] = tissue(10 * row + column, inner, inner, 70 + 50 * ((row + column) % 3))
            across.append(cell)
        parts.append(np.hstack(across))
    whole = np.vstack(parts)
    whole = whole[: whole.shape[0] - line or None, : whole.shape[1] - line or None]
    return Image.fromarray(whole.astype(np.uint8)).convert("RGB")


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (1, 3), (2, 2), (2, 3)])
@pytest.mark.parametrize("line", [0, 2])
def test_stitched_pictures_are_parted_without_count_or_letters(rows: int, columns: int, line: int) -> None:
    assert len(split_image(mosaic(rows, columns, line=line)).boxes) == rows * columns


def test_one_picture_is_not_parted() -> None:
    image = Image.fromarray(tissue(5, 300, 320, 120).astype(np.uint8)).convert("RGB")
    assert len(split_image(image).boxes) == 1


def test_edges_of_bars_on_a_field_of_one_colour_are_no_seams() -> None:
    image = Image.new("RGB", (600, 400), (230, 230, 245))
    for place, height in enumerate((390, 360, 60, 30, 20)):
        left = 100 + 90 * place
        image.paste((90, 160, 90), (left, 400 - height, left + 70, 400))
    canvas = Canvas.of(image)
    assert seams(canvas, canvas.whole, 1, 40) == []
    halves = Image.new("RGB", (600, 400))
    for place, level in enumerate((90, 170)):
        halves.paste(
            Image.fromarray(tissue(place, 400, 300, level).astype(np.uint8)).convert("RGB"), (300 * place, 0)
        )
    textured = Canvas.of(halves)
    assert abs(seams(textured, textured.whole, 1, 40)[0][0] - 300) < 3


def test_cells_of_a_heat_map_are_no_panels() -> None:
    values = np.random.default_rng(3).integers(20, 235, (9, 9)).astype(np.uint8)
    image = Image.fromarray(np.kron(values, np.ones((36, 36), dtype=np.uint8))).convert("RGB")
    assert len(split_image(image).boxes) == 1


def test_lines_of_a_caption_below_belong_to_no_panel() -> None:
    image = Image.new("RGB", (800, 460), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, 380, 360), fill="gray")
    draw.rectangle((420, 20, 780, 360), fill="gray")
    text = "Figure 1. Survival of patients with and without treatment in the two cohorts, over five years."
    draw.text((20, 390), text, font=ImageFont.load_default(17), fill="black")
    draw.text((20, 420), "Shaded areas are intervals.", font=ImageFont.load_default(17), fill="black")
    assert figure_area(Canvas.of(image))[3] <= 365
    assert {round(box.y1) for box in split_image(image, 2).boxes} == {361}


def test_labels_below_panels_belong_to_them() -> None:
    image = Image.new("RGB", (800, 420), "white")
    draw = ImageDraw.Draw(image)
    for x in (20, 420):
        draw.rectangle((x, 20, x + 360, 360), fill="gray")
        draw.text((x + 170, 372), "(a)", font=ImageFont.load_default(17), fill="black")
    assert figure_area(Canvas.of(image))[3] > 380


@given(st.lists(st.integers(0, 3), max_size=40))
def test_empty_runs_are_those_between_ink(counts: list[int]) -> None:
    runs = empty_runs(np.array(counts, dtype=np.int32), 10)
    for start, stop in runs:
        assert 0 < start < stop < len(counts)
        assert not any(counts[start:stop])
        assert counts[start - 1]
        assert counts[stop]
    inner = "".join("x" if count else "." for count in counts).strip(".")
    assert len(runs) == len([run for run in inner.split("x") if run])


AWKWARD = [(1, 1), (1, 500), (500, 1), (2, 2), (3000, 4), (4, 3000), (7, 5)]


@pytest.mark.parametrize("size", AWKWARD)
@pytest.mark.parametrize("fill", ["black", "white", "noise", "bars"])
@pytest.mark.parametrize("expected", [None, 1, 4])
def test_images_of_awkward_sizes_are_split_all_the_same(
    size: tuple[int, int], fill: str, expected: int | None
) -> None:
    if fill == "noise":
        pixels = np.random.default_rng(4).integers(0, 255, (size[1], size[0]), dtype=np.uint8)
        image = Image.fromarray(pixels).convert("RGB")
    else:
        image = Image.new("RGB", size, "white" if fill == "bars" else fill)
        if fill == "bars":
            image.paste("black", (size[0] // 3, 0, max(size[0] // 2, size[0] // 3 + 1), size[1]))
    split = split_image(image, expected, tuple("abcd") if expected == 4 else ())
    assert len(split.boxes) == len(split.scores) == len(split.labels) == len(split.evidence) >= 1
    assert all(box.inside(*image.size) for box in split.boxes)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0, 1))
def test_letters_given_or_not_boxes_are_inside_and_the_same_again(seed: int, count: int, certainty: float) -> None:
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (int(rng.integers(30, 260)), int(rng.integers(30, 260))), "white")
    draw = ImageDraw.Draw(image)
    labels = tuple("abcdef"[:count])
    for letter in labels:
        x, y = int(rng.integers(0, image.width)), int(rng.integers(0, image.height))
        draw.rectangle((x, y, x + 40, y + 40), fill=tuple(int(value) for value in rng.integers(0, 255, 3)))
        draw.text((x, max(0, y - 14)), letter, fill="black", font=ImageFont.load_default(12))
    split = split_image(image, count, labels, certainty=certainty)
    assert split == split_image(image, count, labels, certainty=certainty)
    assert all(box.inside(*image.size) for box in split.boxes)
    assert all(0 <= score <= 1 for score in split.scores)
    assert {label for label in split.labels if label is not None} <= set(labels)
