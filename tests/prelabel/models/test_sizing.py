from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from detector_cases import CPU, an_image
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from panelwise.domain.errors import FormatError
from prelabel.models.sizing import MEAN, Prepared, Sizing, batch_tensor, prepare, to_image

SIZING = Sizing(96, 160, 32)
SIDES = st.integers(1, 5000)


@given(SIDES, SIDES)
def test_no_side_passes_its_limit_and_the_canvas_holds_the_image(width: int, height: int) -> None:
    across, down = SIZING.scaled(width, height)
    assert 1 <= min(across, down) <= 96
    assert max(across, down) <= 160
    wide, high = SIZING.canvas(across, down)
    assert 0 <= wide - across < 32
    assert 0 <= high - down < 32
    assert wide % 32 == high % 32 == 0


@given(SIDES, SIDES)
def test_proportions_are_kept_but_for_rounding(width: int, height: int) -> None:
    across, down = SIZING.scaled(width, height)
    scale = min(96 / min(width, height), 160 / max(width, height))
    assert abs(across - width * scale) <= 1
    assert abs(down - height * scale) <= 1


def test_an_exact_size_squeezes_every_image() -> None:
    sizing = Sizing(96, 128, 32, (128, 96))
    assert sizing.scaled(10, 4000) == sizing.canvas(128, 96) == (128, 96)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB"])
def test_images_of_every_mode_become_the_same_colours(mode: str) -> None:
    image = Image.new("L", (40, 30), 255).convert(mode)
    made = prepare(image, SIZING)
    assert made.pixels.shape == (96, 128, 3)
    assert made.pixels.min() == 255
    assert (made.size, made.scaled, made.canvas) == ((40, 30), (128, 96), (128, 96))


def test_a_batch_is_normalised_and_zero_beyond_its_images() -> None:
    items = [prepare(an_image(0, (300, 200)), SIZING), prepare(an_image(1, (300, 190)), SIZING)]
    batch = batch_tensor(items, CPU)
    assert batch.shape == (2, 3, 96, 160)
    assert batch.is_contiguous(memory_format=torch.channels_last)
    for row, item in zip(batch, items, strict=True):
        across, down = item.scaled
        expected = (item.pixels[0, 0, 0] / 255 - MEAN[0]) / 0.229
        assert row[0, 0, 0].item() == pytest.approx(expected, abs=1e-5)
        assert not row[:, down:].any()
        assert not row[:, :, across:].any()


def test_boxes_go_back_to_the_image_and_end_at_its_edges() -> None:
    item = Prepared(np.zeros((96, 144, 3), dtype=np.uint8), (288, 192), (160, 96))
    boxes = torch.tensor([[10.0, 20.0, 30.0, 40.0], [-5.0, -5.0, 159.0, 99.0]])
    assert to_image(boxes, item).tolist() == [[20, 40, 60, 80], [0, 0, 288, 192]]
    assert to_image(torch.zeros(0, 4), item).shape == (0, 4)


@pytest.mark.parametrize(
    "sizes", [(320, 640, 1_000_000), (10**6, 10**6), (0, 640), (320, 640, 32, (10**6, 10**6)), (320, 640, 0)]
)
def test_sizes_beyond_any_network_are_refused_in_one_line(sizes: Any) -> None:
    with pytest.raises(FormatError, match=r"beyond 1 to 8,192; correct them"):
        Sizing(*sizes)
