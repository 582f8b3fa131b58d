from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.geometry import Box
from prelabel.classic.alignment import align, reading_order

TOP_LEFT, TOP_RIGHT = Box(0, 0, 90, 90), Box(100, 20, 190, 90)
LOW_LEFT, LOW_RIGHT = Box(5, 100, 90, 190), Box(100, 95, 190, 190)


def labels(boxes: list[Box], names: list[str]) -> list[tuple[int, str, str | None]]:
    return list(align(boxes, names, width=1000, height=800))


def test_boxes_are_read_by_row_and_then_from_left_to_right() -> None:
    assert reading_order([LOW_RIGHT, TOP_RIGHT, LOW_LEFT, TOP_LEFT], width=1000, height=800) == (3, 1, 2, 0)


def test_the_tolerance_of_a_row_grows_with_the_image() -> None:
    # 60 pixels apart: two rows of an image 1000 pixels wide, one row where it is 2000 pixels wide.
    lower_left, upper_right = Box(0, 60, 90, 150), Box(100, 0, 190, 90)
    assert reading_order([lower_left, upper_right], width=1000, height=400) == (1, 0)
    assert reading_order([lower_left, upper_right], width=2000, height=400) == (0, 1)


def test_labels_are_given_in_reading_order() -> None:
    assert labels([TOP_RIGHT, TOP_LEFT], ["a", "b"]) == [(1, "a", "a"), (0, "b", "b")]


def test_boxes_left_over_take_the_last_text_and_labels_of_their_own() -> None:
    found = labels([TOP_LEFT, TOP_RIGHT, LOW_LEFT], ["a", "b"])
    assert [(label, text) for _, label, text in found] == [("a", "a"), ("b", "b"), ("b2", "b")]


def test_twice_as_many_boxes_as_labels_are_two_for_each() -> None:
    found = labels([TOP_LEFT, TOP_RIGHT, LOW_LEFT, LOW_RIGHT], ["a", "b"])
    assert [(label, text) for _, label, text in found] == [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")]


def test_without_labels_boxes_are_numbered_and_labels_left_over_go_unused() -> None:
    assert [label for _, label, _ in labels([TOP_LEFT, TOP_RIGHT], [])] == ["1", "2"]
    assert labels([TOP_LEFT], ["a", "b", "c"]) == [(0, "a", "a")]


boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), *[st.integers(0, 500)] * 2, *[st.integers(1, 300)] * 2
)


@given(st.lists(boxes, max_size=30), st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10))
def test_every_box_gets_exactly_one_label_and_no_label_comes_twice(found: list[Box], names: list[str]) -> None:
    result = labels(found, names)
    assert sorted(place for place, _, _ in result) == list(range(len(found)))
    assert len({label for _, label, _ in result}) == len(found)
    assert all(text is None or text in names for _, _, text in result)
