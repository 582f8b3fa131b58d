import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.ndimage import find_objects, label

from prelabel.panels.letters.find import blob_rects
from prelabel.panels.letters.glyphs import SIDE, likenesses, shape_of, shapes_of, templates


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 40), st.floats(0, 1))
def test_rectangles_of_shapes_are_those_of_labelling_every_pixel(
    seed: int, width: int, height: int, share: float
) -> None:
    mask = np.random.default_rng(seed).random((height, width)) < share
    wanted = [(x.start, y.start, x.stop, y.stop) for y, x in find_objects(label(mask)[0])]
    assert sorted(map(tuple, blob_rects(mask).tolist())) == sorted(wanted)


@pytest.mark.parametrize("size", [(33, 21), (9, 7), (16, 16), (60, 40)])
def test_a_shape_is_the_picture_resized_and_normed(size: tuple[int, int]) -> None:
    mask = np.random.default_rng(1).random(size).astype(np.float32) * 255
    small = np.asarray(Image.fromarray(mask).resize((SIDE, SIDE), Image.Resampling.BILINEAR)).ravel()
    small = small - small.mean()
    assert np.abs(shape_of(mask) - small / np.linalg.norm(small)).max() < 1e-5


def test_dark_print_on_white_and_light_print_on_black_have_one_shape() -> None:
    grey = np.random.default_rng(2).integers(0, 255, (30, 20)).astype(np.int16)
    rect = np.array([[2, 3, 18, 28]])
    dark, light = shapes_of(grey, rect, light=False), shapes_of(255 - grey, rect, light=True)
    assert np.abs(dark - light).max() < 1e-5


def test_every_template_is_most_like_itself() -> None:
    known = templates(("a", "b", "c"))
    assert known is not None
    like = likenesses(known.shapes, known)
    assert like.shape == (len(known.shapes), len(known.shapes))
    assert np.allclose(np.diag(like), 1.0, atol=1e-5)
    assert np.all(like <= 1.0 + 1e-5)
