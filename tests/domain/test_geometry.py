from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.iou import as_boxes, box_iou
from panelwise.domain.box import Box, Corners, NoArea, iou
from panelwise.domain.errors import InvalidAnnotation

#: The product of its sides is 0 in float64.
UNDERFLOWS = (0, 0, 1e-170, 1e-170)


def test_a_box_knows_its_sides() -> None:
    box = Box(10, 20, 30, 60)
    assert (box.width, box.height, box.area, box.as_list()) == (20, 40, 800, [10, 20, 30, 60])


@pytest.mark.parametrize("corners", [(9, 0, 5, 9), (0, 9, 5, 3), (5, 9, 5, 3)])
def test_inverted_boxes_are_refused(corners: tuple[float, ...]) -> None:
    with pytest.raises(InvalidAnnotation, match="is inverted"):
        Box(*corners)


@pytest.mark.parametrize("corners", [(5, 0, 5, 9), (0, 9, 5, 9), UNDERFLOWS, (0, 0, 5e-324, 0.5)])
def test_a_box_has_an_area_above_zero(corners: tuple[float, ...]) -> None:
    with pytest.raises(NoArea, match="has no area"):
        Box(*corners)
    assert iou(corners, corners) == 0.0


def test_the_smallest_boxes_overlap_themselves_wholly() -> None:
    tiny = Box(0, 0, 1e-160, 1e-160)
    assert tiny.iou(tiny) == 1.0
    assert tiny.iou(Box(0, 0, 9, 9)) > 0.0


@given(*[st.tuples(*[st.integers(0, 6) | st.sampled_from([0.1, 1e-170, 2.7])] * 4)] * 2)
def test_iou_of_two_boxes_is_that_of_arrays_to_the_last_bit(one: Corners, other: Corners) -> None:
    one, other = ordered(one), ordered(other)
    assert iou(one, other) == float(box_iou(as_boxes(one), as_boxes(other))[0, 0])
    assert iou(one, other) == iou(other, one)


def ordered(corners: Corners) -> Corners:
    (x0, x1), (y0, y1) = sorted(corners[::2]), sorted(corners[1::2])
    return (x0, y0, x1, y1)


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
