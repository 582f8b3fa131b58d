from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agreement.columns.figure_names import FigureNames, together

SOME = st.lists(st.sampled_from("abcdef"), max_size=6)


def of(names: list[str], table: str = "") -> FigureNames:
    """The names, in a table that may hold others too."""
    whole = FigureNames.of([*names, *table])
    return whole.take(np.flatnonzero(whole.among(names)))


@given(SOME, st.sampled_from(["", "az"]))
def test_names_are_those_given_in_order_each_once(names: list[str], table: str) -> None:
    found = of(names, table)
    expected = tuple(sorted(set(names)))
    assert found == expected
    assert hash(found) == hash(expected)
    assert repr(found) == repr(expected)
    assert len(found) == len(expected)
    assert [found[place] for place in range(len(found))] == list(expected)
    assert found[1:] == expected[1:]


def test_names_equal_the_same_names_and_nothing_else() -> None:
    table = FigureNames.of("abc")
    two = table.take(np.array([0, 1]))
    assert two == table.take(np.array([0, 1]))
    assert two == FigureNames.of("ab")
    assert two == ["a", "b"]
    assert two != table
    assert two != ("a", "c")
    assert two != "ab"
    assert two != {"a", "b"}


@given(st.lists(SOME, max_size=4), st.booleans())
def test_together_they_are_all_that_occur_and_where_each_stands(every: list[list[str]], shared: bool) -> None:
    names = [of(each, "abcdef" if shared else "") for each in every]
    if shared and names:
        names = [FigureNames(names[0].table, each.numbers) for each in names]
    whole, places = together(names)
    assert whole == tuple(sorted(set().union(*every)))
    for own, stands in zip(names, places, strict=True):
        assert whole.take(stands) == own
