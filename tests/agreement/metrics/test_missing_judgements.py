"""A judgement that was not made is no category, in any coefficient and however it is written."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.chance.categories import category_score
from agreement.chance.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    is_missing,
    kappa_of_table,
    krippendorff_alpha,
    masi_distance,
    observed_agreement,
    observed_of_table,
    weighted_kappa,
)
from agreement.chance.dawid_skene import reliabilities
from agreement.questions.judgements import count_score, judgement_score, pair_kappa, tag_scores

MISSING: list[Any] = [None, float("nan"), np.float64("nan"), np.datetime64("NaT"), np.ma.masked, Decimal("nan")]
MISSING += ["", "  "]
missing = st.sampled_from(MISSING)
units = st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6)
judges = st.dictionaries(st.sampled_from(["ann", "ben", "cem", "dia"]), st.sampled_from("ab"))
work = st.dictionaries(st.integers(0, 6), judges, max_size=6)
of_many: list[Callable[[Any], float | None]] = [fleiss_kappa, gwet_ac1, krippendorff_alpha]


@pytest.mark.parametrize("mark", MISSING, ids=repr)
def test_each_mark_of_a_missing_judgement_is_known(mark: object) -> None:
    assert is_missing(mark)


@pytest.mark.parametrize("judgement", [0, False, "0", "None", frozenset(), 0.0, np.int64(0)], ids=repr)
def test_what_only_looks_empty_is_a_judgement(judgement: object) -> None:
    assert not is_missing(judgement)


def test_the_marks_of_pandas_are_known() -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas.array([1, None], dtype="Int64")
    assert is_missing(column[1])
    assert is_missing(pandas.NaT)
    assert fleiss_kappa([(1, 1, pandas.NA), (2, 2, pandas.NaT), (1, 2, 1)]) == fleiss_kappa(
        [(1, 1), (2, 2), (1, 2, 1)]
    )


def test_the_masked_entries_of_an_array_are_left_out() -> None:
    table = np.ma.masked_equal([[1, 1, 0], [1, 1, 1], [2, 0, 2]], 0)
    assert [coefficient(table) for coefficient in of_many] == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("coefficient", of_many)
@given(judged=units, places=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), missing), max_size=8))
def test_missing_judgements_change_no_coefficient(
    coefficient: Callable[[Any], float | None], judged: list[list[str]], places: list[tuple[int, int, Any]]
) -> None:
    filled: list[list[Any]] = [list(unit) for unit in judged]
    for unit, place, mark in places:
        if unit < len(filled):
            filled[unit].insert(place, mark)
    assert coefficient(filled) == coefficient(judged)


@pytest.mark.parametrize("coefficient", of_many)
@given(judged=units, lone=st.lists(st.one_of(missing, st.just("d")), max_size=4))
def test_a_unit_that_fewer_than_two_judged_changes_no_coefficient(
    coefficient: Callable[[Any], float | None], judged: list[list[str]], lone: list[Any]
) -> None:
    one = [mark for mark in lone if mark != "d"] + ["d"] * ("d" in lone)
    assert coefficient([*judged, one]) == coefficient(judged)


@given(judged=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2))), mark=missing)
def test_items_that_one_of_two_left_out_change_no_coefficient(judged: list[tuple[int, int]], mark: Any) -> None:
    one: list[Any] = [first for first, _ in judged]
    other: list[Any] = [second for _, second in judged]
    with_missing = ([mark, *one, 1, mark], [2, *other, mark, mark])
    for coefficient in (observed_agreement, cohen_kappa, weighted_kappa):
        assert coefficient(*with_missing) == coefficient(one, other)


def test_two_judges_who_never_judged_the_same_item_have_no_agreement() -> None:
    for coefficient in (observed_agreement, cohen_kappa, weighted_kappa):
        assert coefficient([1, None], [None, 2]) is None


def test_a_table_of_two_judges_is_read_without_what_one_left_out() -> None:
    table = {("a", "a"): 2, ("a", "b"): 1, ("b", "b"): 1}
    filled = {**table, ("a", None): 5, (None, None): 7}
    assert observed_of_table(filled) == observed_of_table(table) == 0.75
    assert kappa_of_table(filled) == kappa_of_table(table)
    assert pair_kappa(("ann", "ben"), filled) == pair_kappa(("ann", "ben"), table)
    assert pair_kappa(("ann", "ben"), {(None, "a"): 1}).reason == "no figure in common"


def test_a_missing_category_is_none_of_gwet_s_categories() -> None:
    judged = [("a", "a"), ("a", "b")]
    assert gwet_ac1(judged, ["a", "b", None, float("nan")]) == gwet_ac1(judged, ["a", "b"])


def test_missing_sets_are_left_out_and_empty_ones_count() -> None:
    one = frozenset({1})
    assert krippendorff_alpha([(one, one, None), (frozenset(), frozenset())], masi_distance) == 1.0


def test_units_that_are_alike_without_their_missing_judgements_are_added() -> None:
    score = category_score(
        "status", {("a", "a", None): 2, ("a", "a"): 3, ("b", "b"): 1, (None, "a"): 4}, ("a", "b")
    )
    assert (score.units, score.observed, score.fleiss, score.reason) == (6, 1.0, 1.0, "")
    nothing = category_score("status", {("a", None): 4}, ("a", "b"))
    assert (nothing.observed, nothing.fleiss, nothing.ac1, nothing.alpha) == (None,) * 4
    assert nothing.reason == "nothing that two judged"


@given(work, st.lists(st.tuples(st.integers(0, 6), missing), max_size=4))
def test_missing_judgements_change_neither_kappas_nor_reliabilities(
    judged: dict[int, dict[str, str]], marks: list[tuple[int, Any]]
) -> None:
    filled: dict[int, dict[str, Any]] = {unit: dict(own) for unit, own in judged.items()}
    for unit, mark in marks:
        filled.setdefault(unit, {})["eve"] = mark
    assert judgement_score("verdicts", filled, "ab") == judgement_score("verdicts", judged, "ab")
    assert reliabilities(filled) == reliabilities(judged)


def test_missing_counts_and_tags_are_left_out() -> None:
    counts: dict[str, dict[str, Any]] = {
        "f1": {"ann": 2, "ben": 3, "cem": None},
        "f2": {"ann": 1, "ben": float("nan")},
    }
    assert count_score(counts) == count_score({"f1": {"ann": 2, "ben": 3}})
    bar = frozenset({"bar"})
    tags: dict[str, dict[str, Any]] = {
        "f1": {"ann": bar, "ben": bar, "cem": None},
        "f2": {"ann": bar, "ben": None},
    }
    assert tag_scores(tags) == tag_scores({"f1": {"ann": bar, "ben": bar}, "f2": {"ann": bar}})


def test_fleiss_of_unequal_numbers_of_judges_is_the_generalised_one() -> None:
    # By hand: agreeing pairs 1/3, 1, 0; shares of "a" 2/3, 1, 1/2, of "b" 1/3, 0, 1/2.
    observed = (1 / 3 + 1 + 0) / 3
    of_a, of_b = (2 / 3 + 1 + 1 / 2) / 3, (1 / 3 + 0 + 1 / 2) / 3
    expected = of_a**2 + of_b**2
    judged = [("a", "a", "b"), ("a", "a", None), ("a", "b"), ("b", None, None)]
    assert fleiss_kappa(judged) == pytest.approx((observed - expected) / (1 - expected))
