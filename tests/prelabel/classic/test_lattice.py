import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import gaussian_filter

from prelabel.panels.canvas import Canvas
from prelabel.panels.lattice import lattice
from prelabel.panels.splitter import split_image

SIDE = 150


def body(seed: int, height: int = SIDE, width: int = SIDE) -> np.ndarray:
    """A bright textured disc on black, as a slice of a scan, that reaches no edge."""
    rows, columns = np.mgrid[0:height, 0:width]
    inside = ((rows - height / 2) / (0.42 * height)) ** 2 + ((columns - width / 2) / (0.42 * width)) ** 2 < 1
    soft = gaussian_filter(np.random.default_rng(seed).normal(0, 1, (height, width)), 3)
    return np.where(inside, np.clip(130 + 40 * soft / soft.std(), 60, 230), 4.0)


def stitched(rows: list[list[int]], *, line: int, level: float) -> Image.Image:
    """Scans of the widths given, row by row, with lines of one grey level between them."""
    width = sum(rows[0]) + line * (len(rows[0]) - 1)
    strips, seed = [], 0
    for widths in rows:
        assert sum(widths) + line * (len(widths) - 1) == width
        parts = []
        for each in widths:
            parts += [body(seed, SIDE, each), np.full((SIDE, line), level)]
            seed += 1
        strips += [np.hstack(parts[:-1]), np.full((line, width), level)]
    return Image.fromarray(np.vstack(strips[:-1]).astype(np.uint8)).convert("RGB")


def boxes_of(image: Image.Image) -> list[list[int]]:
    return sorted([round(value) for value in box.as_list()] for box in split_image(image).boxes)


@pytest.mark.parametrize("level", [128, 200])
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 3)])
def test_black_pictures_parted_by_grey_lines_are_found(rows: int, columns: int, level: int) -> None:
    image = stitched([[SIDE] * columns] * rows, line=2, level=level)
    found = boxes_of(image)
    assert len(found) == rows * columns
    for place, (y, x) in enumerate(sorted((box[1], box[0]) for box in found)):
        assert abs(y - place // columns * (SIDE + 2)) <= 3
        assert abs(x - place % columns * (SIDE + 2)) <= 3


def test_rows_of_pictures_of_unlike_width_are_parted_each_in_its_own_way() -> None:
    found = boxes_of(stitched([[200, 120, 160], [130, 170, 180]], line=2, level=150))
    assert sorted(box[0] // 10 for box in found if box[1] < 50) == [0, 20, 32]
    assert sorted(box[0] // 10 for box in found if box[1] > 50) == [0, 13, 30]


def test_a_line_that_shows_between_some_pictures_parts_all_of_its_row() -> None:
    # The upper pictures fill their frames, so the line between them shows; the lower ones meet in black.
    rng = np.random.default_rng(8)
    full = [np.clip(level + 8 * rng.normal(0, 1, (SIDE, SIDE)), 0, 255) for level in (90, 170)]
    pixels = np.vstack([np.hstack(full), np.hstack([body(1), body(2)])])
    found = boxes_of(Image.fromarray(pixels.astype(np.uint8)).convert("RGB"))
    assert len(found) == 4
    assert all(abs(box[0] - SIDE) <= 2 or box[0] <= 2 for box in found)


def test_one_picture_beside_a_pile_of_others_stays_whole() -> None:
    rng = np.random.default_rng(9)
    tall = gaussian_filter(rng.normal(0, 1, (3 * SIDE, SIDE)), 4)
    pile = [level + 8 * rng.normal(0, 1, (SIDE, SIDE)) for level in (60, 180, 90)]
    pixels = np.clip(np.hstack([120 + 30 * tall / tall.std(), np.vstack(pile)]), 0, 255)
    found = boxes_of(Image.fromarray(pixels.astype(np.uint8)).convert("RGB"))
    places = sorted((round(x0 / SIDE), round((y1 - y0) / SIDE)) for x0, y0, _, y1 in found)
    assert places == [(0, 3), (1, 1), (1, 1), (1, 1)]


def test_one_scan_and_one_textured_picture_are_no_grid() -> None:
    assert lattice(Canvas.of(Image.fromarray(body(3, 300, 320).astype(np.uint8)).convert("RGB"))) is None
    soft = gaussian_filter(np.random.default_rng(4).normal(0, 1, (300, 400)), 8)
    pixels = np.clip(120 + 30 * soft / soft.std(), 0, 255).astype(np.uint8)
    assert lattice(Canvas.of(Image.fromarray(pixels).convert("RGB"))) is None


@pytest.mark.parametrize("seed", [3, 4])
def test_bright_cells_strewn_over_one_dark_picture_are_no_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:280, 0:280]
    pixels = np.full(rows.shape, 3.0)
    for _ in range(60):
        y, x, size = rng.uniform(0, 280), rng.uniform(0, 280), rng.uniform(8, 12)
        inside = (rows - y) ** 2 + (columns - x) ** 2 < size**2
        pixels = np.maximum(pixels, np.where(inside, 60 + 90 * rng.random(), 0))
    pixels += rng.normal(0, 1, rows.shape)
    assert lattice(Canvas.of(Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).convert("RGB"))) is None


def test_drawings_on_white_are_no_grid() -> None:
    image = Image.new("RGB", (500, 400), "white")
    for x in (20, 260):
        for y in (20, 210):
            image.paste("steelblue", (x, y, x + 100, y + 80))
    assert lattice(Canvas.of(image)) is None


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 300), st.integers(1, 300), st.booleans())
def test_cells_tile_an_area_inside_the_picture(seed: int, width: int, height: int, dark: bool) -> None:
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 90 if dark else 230, (3, 3)).astype(np.float64)
    pixels = np.kron(blocks, np.ones((-(-height // 3), -(-width // 3))))[:height, :width]
    canvas = Canvas.of(Image.fromarray(pixels.astype(np.uint8)).convert("RGB"))
    found = lattice(canvas)
    if found is None:
        return
    cells, weight = found
    assert len(cells) > 1
    assert weight >= 0
    assert all(0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height for x0, y0, x1, y1 in cells)
    hull = (min(cell[0] for cell in cells), min(cell[1] for cell in cells))
    hull += (max(cell[2] for cell in cells), max(cell[3] for cell in cells))
    assert sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in cells) == (hull[2] - hull[0]) * (hull[3] - hull[1])
