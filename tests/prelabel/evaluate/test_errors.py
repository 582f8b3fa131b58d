from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.token_f1 import token_f1
from prelabel.evaluation.paper_table.table import WRONG_BELOW, Category, Errors, WrongSubcaption, categories

OWN, OTHER = {2, 3, 4, 5}, {6, 7, 8}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, {Category.NO_BOX}),
        (set(), {Category.EMPTY}),
        (OTHER, {Category.OTHER_PANEL}),
        ({4, 6, 7, 8}, {Category.OTHER_PANEL, Category.MISSING}),
        ({4}, {Category.MISSING}),
        ({4, 10, 11, 12}, {Category.SURPLUS, Category.MISSING}),
        ({10, 11}, {Category.SURPLUS}),
        (OWN | {6, 7, 8, 10, 11, 12, 13, 14, 15}, {Category.SURPLUS}),
    ],
)
def test_what_is_wrong_is_told_by_the_words(found: set[int] | None, expected: set[Category]) -> None:
    assert categories(OWN, found, [OTHER]) == expected


def test_the_gold_may_be_at_fault_where_another_annotator_agrees_with_the_model() -> None:
    assert Category.ANNOTATION in categories(OWN, OTHER, [], [{6, 7}])
    assert Category.ANNOTATION not in categories(OWN, OTHER, [], [OWN])
    assert categories(OWN, set(), [], [set()]) == {Category.EMPTY, Category.ANNOTATION}


tokens = st.frozensets(st.integers(0, 11), max_size=8)


@given(tokens.filter(bool), tokens, st.lists(tokens, max_size=3))
def test_every_wrong_subcaption_has_a_reason_and_at_most_one_of_the_exclusive_ones(
    own: frozenset[int], found: frozenset[int], others: list[frozenset[int]]
) -> None:
    score = token_f1(own, found)
    assert score is not None
    if score >= WRONG_BELOW:
        return
    told = categories(own, found, others)
    assert told
    assert not {Category.OTHER_PANEL, Category.SURPLUS} <= told
    assert (Category.EMPTY in told) == (not found)


def wrong(*told: Category, judged: bool = False) -> WrongSubcaption:
    return WrongSubcaption("f1", "A", 0.2, frozenset(told), judged)


def test_shares_are_of_the_wrong_ones_and_of_those_that_others_drew_where_they_judge() -> None:
    errors = Errors((wrong(Category.EMPTY), wrong(Category.MISSING, Category.ANNOTATION, judged=True)), 9)
    assert errors.share(Category.EMPTY) == 0.5
    assert errors.share(Category.ANNOTATION) == 1.0
    assert (errors.judged, errors.number(Category.ANNOTATION)) == (1, 1)


def test_where_nobody_else_drew_the_boxes_or_nothing_is_wrong_there_is_no_share() -> None:
    assert Errors((wrong(Category.EMPTY),), 9).share(Category.ANNOTATION) is None
    assert Errors((wrong(Category.EMPTY),), 9).number(Category.ANNOTATION) is None
    assert Errors((), 9).share(Category.EMPTY) is None
