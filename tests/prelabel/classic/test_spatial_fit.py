import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.box import Box
from prelabel.classic.alignment import Position, misfit, places, read_position

GRID = [Box(120 * x, 100 * y, 120 * x + 100, 100 * y + 80) for y in range(3) for x in range(4)]


def best(words: str) -> list[int]:
    """The boxes of a grid of three rows of four that fit the words best."""
    found = [misfit(words, placed) for placed in places(GRID)]
    return [number for number, value in enumerate(found) if value == min(found)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("top left", [0]),
        ("upper right panel", [3]),
        ("lower right-hand panel", [11]),
        ("bottom row", [8, 9, 10, 11]),
        ("left", [0, 4, 8]),
        ("right column", [3, 7, 11]),
        ("second row, third from left", [6]),
        ("lower row, second from right", [10]),
        ("second from the left", [1, 5, 9]),
        ("middle row, far left", [4]),
        ("left column, middle", [4]),
        ("middle left", [4]),
        ("row 2", [4, 5, 6, 7]),
        ("third column", [2, 6, 10]),
        ("last row", [8, 9, 10, 11]),
        ("top row, 4th panel", [3]),
        ("second from top, left", [4]),
        ("middle", [1, 2, 5, 6, 9, 10]),
    ],
)
def test_words_fit_the_boxes_that_people_would_point_at(words: str, expected: list[int]) -> None:
    assert best(words) == expected


def test_words_that_name_no_place_fit_everywhere() -> None:
    assert best("the untreated control") == list(range(12))
    assert read_position("") == (None, None)


def test_the_opposite_corner_fits_worst() -> None:
    found = [misfit("top left", placed) for placed in places(GRID)]
    assert found.index(max(found)) == 11
    assert max(found) <= 2.0


def test_a_panel_without_neighbours_fits_left_a_little_less_than_one_that_has() -> None:
    assert 0 < Position(0).misfit(0, 1) < Position(0).misfit(1, 2)


@given(st.text(max_size=200))
def test_any_words_can_be_asked_for(words: str) -> None:
    assert all(0 <= misfit(words, placed) <= 2 for placed in places(GRID))
