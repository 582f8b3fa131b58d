import pytest
from hypothesis import given
from hypothesis import strategies as st

from prelabel.evaluation.scores import LabelledCaption, LabelOutcome, ranges_in_order


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        ("b d c", "b c d"),
        ("a d b c", "a b c d"),
        ("b a", "b a"),
        ("A1 A10 A2", "A1 A2 A10"),
        ("a b a", "a b"),
        ("", ""),
    ],
)
def test_what_stands_between_a_range_s_ends_is_put_there(labels: str, ordered: str) -> None:
    assert ranges_in_order(labels.split()) == ordered.split()


@given(st.lists(st.sampled_from("abcdefgh")))
def test_putting_ranges_in_order_loses_and_adds_nothing_and_is_done_once(labels: list[str]) -> None:
    ordered = ranges_in_order(labels)
    assert sorted(ordered) == sorted(set(labels))
    assert ranges_in_order(sorted(labels)) == sorted(set(labels))


def test_the_set_may_be_right_where_the_order_is_not() -> None:
    caption = LabelledCaption("c", "(b) x (a) y", ("b", "a"), "")
    assert LabelOutcome(caption, ("a", "b")).same_set
    assert not LabelOutcome(caption, ("a", "b")).same_sequence
    assert not LabelOutcome(caption, ("b", "a", "c")).same_set
    assert LabelOutcome(LabelledCaption("c", "", ("b", "d", "c"), ""), ("b", "c", "d")).same_sequence
