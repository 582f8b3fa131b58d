from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.report.html.charts import HEIGHT, WIDTH, bar_scale, heat, plot
from agreement.report.html.page import px, shown, signed
from agreement.report.numbers import percent, rounded

values = st.lists(st.none() | st.floats(0, 1), max_size=12)


@given(values)
def test_every_dot_lies_in_the_plot_and_higher_values_higher_up(line: list[float | None]) -> None:
    drawn = plot([str(place) for place in range(len(line))], line)
    dots = drawn.lines[0].dots
    defined = [value for value in line if value is not None]
    assert len(dots) == len(defined)
    assert all(drawn.left <= dot.x <= WIDTH and 0 <= dot.y <= HEIGHT for dot in dots)
    for (one, dot), (other, lower) in permutations(zip(defined, dots, strict=True), 2):
        assert one <= other or dot.y <= lower.y
    assert [dot.x for dot in dots] == sorted(dot.x for dot in dots)
    assert all(drawn.floor <= value for value in defined)


def test_a_line_is_broken_where_a_value_is_undefined() -> None:
    line = plot("abcde", [0.5, 0.6, None, 0.7, 0.8]).lines[0]
    assert [len(path.split()) for path in line.paths] == [2, 2]
    assert plot("abc", [0.5, None, 0.7]).lines[0].paths == ()


def test_the_axis_begins_below_the_lowest_interval() -> None:
    drawn = plot("ab", [0.9, 0.95], intervals=[(0.72, 1.0), None])
    assert drawn.floor == 0.7
    first, second = drawn.lines[0].dots
    assert first.low is not None
    assert first.high is not None
    assert first.high < first.y < first.low
    assert (second.low, second.high) == (None, None)
    assert [tick.name for tick in drawn.y_ticks] == ["1.0", "0.9", "0.8", "0.7"]


def test_names_below_a_long_axis_are_thinned_out() -> None:
    assert len(plot([str(week) for week in range(40)], [0.5] * 40).x_ticks) <= 6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_full_agreement_has_no_colour_and_less_agreement_a_stronger_one(scores: list[float]) -> None:
    ordered = [heat(score) for score in sorted(scores, reverse=True)]
    assert ordered == sorted(ordered)
    assert all(0 <= strength <= 1 for strength in ordered)
    assert (heat(1.0), heat(0.75), heat(0.5), heat(0.0)) == (0.0, 0.5, 1.0, 1.0)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_bars_of_one_page_have_one_scale_that_holds_all(values: list[float]) -> None:
    scale = bar_scale(values)
    assert scale in (0.05, 0.1, 0.2, 0.5, 1.0)
    assert all(value <= scale for value in values)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (0.99996, "0.99996"),
        (0.00001, "0.00001"),
        (1.0, "1.000"),
        (0.0, "0.000"),
        (-0.25, "−0.250"),
        (1 - 1e-12, "1.000"),
        (1e-7, "0.000000"),
    ],
)
def test_what_is_not_1_or_0_is_not_shown_as_such(value: float, text: str) -> None:
    assert rounded(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0%"), (0.001, "under 1%"), (0.5, "50%"), (0.999, "over 99%"), (1.0, "100%")]
)
def test_shares_are_whole_per_cents_that_do_not_lie(share: float, text: str) -> None:
    assert percent(share) == text


def test_lengths_have_no_idle_zeros() -> None:
    assert [px(1.0), px(0.126), px(100.5)] == ["1", "0.13", "100.5"]


def test_what_no_browser_shows_or_shows_as_something_else_is_escaped() -> None:
    assert shown("a\x00b\x9f\ud800\tc\n\u202e\ufffe") == r"a\x00b\x9f\ud800" "\tc\n" r"\u202e\ufffe"
    assert shown("\u05e9\u05dc\u05d5\u05dd \u200f\u2067") == "\u05e9\u05dc\u05d5\u05dd \u200f\u2067"


@pytest.mark.parametrize(("value", "text"), [(0.25, "+0.250"), (-0.25, "−0.250"), (0.0, "0.000")])
def test_a_difference_carries_its_sign(value: float, text: str) -> None:
    assert str(signed(value)) == f'<data value="{value!r}">{text}</data>'
