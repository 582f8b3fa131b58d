from __future__ import annotations

import numpy as np
from agreement_reference import iou
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.iou import Boxes, Vector, as_boxes, box_iou
from agreement.primitives.matching import Indices, best_matches, overlaps, ranges

# Few coordinates, so that ties and misses are common.
boxes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)).map(
    lambda v: [v[0], v[1], v[0] + v[2], v[1] + v[3]]
)
rows = st.lists(st.tuples(st.lists(boxes, max_size=4), st.lists(boxes, max_size=4)), max_size=5)


def numbers(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def matches_of(gold: Boxes, golds: Indices, other: Boxes, others: Indices) -> tuple[Indices, Vector]:
    found = overlaps(gold, golds, other, others)
    return best_matches(found.one, found.other, found.iou, len(gold))


def test_ranges_follow_one_another_and_may_be_empty() -> None:
    assert ranges(numbers([5, 0, 2]), numbers([2, 0, 3])).tolist() == [5, 6, 2, 3, 4]
    assert ranges(numbers([]), numbers([])).tolist() == []


def test_no_box_answers_where_there_is_none() -> None:
    matches, best = matches_of(as_boxes([[0, 0, 1, 1]]), numbers([1]), as_boxes([]), numbers([0]))
    assert matches.tolist() == [-1]
    assert best.tolist() == [0]


def test_a_box_of_another_figure_never_answers() -> None:
    box = [0, 0, 1, 1]
    matches, _ = matches_of(as_boxes([box, box]), numbers([1, 1]), as_boxes([box]), numbers([0, 1]))
    assert matches.tolist() == [-1, 0]


@given(rows)
def test_every_match_is_the_first_best_of_the_plain_loop(
    rows: list[tuple[list[list[float]], list[list[float]]]],
) -> None:
    gold = [box for own, _ in rows for box in own]
    other = [box for _, own in rows for box in own]
    matches, best = matches_of(
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


@given(rows)
def test_what_overlaps_is_what_has_an_iou_and_both_sides_see_the_same(
    rows: list[tuple[list[list[float]], list[list[float]]]],
) -> None:
    sides = [as_boxes([box for row in rows for box in row[side]]) for side in (0, 1)]
    sizes = [numbers([len(row[side]) for row in rows]) for side in (0, 1)]
    found, turned = (
        overlaps(sides[0], sizes[0], sides[1], sizes[1]),
        overlaps(sides[1], sizes[1], sides[0], sizes[0]),
    )
    there = sorted(zip(found.one.tolist(), found.other.tolist(), found.iou.tolist(), strict=True))
    assert there == sorted(zip(turned.other.tolist(), turned.one.tolist(), turned.iou.tolist(), strict=True))
    table = box_iou(*sides)
    owners = [[n for n, size in enumerate(each.tolist()) for _ in range(size)] for each in sizes]
    assert there == [
        (one, other, table[one, other])
        for one, mine in enumerate(owners[0])
        for other, yours in enumerate(owners[1])
        if mine == yours and table[one, other] > 0
    ]


def test_an_overlap_too_small_for_a_number_is_none() -> None:
    tiny = 1e-170
    one, other = as_boxes([[0, 0, tiny, tiny]]), as_boxes([[0, 0, tiny, tiny]])
    assert len(overlaps(one, numbers([1]), other, numbers([1])).iou) == 0
    assert box_iou(one, other).tolist() == [[0.0]]
