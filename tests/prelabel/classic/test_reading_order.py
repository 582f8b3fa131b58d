from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.box import Box
from prelabel.panels.reading_order import column_odds, reading_order


def grid(rows: int, columns: int, *, slope: float = 0.0) -> list[Box]:
    """Boxes of 100 x 80 in rows and columns 120 and 100 apart; each column begins `slope` pixels lower."""
    return [
        Box(120 * column, 100 * row + slope * column, 120 * column + 100, 100 * row + slope * column + 80)
        for row in range(rows)
        for column in range(columns)
    ]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (4, 1), (2, 2), (3, 4), (6, 10)])
def test_grids_are_read_by_row_or_by_column(rows: int, columns: int) -> None:
    boxes = grid(rows, columns)
    assert reading_order(boxes) == tuple(range(rows * columns))
    by_column = tuple(row * columns + column for column in range(columns) for row in range(rows))
    assert reading_order(boxes, by_column=True) == by_column


def test_rows_of_uneven_tops_are_still_rows() -> None:
    # The third column begins 24 pixels lower than the first: more than the gap between rows.
    boxes = grid(2, 3, slope=12)
    assert reading_order(boxes) == (0, 1, 2, 3, 4, 5)


def test_a_tall_panel_comes_before_the_grid_beside_it_which_is_read_by_row() -> None:
    tall = Box(0, 0, 90, 300)
    beside = [Box(x, y, x + 90, y + 140) for y in (0, 155) for x in (100, 200, 300)]
    assert reading_order([*beside, tall]) == (6, 0, 1, 2, 3, 4, 5)


def test_a_tall_panel_at_the_end_comes_last() -> None:
    stack = [Box(x, y, x + 90, y + 140) for y in (0, 155) for x in (0, 100)]
    assert reading_order([Box(200, 0, 290, 300), *stack]) == (1, 2, 3, 4, 0)


def test_a_wide_panel_between_rows_parts_them() -> None:
    boxes = [*grid(1, 2), Box(0, 100, 220, 180), Box(0, 200, 100, 280), Box(120, 200, 220, 280)]
    assert reading_order(boxes) == (0, 1, 2, 3, 4)


def test_nested_rows_are_read_within_their_block() -> None:
    # Left: two over one; right: one over two. No row goes through both.
    left = [Box(0, 0, 50, 60), Box(55, 0, 105, 60), Box(0, 65, 105, 200)]
    right = [Box(110, 0, 215, 135), Box(110, 140, 160, 200), Box(165, 140, 215, 200)]
    assert reading_order([*right, *left]) == (3, 4, 5, 0, 1, 2)


def test_boxes_that_lie_over_each_other_go_by_their_tops() -> None:
    assert reading_order([Box(0, 60, 100, 200), Box(40, 0, 140, 150), Box(20, 2, 120, 160)]) == (2, 1, 0)


def test_no_boxes_have_no_order() -> None:
    assert reading_order([]) == ()


@given(
    st.lists(
        st.builds(
            lambda x, y, w, h: Box(x, y, x + w, y + h), *[st.integers(0, 500)] * 2, *[st.integers(1, 300)] * 2
        ),
        max_size=40,
    ),
    st.booleans(),
)
def test_every_box_is_read_once_whatever_the_layout(boxes: list[Box], by_column: bool) -> None:
    order = reading_order(boxes, by_column=by_column)
    assert sorted(order) == list(range(len(boxes)))
    assert reading_order(boxes, by_column=by_column) == order


@given(st.integers(1, 5), st.integers(1, 5), st.randoms(use_true_random=False))
def test_boxes_off_by_a_tenth_of_their_size_are_read_as_if_they_were_not(
    rows: int, columns: int, random: Random
) -> None:
    def moved(box: Box) -> Box:
        return Box(*(side + random.uniform(-8, 8) for side in box.as_list()))

    assert reading_order([moved(box) for box in grid(rows, columns)]) == tuple(range(rows * columns))


def test_columns_whose_panels_are_of_unlike_height_are_likelier_read_by_column() -> None:
    ragged = [Box(0, 0, 100, 180), Box(0, 185, 100, 300), Box(110, 0, 210, 60), Box(110, 65, 210, 300)]
    assert column_odds(ragged) > 0 > column_odds(grid(2, 2))
    # Turned by a quarter: rows whose panels are of unlike width.
    assert column_odds([Box(box.y0, box.x0, box.y1, box.x1) for box in ragged]) < column_odds(grid(2, 2))


def test_one_box_has_no_odds_to_speak_of() -> None:
    assert column_odds(grid(1, 1)) < 0
