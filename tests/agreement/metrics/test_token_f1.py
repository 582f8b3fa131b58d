from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.token_f1 import common_tokens, counted_words, token_f1

sets = st.frozensets(st.integers(0, 9))


def test_two_empty_sets_have_no_f1() -> None:
    assert token_f1(frozenset(), frozenset()) is None


def test_one_empty_set_scores_zero() -> None:
    assert token_f1(frozenset({1}), frozenset()) == 0
    assert token_f1(frozenset(), frozenset({1})) == 0


def test_a_repeated_id_lowers_the_f1_of_lists_only() -> None:
    assert token_f1([4, 4, 6], [4, 6]) == 0.8
    assert token_f1(frozenset([4, 4, 6]), frozenset([4, 6])) == 1


def test_words_count_that_are_alphanumeric() -> None:
    assert counted_words(["Fig", "1", ":", "(", "a", ")", "", "3.5", "a_b", "²", "肺"]) == {0, 1, 4, 9, 10}


def test_common_tokens_are_those_of_every_subcaption() -> None:
    assert common_tokens([{0, 1, 4}, {1, 0, 7}]) == {0, 1}


def test_every_token_of_a_single_subcaption_is_common() -> None:
    assert common_tokens([[4, 6]]) == {4, 6}


def test_an_empty_subcaption_leaves_no_token_common() -> None:
    assert common_tokens([[4, 6], [], [4, 6]]) == frozenset()
    assert common_tokens([]) == frozenset()


@given(sets.filter(bool))
def test_a_set_agrees_with_itself(tokens: frozenset[int]) -> None:
    assert token_f1(tokens, tokens) == 1


@given(sets, sets)
def test_f1_of_sets_is_symmetric_and_the_harmonic_mean(one: frozenset[int], other: frozenset[int]) -> None:
    found = token_f1(one, other)
    assert found == token_f1(other, one)
    shared = len(one & other)
    if shared:
        precision, recall = shared / len(other), shared / len(one)
        assert found == pytest.approx(2 * precision * recall / (precision + recall))
    elif one or other:
        assert found == 0
