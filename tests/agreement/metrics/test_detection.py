from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.iou import as_boxes, box_iou
from agreement.score.detection import IOU_THRESHOLDS, Detection, detect, together

Box = tuple[float, float, float, float]

boxes = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 6), st.integers(1, 6)).map(
        lambda each: (float(each[0]), float(each[1]), float(each[0] + each[2]), float(each[1] + each[3]))
    ),
    max_size=4,
)
figures = st.lists(st.tuples(boxes, boxes), max_size=4)


def detected(sides: list[tuple[list[Box], list[Box]]]) -> Detection:
    gold, other = ([each[side] for each in sides] for side in (0, 1))
    return detect(
        as_boxes([box for each in gold for box in each]),
        np.array([len(each) for each in gold], dtype=np.int64),
        as_boxes([box for each in other for box in each]),
        np.array([len(each) for each in other], dtype=np.int64),
    )


def greatest_sum(gold: list[Box], other: list[Box]) -> float:
    """By trying every matching."""
    table = box_iou(as_boxes(gold), as_boxes(other))
    if table.shape[0] > table.shape[1]:
        table = table.T
    rows, columns = table.shape
    return max(
        sum(table[row, column] for row, column in enumerate(each)) for each in permutations(range(columns), rows)
    )


@given(figures)
def test_the_matching_has_the_greatest_sum_there_is(sides: list[tuple[list[Box], list[Box]]]) -> None:
    found = detected(sides)
    assert float(found.ious.sum()) == pytest.approx(sum(greatest_sum(*each) for each in sides))
    assert len(found.ious) <= sum(min(len(gold), len(other)) for gold, other in sides)
    assert (found.ious > 0).all()


@given(figures)
def test_f1_is_the_same_both_ways_round_and_falls_with_the_threshold(
    sides: list[tuple[list[Box], list[Box]]],
) -> None:
    found, turned = detected(sides), detected([(other, gold) for gold, other in sides])
    for threshold in IOU_THRESHOLDS:
        assert found.gold == turned.other
        assert found.recall(threshold) == found.matched(threshold) / found.gold if found.gold else True
    # Several matchings may share the greatest sum; then counts may differ, the sum does not.
    assert float(found.ious.sum()) == pytest.approx(float(turned.ious.sum()))
    counts = [found.matched(threshold) for threshold in IOU_THRESHOLDS]
    assert counts == sorted(counts, reverse=True)


def test_one_box_answers_to_one_only() -> None:
    left, whole = (0.0, 0.0, 100.0, 100.0), (0.0, 0.0, 110.0, 100.0)
    found = detected([([left, whole], [left])])
    assert found.ious.tolist() == [1.0]
    assert (found.precision(0.5), found.recall(0.5), found.f1(0.5)) == (1.0, 0.5, pytest.approx(2 / 3))


def test_a_match_counts_from_the_threshold_on() -> None:
    found = detected([([(0.0, 0.0, 100.0, 100.0)], [(0.0, 0.0, 100.0, 50.0)])])
    assert found.matched(0.5) == 1
    assert found.matched(0.55) == 0
    assert found.mean_iou(0.5) == 0.5
    assert found.mean_iou(0.55) is None


def test_what_nobody_drew_is_undefined() -> None:
    none, ours = detected([]), detected([([(0.0, 0.0, 1.0, 1.0)], [])])
    assert (none.precision(0.5), none.recall(0.5), none.f1(0.5), none.mean_iou(0.5)) == (None, None, None, None)
    assert (ours.precision(0.5), ours.recall(0.5), ours.f1(0.5)) == (None, 0.0, 0.0)


def test_several_pairs_are_added_up() -> None:
    whole = together([Detection(2, 1, np.array([0.9])), Detection(1, 1, np.array([0.6]))])
    assert (whole.gold, whole.other, whole.matched(0.5), whole.mean_iou(0.5)) == (3, 2, 2, pytest.approx(0.75))
    assert together([]).f1(0.5) is None


def test_many_boxes_that_hang_together_are_matched_as_few_are() -> None:
    gold: list[Box] = [(10.0 * place, 0.0, 10.0 * place + 15.0, 10.0) for place in range(6)]
    other: list[Box] = [(x0 + 6.0, y0, x1 + 6.0, y1) for x0, y0, x1, y1 in gold]
    found = detected([(gold, other)])
    assert float(found.ious.sum()) == pytest.approx(greatest_sum(gold, other))
    assert len(found.ious) == 5, "shifted by one, five match better than six in place"
