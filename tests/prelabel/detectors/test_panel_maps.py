"""Maps read as boxes: drawn ones, and those that the shipped network once made of a figure of two panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from panelwise.domain.errors import FormatError
from prelabel.detectors.panel_maps import (
    CANDIDATES,
    CELL,
    PANEL_NET,
    Floats,
    boxes_in,
    cell_places,
    middles,
    sizing_of,
)

SIDE = 96
#: Made by the network on one machine, so that no other's arithmetic is in the way: maps, boxes and scores.
RECORDED = Path(__file__).with_name("recorded_maps.npz")


def drawn(boxes: list[list[float]], sure: float = 6.0) -> Floats:
    """Maps that are sure of these boxes, in pixels: of each the cell of its middle answers."""
    cells = SIDE // CELL
    maps = np.full((8, cells, cells), -8.0, dtype=np.float32)
    for x0, y0, x1, y1 in boxes:
        column, row = int((x0 + x1) / 2 / CELL), int((y0 + y1) / 2 / CELL)
        x, y = (column + 0.5) * CELL, (row + 0.5) * CELL
        maps[0, row, column] = sure
        maps[1:5, row, column] = np.log(np.array([x - x0, y - y0, x1 - x, y1 - y]) / SIDE)
    return maps


def test_boxes_come_back_from_their_maps() -> None:
    boxes = [[0.0, 0.0, 46.0, 96.0], [50.0, 10.0, 96.0, 90.0]]
    found, scores = boxes_in(drawn(boxes), (SIDE, SIDE), 0.05)
    assert np.allclose(sorted(found.tolist()), boxes, atol=1e-3)
    assert scores.min() > 0.99


def test_only_the_surest_of_boxes_on_one_panel_stays() -> None:
    maps = drawn([[8.0, 8.0, 88.0, 88.0]])
    maps[0, 2, 2], maps[1:5, 2, 2] = 4.0, np.log(np.array([32.0, 32.0, 48.0, 48.0]) / SIDE)
    found, scores = boxes_in(maps, (SIDE, SIDE), 0.05)
    assert len(found) == 1
    assert scores[0] == pytest.approx(1 / (1 + np.exp(-6.0)))


def test_boxes_below_the_least_score_are_left_out_and_none_is_an_empty_list() -> None:
    maps = drawn([[0.0, 0.0, 46.0, 96.0]], sure=0.0)
    assert len(boxes_in(maps, (SIDE, SIDE), 0.4)[0]) == 1
    found, scores = boxes_in(maps, (SIDE, SIDE), 0.6)
    assert found.shape == (0, 4)
    assert scores.shape == (0,)


def test_boxes_end_at_the_image() -> None:
    maps = drawn([[8.0, 8.0, 88.0, 88.0]])
    maps[1:5] = 99.0
    found, _ = boxes_in(maps, (32, 64), 0.05)
    assert found.tolist() == [[0.0, 0.0, 64.0, 32.0]]


def test_no_more_cells_are_looked_at_than_the_limit() -> None:
    maps = np.full((8, 24, 24), 0.0, dtype=np.float32)
    maps[1:5] = -6.0
    assert len(boxes_in(maps, (384, 384), 0.05)[0]) <= CANDIDATES


def test_the_networks_recorded_maps_give_the_recorded_boxes() -> None:
    recorded = np.load(RECORDED)
    boxes, scores = boxes_in(recorded["maps"], tuple(recorded["shape"].tolist()), 0.1)
    assert np.allclose(boxes, recorded["boxes"], atol=1e-3)
    assert np.allclose(scores, recorded["scores"], atol=1e-5)
    assert len(boxes) >= 2


def test_places_are_shares_of_the_image() -> None:
    places = cell_places(2, 4)
    assert places.shape == (4, 2, 4)
    assert places[:2].tolist() == middles(2, 4).tolist()
    assert (places[0, 0].tolist(), places[1, :, 0].tolist()) == ([0.125, 0.375, 0.625, 0.875], [0.25, 0.75])
    assert (places[2, 0, 0], places[3, 0, 0]) == (1.0, 0.5)


def test_an_architecture_without_a_size_is_refused() -> None:
    for longer in (None, "384", 10):
        with pytest.raises(FormatError, match="incomplete"):
            sizing_of({"name": PANEL_NET, "longer": longer})
