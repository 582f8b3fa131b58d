from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.chance.coefficients import cohen_kappa, observed_agreement, weighted_kappa

judgements = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=12)


def test_kappa_of_a_textbook_table() -> None:
    # Both yes 20, yes-no 5, no-yes 10, both no 15: observed .7, expected .5.
    one = "y" * 25 + "n" * 25
    other = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    assert observed_agreement(one, other) == 0.7
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_kappa_is_undefined_of_nothing_and_of_one_category() -> None:
    assert observed_agreement([], []) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa("aaa", "aaa") is None


def test_judges_of_different_items_are_refused() -> None:
    with pytest.raises(ValueError, match="2 judgements against 1"):
        cohen_kappa("ab", "a")


@given(judgements)
def test_kappa_is_symmetric_and_one_where_all_agree(pairs: list[tuple[str, str]]) -> None:
    one, other = zip(*pairs, strict=True)
    kappa = cohen_kappa(one, other)
    assert kappa == pytest.approx(cohen_kappa(other, one))
    assert kappa is None or -1 <= kappa <= 1
    assert cohen_kappa(one, one) in ((None,) if len(set(one)) == 1 else (1.0,))


@given(judgements)
def test_kappa_equals_the_plain_loop(pairs: list[tuple[str, str]]) -> None:
    one, other = zip(*pairs, strict=True)
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    expected = sum((one.count(c) / n) * (other.count(c) / n) for c in "xyz")
    kappa = cohen_kappa(one, other)
    if kappa is None:
        assert expected == pytest.approx(1)
    else:
        assert kappa == pytest.approx((observed - expected) / (1 - expected))


numbers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@given(numbers, st.booleans())
def test_weighted_kappa_equals_the_plain_loop(pairs: list[tuple[int, int]], quadratic: bool) -> None:
    one, other = zip(*pairs, strict=True)
    power = 2 if quadratic else 1
    observed = sum(abs(a - b) ** power for a, b in pairs) / len(pairs)
    expected = sum(abs(a - b) ** power for a in one for b in other) / len(pairs) ** 2
    kappa = weighted_kappa(one, other, quadratic=quadratic)
    assert kappa == (None if expected == 0 else pytest.approx(1 - observed / expected))
    assert kappa == weighted_kappa(other, one, quadratic=quadratic)


def test_weighted_kappa_forgives_small_differences_more_than_plain_kappa_does() -> None:
    near, far = weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3]), weighted_kappa([1, 2, 3, 4], [1, 2, 3, 1])
    assert near is not None
    assert far is not None
    assert near > far
    assert weighted_kappa([], []) is weighted_kappa([2, 2], [2, 2]) is None


def test_numbers_of_different_items_are_refused() -> None:
    with pytest.raises(ValueError, match="2 judgements against 1"):
        weighted_kappa([1, 2], [1])
