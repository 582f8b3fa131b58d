from __future__ import annotations

import numpy as np
from agreement_reference import iou
from hypothesis import given
from hypothesis import strategies as st

from agreement.metrics.iou import as_boxes
from agreement.metrics.matching import best_matches, ranges

# Few coordinates, so that ties and misses are common.
boxes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)).map(
    lambda v: [v[0], v[1], v[0] + v[2], v[1] + v[3]]
)
rows = st.lists(st.tuples(st.lists(boxes, max_size=4), st.lists(boxes, max_size=4)), max_size=5)


def numbers(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_ranges_follow_one_another_and_may_be_empty() -> None:
    assert ranges(numbers([5, 0, 2]), numbers([2, 0, 3])).tolist() == [5, 6, 2, 3, 4]
    assert ranges(numbers([]), numbers([])).tolist() == []


def test_no_box_answers_where_there_is_none() -> None:
    matches, best = best_matches(as_boxes([[0, 0, 1, 1]]), numbers([1]), as_boxes([]), numbers([0]))
    assert matches.tolist() == [-1]
    assert best.tolist() == [0]


def test_a_box_of_another_figure_never_answers() -> None:
    box = [0, 0, 1, 1]
    matches, _ = best_matches(as_boxes([box, box]), numbers([1, 1]), as_boxes([box]), numbers([0, 1]))
    assert matches.tolist() == [-1, 0]


@given(rows)
def test_every_match_is_the_first_best_of_the_plain_loop(
    rows: list[tuple[list[list[float]], list[list[float]]]],
) -> None:
    gold = [box for own, _ in rows for box in own]
    other = [box for _, own in rows for box in own]
    matches, best = best_matches(
        as_boxes(gold),
        numbers([len(own) for own, _ in rows]),
        as_boxes(other),
        numbers([len(own) for _, own in rows]),
    )
    expected, start = [], 0
    for golds, others in rows:
        for box in golds:
            overlaps = [iou(box, candidate) for candidate in others]
            top = max(overlaps, default=0.0)
            expected.append((start + overlaps.index(top), top) if top > 0 else (-1, 0.0))
        start += len(others)
    assert list(zip(matches.tolist(), best.tolist(), strict=True)) == expected
