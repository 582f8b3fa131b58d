import numpy as np
import pytest
from PIL import Image

from prelabel.panels.canvas import Canvas


def canvas_of(grey: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Canvas:
    return Canvas.of(Image.fromarray(grey).convert("RGB"))


@pytest.mark.parametrize("axis", [0, 1])
def test_print_across_a_line_is_uneven_and_the_line_s_own_colour_is_not(axis: int) -> None:
    grey = np.full((60, 80), 200, dtype=np.uint8)
    grey[30:, :] = 90
    grey[10, :20] = 0
    if axis == 1:
        grey = grey.T
    canvas = canvas_of(np.ascontiguousarray(grey))
    uneven = canvas.uneven(canvas.whole, axis)
    assert uneven[10] == pytest.approx(0.25)
    assert np.flatnonzero(uneven).tolist() == [10]


@pytest.mark.parametrize(("level", "share"), [(255, 0.75), (230, 0.75), (120, 0.0)])
def test_a_light_ground_is_white_or_one_light_grey(level: int, share: float) -> None:
    rng = np.random.default_rng(3)
    grey = rng.integers(0, 180, (240, 240), dtype=np.uint8)
    grey[:180] = level
    assert canvas_of(grey).light_ground((0, 0, 240, 240)) == pytest.approx(share, abs=0.02)


def test_light_greys_of_all_levels_are_no_ground() -> None:
    rng = np.random.default_rng(3)
    assert canvas_of(rng.integers(200, 240, (240, 240), dtype=np.uint8)).light_ground((0, 0, 240, 240)) < 0.2
