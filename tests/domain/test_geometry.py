from __future__ import annotations

import pytest

from annotator.domain.errors import InvalidAnnotation
from annotator.domain.geometry import Box


def test_a_box_knows_its_sides() -> None:
    box = Box(10, 20, 30, 60)
    assert (box.width, box.height, box.area, box.as_list()) == (20, 40, 800, [10, 20, 30, 60])


@pytest.mark.parametrize("corners", [(5, 0, 5, 9), (9, 0, 5, 9), (0, 9, 5, 9), (0, 9, 5, 3)])
def test_inverted_and_empty_boxes_are_refused(corners: tuple[float, ...]) -> None:
    with pytest.raises(InvalidAnnotation, match="inverted or empty"):
        Box(*corners)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_coordinates_must_be_finite(value: float) -> None:
    with pytest.raises(InvalidAnnotation, match="not a finite number"):
        Box(0, 0, value, 1)


def test_inside_allows_the_slack_that_it_is_given() -> None:
    box = Box(-0.4, 0, 100.4, 50)
    assert not box.inside(100, 50)
    assert box.inside(100, 50, slack=0.5)


@pytest.mark.parametrize("box", [Box(-1, 0, 5, 5), Box(0, -1, 5, 5), Box(0, 0, 11, 5), Box(0, 0, 5, 11)])
def test_inside_looks_at_every_side(box: Box) -> None:
    assert not box.inside(10, 10)


def test_clamping_keeps_what_is_in_the_image() -> None:
    assert Box(-5, -5, 50, 500).clamped(40, 60) == Box(0, 0, 40, 60)


def test_a_box_wholly_outside_cannot_be_clamped() -> None:
    with pytest.raises(InvalidAnnotation):
        Box(50, 0, 60, 10).clamped(40, 40)
