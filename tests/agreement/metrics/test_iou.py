from __future__ import annotations

import numpy as np
from agreement_reference import iou
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from agreement.primitives.iou import aligned_iou, as_boxes, box_area, box_iou

sides = st.tuples(*[st.integers(0, 12) | st.floats(0, 1000, allow_subnormal=False)] * 4).map(
    lambda v: (min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3]))
)
box_lists = st.lists(sides, max_size=6)


def test_touching_boxes_share_nothing() -> None:
    assert box_iou(as_boxes([[0, 0, 10, 10]]), as_boxes([[10, 0, 20, 10], [0, 10, 10, 20]])).tolist() == [[0, 0]]


def test_a_box_without_area_overlaps_nothing_not_even_itself() -> None:
    line = as_boxes([[34, 1.7, 35.7, 1.7]])
    assert box_area(line).tolist() == [0]
    assert box_iou(line, line).tolist() == [[0]]


def test_coordinates_are_continuous_and_half_the_height_is_exactly_half() -> None:
    assert box_iou(as_boxes([[0, 0, 100, 100]]), as_boxes([[0, 0, 100, 50], [0, 0, 100, 49.99]])).tolist() == [
        [0.5, 0.4999]
    ]


def test_single_precision_would_pass_a_pair_that_double_precision_fails() -> None:
    gold, other = as_boxes([[0, 0, 1, 1]]), as_boxes([[0, 0, 1, 0.5 - 1e-9]])
    assert box_iou(gold, other)[0, 0] < 0.5
    assert np.float32(0.5 - 1e-9) == 0.5


def test_no_boxes_make_an_empty_matrix() -> None:
    assert as_boxes([]).shape == (0, 4)
    assert box_iou(as_boxes([]), as_boxes([[0, 0, 1, 1]])).shape == (0, 1)
    assert box_iou(as_boxes([[0, 0, 1, 1]]), as_boxes([])).shape == (1, 0)
    assert aligned_iou(as_boxes([]), as_boxes([])).shape == (0,)


@given(box_lists, box_lists)
def test_the_matrix_equals_the_plain_loop_and_is_symmetric(a: list[list[float]], b: list[list[float]]) -> None:
    found = box_iou(as_boxes(a), as_boxes(b))
    assert_array_equal(found, np.array([[iou(x, y) for y in b] for x in a]).reshape(len(a), len(b)))
    assert_array_equal(found, box_iou(as_boxes(b), as_boxes(a)).T)


@given(st.lists(sides, min_size=1, max_size=6))
def test_a_box_with_area_overlaps_itself_wholly(boxes: list[list[float]]) -> None:
    array = as_boxes(boxes)
    assert_array_equal(aligned_iou(array, array), (box_area(array) > 0).astype(float))
