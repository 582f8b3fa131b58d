from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.box import Box
from prelabel.taggers.spans import chained_order, paired, row_order

boxes_of_any_place = st.lists(
    st.tuples(st.integers(0, 900), st.integers(0, 900)).map(lambda at: Box(at[0], at[1], at[0] + 80, at[1] + 80)),
    max_size=9,
)


def boxes(*corners: tuple[float, float]) -> list[Box]:
    return [Box(x, y, x + 10, y + 10) for x, y in corners]


def test_boxes_go_by_row_and_then_from_left_to_right() -> None:
    assert row_order(boxes((500, 0), (0, 300), (0, 10), (500, 310))) == (2, 0, 1, 3)


def test_tops_less_than_fifty_pixels_apart_are_one_row() -> None:
    assert row_order(boxes((500, 0), (0, 49))) == (1, 0)
    assert row_order(boxes((500, 0), (0, 50))) == (0, 1)


def test_a_row_is_measured_from_its_topmost_box_and_so_does_not_creep() -> None:
    assert row_order(boxes((300, 0), (200, 40), (100, 80))) == (1, 0, 2)


def test_rows_of_the_authors_code_creep_and_hang_on_the_order_of_boxes() -> None:
    creeping = boxes((300, 0), (200, 40), (100, 80))
    assert chained_order(creeping) == (2, 1, 0)
    # Without the box between them the others are rows of their own.
    assert chained_order([creeping[0], creeping[2]]) == (0, 1)
    # The two outer boxes are rows already when the one between them comes: it joins the upper.
    assert chained_order([creeping[0], creeping[2], creeping[1]]) == (2, 0, 1)


def official_blocks(given_boxes: list[Box]) -> list[Box]:
    """Rows as MedICaT's code makes them, box by box."""
    blocks: list[list[Box]] = []
    for box in given_boxes:
        for block in blocks:
            if any(abs(other.y0 - box.y0) < 50 for other in block):
                block.append(box)
                break
        else:
            index = 0
            while index < len(blocks) and not all(box.y0 < other.y0 for other in blocks[index]):
                index += 1
            blocks.insert(index, [box])
    return [box for block in blocks for box in sorted(block, key=lambda each: each.x0)]


@given(boxes_of_any_place)
def test_the_order_of_the_authors_code_is_theirs_on_any_boxes(given_boxes: list[Box]) -> None:
    assert [given_boxes[place] for place in chained_order(given_boxes)] == official_blocks(given_boxes)


@given(boxes_of_any_place)
def test_every_box_comes_once(given_boxes: list[Box]) -> None:
    for order in (row_order, chained_order):
        assert sorted(order(given_boxes)) == list(range(len(given_boxes)))


def test_surplus_boxes_take_the_last_part_and_surplus_parts_none() -> None:
    three = boxes((0, 0), (100, 0), (200, 0))
    assert paired(three, ["a", "b"], "") == ["a", "b", "b"]
    assert paired(three, ["a", "b", "c", "d"], "") == ["a", "b", "c"]
    assert paired(three[::-1], ["a", "b", "c"], "") == ["c", "b", "a"]


def test_without_parts_every_box_gets_nothing() -> None:
    assert paired(boxes((0, 0), (100, 0)), [], "nothing") == ["nothing", "nothing"]
    assert paired([], ["a"], "") == []
