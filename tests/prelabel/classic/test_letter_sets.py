import numpy as np
import pytest

from prelabel.panels.letters.find import Candidates, best_set, gaps

HEIGHT, LONGEST = 14, 1000


def candidates(*shapes: tuple[int, int, int, float], style: int = 0, size: float = 3.0) -> Candidates:
    """Shapes as (label, x, y, likeness), all as high, alone in free space."""
    rows = np.array([(x, y, x + 10, y + HEIGHT) for _, x, y, _ in shapes], dtype=np.int64)
    like = np.array([likeness for *_, likeness in shapes])
    return Candidates(
        rows,
        np.array([label for label, *_ in shapes], dtype=np.int64),
        np.full(len(shapes), style, dtype=np.int64),
        np.full(len(shapes), size),
        like,
        like,
    )


def grid(count: int, *, likeness: float = 0.9, without: int | None = None) -> list[tuple[int, int, int, float]]:
    """Letters of panels in rows of three."""
    return [
        (place, 20 + 300 * (place % 3), 20 + 250 * (place // 3), likeness)
        for place in range(count)
        if place != without
    ]


def labels_of(found: Candidates, count: int) -> list[int]:
    return [int(found.label[pick]) for pick in best_set(found, count, LONGEST)[1]]


@pytest.mark.parametrize("count", [2, 3, 6, 12])
def test_letters_in_a_grid_are_one_set(count: int) -> None:
    assert labels_of(candidates(*grid(count)), count) == list(range(count))


def test_a_likelier_shape_out_of_order_does_not_spoil_the_set() -> None:
    # Something in the last row looks more like the first letter than that does.
    found = candidates(*grid(6), (0, 420, 700, 0.99))
    picks = best_set(found, 6, LONGEST)[1]
    assert found.rect[picks[0]].tolist() == [20, 20, 30, 20 + HEIGHT]


def test_one_of_many_letters_may_be_missing() -> None:
    assert labels_of(candidates(*grid(6, without=2)), 6) == [0, 1, 3, 4, 5]


def test_none_of_few_letters_may_be_missing() -> None:
    assert labels_of(candidates(*grid(4, without=2)), 4) == []


@pytest.mark.parametrize(
    ("count", "likeness", "found"), [(2, 0.76, False), (4, 0.72, False), (5, 0.72, True), (6, 0.68, False)]
)
def test_many_letters_need_look_less_sure(count: int, likeness: float, found: bool) -> None:
    assert bool(labels_of(candidates(*grid(count, likeness=likeness)), count)) is found


@pytest.mark.parametrize(("likeness", "found"), [(0.68, True), (0.64, False)])
def test_letters_that_stand_in_a_panel_each_need_look_less_sure(likeness: float, found: bool) -> None:
    shapes = candidates(*grid(3, likeness=likeness))
    assert best_set(shapes, 3, LONGEST)[1] == []
    assert bool(best_set(shapes, 3, LONGEST, apiece=True)[1]) is found


def test_a_plain_stroke_out_of_line_is_no_letter_and_the_others_stay() -> None:
    found = candidates(*grid(6))
    found.rect[4] = (390, 340, 393, 340 + HEIGHT)
    assert labels_of(found, 6) == [0, 1, 2, 3, 5]


def test_letters_too_near_for_two_panels_are_not_both_taken() -> None:
    near = [*grid(6, without=1), (1, 60, 20, 0.95)]
    assert labels_of(candidates(*near), 6) == [0, 2, 3, 4, 5]


def test_a_shape_serves_one_label_only() -> None:
    # The shape of label 2 looks as much like label 5, whose own letter is not there.
    both = [*grid(6, without=5), (5, *grid(6)[2][1:])]
    assert labels_of(candidates(*both), 6) == [0, 1, 2, 3, 4]


def test_letters_of_unlike_size_are_no_set() -> None:
    one, other = candidates(*grid(3)), candidates(*grid(3), size=3.4)
    mixed = Candidates(one.rect, one.label, one.style, np.array([3.0, 3.4, 3.0]), one.worth, one.likeness)
    assert labels_of(mixed, 3) == []
    assert labels_of(other, 3) == [0, 1, 2]


def test_letters_of_unlike_style_are_no_set() -> None:
    one = candidates(*grid(3))
    mixed = Candidates(one.rect, one.label, np.array([0, 1, 0]), one.size, one.worth, one.likeness)
    assert labels_of(mixed, 3) == []


def test_letters_in_no_line_are_no_set() -> None:
    scattered = [(0, 20, 20, 0.9), (1, 320, 90, 0.9), (2, 610, 160, 0.9)]
    assert labels_of(candidates(*scattered), 3) == []


def test_five_letters_need_stand_in_no_line() -> None:
    scattered = [(place, 20 + 190 * place, 20 + 60 * place, 0.9) for place in range(5)]
    assert labels_of(candidates(*scattered), 5) == list(range(5))


def test_a_later_letter_stands_neither_above_nor_left_of_any_earlier_one() -> None:
    # Columns are in order; rows read from right to left are not.
    columns = [(0, 20, 20, 0.9), (1, 20, 300, 0.9), (2, 400, 20, 0.9), (3, 400, 300, 0.9)]
    backwards = [(0, 400, 20, 0.9), (1, 20, 20, 0.9), (2, 400, 300, 0.9), (3, 20, 300, 0.9)]
    assert labels_of(candidates(*columns), 4) == [0, 1, 2, 3]
    assert labels_of(candidates(*backwards), 4) == []


def test_more_labels_may_have_more_gaps() -> None:
    assert [gaps(count) for count in (1, 2, 4, 5, 9, 13)] == [0, 0, 0, 1, 2, 3]
