from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.box import Box
from prelabel.captions.parser import ParsedCaption
from prelabel.classic.alignment import Alignment, align, in_natural_order
from prelabel.panels.splitter import Split


def grid(rows: int, columns: int) -> list[Box]:
    return [Box(120 * x, 100 * y, 120 * x + 100, 100 * y + 80) for y in range(rows) for x in range(columns)]


def aligned(
    boxes: Sequence[Box],
    names: Sequence[str],
    letters: Sequence[str | None] = (),
    *,
    layout: Sequence[tuple[str, str]] = (),
    lettered: bool = True,
) -> Alignment:
    split = Split(tuple(boxes), (0.9,) * len(boxes), tuple(letters))
    tokens = {name: frozenset([number]) for number, name in enumerate(names)}
    return align(split, ParsedCaption(tuple(names), tokens, 0.9, tuple(layout), lettered))


def by_box(alignment: Alignment) -> list[str]:
    """The label of each box, in the order in which the boxes were given."""
    return [pair.label for pair in sorted(alignment.pairs, key=lambda pair: pair.place)]


def sources(alignment: Alignment) -> list[str | None]:
    return [pair.source for pair in sorted(alignment.pairs, key=lambda pair: pair.place)]


def test_labels_are_given_in_reading_order() -> None:
    assert by_box(aligned(grid(2, 2), "abcd")) == ["a", "b", "c", "d"]
    assert by_box(aligned(grid(2, 2)[::-1], "abcd")) == ["d", "c", "b", "a"]


def test_a_caption_that_names_panels_out_of_order_changes_nothing() -> None:
    assert by_box(aligned(grid(2, 2), ["A", "C", "B", "D"])) == ["A", "B", "C", "D"]


def test_letters_turn_the_order_to_columns() -> None:
    found = aligned(grid(2, 2), "abcd", ["a", "c", "b", None])
    assert by_box(found) == ["a", "c", "b", "d"]
    assert found.way == "columns"


def test_letters_decide_where_no_order_fits() -> None:
    letters = ["a", "d", "c", "f", "e", "b"]
    assert by_box(aligned(grid(2, 3), "abcdef", letters)) == letters


def test_one_letter_against_many_does_not_turn_the_order() -> None:
    letters = ["a", "b", "c", "d", None, "e"]
    assert by_box(aligned(grid(2, 3), "abcdef", letters)) == ["a", "b", "c", "d", "e", "f"]


def test_a_letter_found_twice_is_not_trusted() -> None:
    assert by_box(aligned(grid(2, 2), "abcd", ["d", None, "d", None])) == ["a", "b", "c", "d"]


def test_letters_are_the_same_in_capitals_and_small() -> None:
    assert by_box(aligned(grid(1, 3), "abc", ["B", "A", "C"])) == ["b", "a", "c"]


def test_words_for_places_decide_over_the_order_of_the_caption() -> None:
    layout = [("right", "right"), ("left", "left")]
    found = aligned(grid(1, 2), ["right", "left"], layout=layout, lettered=False)
    assert sources(found) == ["left", "right"]
    assert by_box(found) == ["1", "2"]


def test_left_and_right_over_several_rows_are_columns() -> None:
    found = aligned(grid(2, 2), ["left", "right"], layout=[("left", "left"), ("right", "right")], lettered=False)
    assert sources(found) == ["left", "right", "left", "right"]


def test_twice_as_many_boxes_as_labels_are_two_for_each() -> None:
    found = aligned(grid(2, 2), "ab")
    assert by_box(found) == ["a1", "a2", "b1", "b2"]
    assert sources(found) == ["a", "a", "b", "b"]


def test_a_panel_cut_in_two_shares_its_text_and_moves_no_other_label() -> None:
    boxes = [Box(0, 0, 100, 80), Box(120, 0, 168, 80), Box(172, 0, 220, 80), Box(240, 0, 340, 80)]
    found = aligned(boxes, "abc")
    assert sources(found) == ["a", "b", "b", "c"]
    assert by_box(found) == ["a", "b1", "b2", "c"]


