from __future__ import annotations

from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.chance.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    masi_distance,
)

#: Fleiss (1971) as worked out in textbooks: 10 subjects, 14 judges, how many gave each of 5 categories.
FLEISS = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)

units = st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=8)
sets = st.frozensets(st.integers(0, 4), max_size=4)


def spread(counts: tuple[int, ...]) -> list[int]:
    return [category for category, count in enumerate(counts) for _ in range(count)]


def test_the_worked_example_of_fleiss() -> None:
    assert fleiss_kappa(map(spread, FLEISS)) == pytest.approx(0.210, abs=0.0005)


def test_the_worked_example_of_krippendorff() -> None:
    rows = ("123321412...", "123322412503", ".33323422510", "123324412510")
    table = [[row[place] for row in rows if row[place] not in ".0"] for place in range(12)]
    assert krippendorff_alpha(table) == pytest.approx(0.743, abs=0.0005)


def test_the_worked_example_of_gwet_where_kappa_fails() -> None:
    table = {("+", "+"): 118, ("+", "-"): 5, ("-", "+"): 2}
    judged = [pair for pair, count in table.items() for _ in range(count)]
    assert gwet_ac1(judged) == pytest.approx(0.9408, abs=0.00005)
    assert cohen_kappa(*zip(*judged, strict=True)) == pytest.approx(-0.0234, abs=0.00005)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), min_size=1))
def test_of_two_judges_and_equal_margins_fleiss_is_cohen(judged: list[tuple[str, str]]) -> None:
    both = judged + [(second, first) for first, second in judged]
    ours = cohen_kappa(*zip(*both, strict=True))
    assert fleiss_kappa(both) == (None if ours is None else pytest.approx(ours))


def plain_alpha(given_units: list[list[str]]) -> float | None:
    """By the definition: every ordered pair of judgements."""
    pairable = [unit for unit in given_units if len(unit) > 1]
    values = [value for unit in pairable for value in unit]
    observed = sum(
        (one != other) / (len(unit) - 1)
        for unit in pairable
        for at, one in enumerate(unit)
        for place, other in enumerate(unit)
        if at != place
    )
    expected = sum(
        (one != other) / (len(values) - 1)
        for at, one in enumerate(values)
        for place, other in enumerate(values)
        if at != place
    )
    return 1 - observed / expected if expected else None


@given(units)
def test_alpha_is_what_its_definition_says(judged: list[list[str]]) -> None:
    wanted = plain_alpha(judged)
    assert krippendorff_alpha(judged) == (None if wanted is None else pytest.approx(wanted))
    as_distance = krippendorff_alpha(judged, lambda one, other: float(one != other))
    assert as_distance == (None if wanted is None else pytest.approx(wanted))


@given(units, st.permutations("abc"))
def test_names_of_categories_and_order_of_units_do_not_matter(judged: list[list[str]], names: list[str]) -> None:
    called = dict(zip("abc", names, strict=True))
    renamed: list[list[Hashable]] = [[called[each] for each in reversed(unit)] for unit in reversed(judged)]
    for measure in (fleiss_kappa, gwet_ac1, krippendorff_alpha):
        before, after = measure(judged), measure(renamed)
        assert after == (None if before is None else pytest.approx(before))


@given(units)
def test_none_is_above_one_and_full_agreement_is_one(judged: list[list[str]]) -> None:
    for measure in (fleiss_kappa, gwet_ac1, krippendorff_alpha):
        value = measure(judged)
        assert value is None or value <= 1 + 1e-12
        alike = [unit[:1] * len(unit) for unit in judged]
        if len({unit[0] for unit in alike if len(unit) > 1}) > 1:
            assert measure(alike) == pytest.approx(1)
        else:
            assert measure(alike) is None


def test_categories_that_do_not_occur_can_be_told_to_ac1() -> None:
    alike = [("yes", "yes")] * 3
    assert gwet_ac1(alike) is None
    assert gwet_ac1(alike, categories=("yes", "no")) == 1.0


@given(sets, sets)
def test_masi_is_a_distance_from_0_to_1(one: frozenset[int], other: frozenset[int]) -> None:
    assert masi_distance(one, other) == masi_distance(other, one)
    assert 0 <= masi_distance(one, other) <= 1
    assert (masi_distance(one, other) == 0) == (one == other)
    assert (masi_distance(one, other) == 1) == (not one & other and one != other)


def test_masi_weighs_how_two_sets_lie() -> None:
    one = frozenset({1, 2})
    assert masi_distance(one, frozenset({1, 2, 3})) == pytest.approx(1 - 2 / 3 * 2 / 3)
    assert masi_distance(one, frozenset({2, 3})) == pytest.approx(1 - 1 / 3 * 1 / 3)
    with pytest.raises(TypeError, match="frozensets"):
        masi_distance("ab", one)
