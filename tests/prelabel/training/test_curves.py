from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from prelabel.training.loop.epochs import draw_curves


def history(count: int, **scores: list[float | None]) -> list[dict[str, Any]]:
    return [
        {
            "epoch": number + 1,
            "loss": 1.0 / (number + 1),
            "scores": {name: values[number] for name, values in scores.items()},
        }
        for number in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 12])
def test_a_picture_is_drawn_of_however_many_epochs(count: int, tmp_path: Path) -> None:
    made = history(count, map=[0.1 * n for n in range(count)], map50=[None] * count)
    draw_curves(tmp_path / "c.png", made, better="map", best=count)
    with Image.open(tmp_path / "c.png") as picture:
        picture.load()
        assert picture.size == (990, 396)


def test_the_score_that_is_watched_is_drawn_in_the_first_colour_and_the_best_epoch_marked(tmp_path: Path) -> None:
    made = history(3, word_f1=[0.1, 0.5, 0.3], a_score=[0.9, 0.9, 0.9])
    draw_curves(tmp_path / "one.png", made, better="word_f1", best=2)
    draw_curves(tmp_path / "other.png", made, better="word_f1", best=3)
    one, other = (np.asarray(Image.open(tmp_path / name)).astype(int) for name in ("one.png", "other.png"))
    # The left half, the loss, is the same; the line that marks the best is elsewhere.
    assert (one[:, :480] == other[:, :480]).all()
    assert (one[:, 500:] != other[:, 500:]).any()
    blue = (np.abs(one[:, 500:, :3] - (0x00, 0x72, 0xB2)).sum(axis=2) < 30).sum()
    orange = (np.abs(one[:, 500:, :3] - (0xD5, 0x5E, 0x00)).sum(axis=2) < 30).sum()
    # The watched one is thick.
    assert blue > orange > 0


def test_a_figure_before_the_first_best_has_no_mark(tmp_path: Path) -> None:
    draw_curves(tmp_path / "c.png", history(2, map=[0.0, 0.0]), better="map", best=0)
    assert (tmp_path / "c.png").stat().st_size > 1000