def test_letters_show_which_panel_has_several_boxes() -> None:
    found = aligned(grid(1, 4), "abc", ["a", "b", "c", None])
    assert sources(found) == ["a", "b", "c", "c"]
    found = aligned(grid(1, 4), "abc", ["a", None, "b", "c"])
    assert sources(found) == ["a", "a", "b", "c"]


def test_letters_show_which_label_has_no_box() -> None:
    found = aligned(grid(1, 3), "abcd", ["a", "c", "d"])
    assert by_box(found) == ["a", "c", "d"]
    assert found.unused == ("b",)


def test_without_letters_the_last_labels_go_unused() -> None:
    found = aligned(grid(1, 2), "abcd")
    assert by_box(found) == ["a", "b"]
    assert found.unused == ("c", "d")


def test_a_panel_that_the_caption_leaves_out_gets_its_letter_and_no_text() -> None:
    found = aligned(grid(1, 3), "ab", ["a", "b", "c"])
    assert (by_box(found)[:2], sources(found)[:2]) == (["a", "b"], ["a", "b"])
    assert by_box(found)[2] == "c"
    assert sources(found)[2] is None


def test_without_labels_boxes_take_the_letters_in_the_image_or_are_numbered() -> None:
    assert by_box(aligned(grid(1, 3), [])) == ["1", "2", "3"]
    assert by_box(aligned(grid(1, 3), [], ["A", None, "C"])) == ["A", "B", "C"]
    assert by_box(aligned(grid(1, 3), [], ["A", None, "X"])) == ["1", "2", "3"]
    assert by_box(aligned(grid(2, 2), [], ["a", "c", "b", "d"])) == ["a", "c", "b", "d"]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b"],
        ["A1", "A2", "A10"],
        ["Ai", "Aii", "Aiv", "Av", "B"],
        ["1", "2", "11"],
        ["a", "a1"],
        ["i", "ii", "iv", "v", "ix", "x", "xii"],
        ["А", "Б", "Г"],
        ["أ", "ب", "ج", "د", "ه", "و", "ز"],
    ],
)
def test_labels_are_put_in_their_natural_order(labels: list[str]) -> None:
    assert list(in_natural_order(labels[::-1])) == labels


def test_the_margin_tells_how_much_hangs_on_the_order() -> None:
    assert aligned(grid(2, 2), "abcd", "abcd").margin > aligned(grid(2, 2), "abcd", ["a", None, None, None]).margin


boxes = st.builds(
    lambda x, y, w, h: Box(x, y, x + w, y + h), *[st.integers(0, 500)] * 2, *[st.integers(1, 300)] * 2
)
letters = st.none() | st.sampled_from(["a", "b", "c", "B", "x", "a1"])
words = st.sampled_from(["left", "right", "top", "second row", "third from left", "inset"])


@given(st.data())
def test_every_box_gets_exactly_one_label_and_no_label_comes_twice(data: st.DataObject) -> None:
    found = data.draw(st.lists(boxes, min_size=1, max_size=12))
    names = data.draw(st.lists(st.sampled_from([*"abcdefgh", "a1", "1", "left"]), unique=True, max_size=10))
    marks = data.draw(st.lists(letters, min_size=len(found), max_size=len(found)))
    layout = data.draw(st.lists(st.tuples(st.sampled_from(names), words), max_size=4)) if names else []
    lettered = data.draw(st.booleans())
    result = aligned(found, names, marks, layout=layout, lettered=lettered)
    assert sorted(pair.place for pair in result.pairs) == list(range(len(found)))
    assert len({pair.label for pair in result.pairs}) == len(found)
    assert all(pair.label for pair in result.pairs)
    used = {pair.source for pair in result.pairs}
    assert used <= {None, *names}
    assert set(result.unused) == set(names) - used
    assert aligned(found, names, marks, layout=layout, lettered=lettered) == result


@given(st.integers(1, 4), st.integers(1, 5), st.data())
def test_letters_that_are_all_there_and_all_right_always_decide(
    rows: int, columns: int, data: st.DataObject
) -> None:
    marks = data.draw(st.permutations("abcdefghijklmnopqrst"[: rows * columns]))
    assert by_box(aligned(grid(rows, columns), sorted(marks), marks)) == list(marks)
