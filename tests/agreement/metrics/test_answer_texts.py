from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.questions.answer_texts import equal_answers, exact_match, rouge_1, rouge_l, words
from panelwise.domain.items import QAKind

texts = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(["the", "red", "line", "0.94", "-", "A,B", "λ", "Red", "\n"]), max_size=8).map(
        " ".join
    ),
)


def longest_shared(ours: list[str], theirs: list[str]) -> int:
    """The longest common row of words, by the textbook's table."""
    table = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for row, one in enumerate(ours):
        for column, other in enumerate(theirs):
            diagonal = table[row][column] + 1
            table[row + 1][column + 1] = (
                diagonal if one == other else max(table[row][column + 1], table[row + 1][column])
            )
    return table[-1][-1]


def f1(shared: int, ours: int, theirs: int) -> float:
    if not shared:
        return 0.0
    precision, recall = shared / theirs, shared / ours
    return 2 * precision * recall / (precision + recall)


@given(texts, texts)
def test_rouge_equals_the_plain_loops(gold: str, answer: str) -> None:
    ours, theirs = words(gold), words(answer)
    shared = sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
    assert rouge_1(gold, answer) == pytest.approx(f1(shared, len(ours), len(theirs)))
    assert rouge_l(gold, answer) == pytest.approx(f1(longest_shared(ours, theirs), len(ours), len(theirs)))


@given(texts, texts)
def test_rouge_is_symmetric_and_one_of_a_text_with_itself(one: str, other: str) -> None:
    for score in (rouge_1, rouge_l):
        assert score(one, other) == score(other, one)
        assert 0 <= score(one, other) <= 1
        assert score(one, one) == (1 if words(one) else 0)
    assert rouge_l(one, other) <= rouge_1(one, other)


def test_the_order_of_words_counts_for_rouge_l_only() -> None:
    assert rouge_1("red and blue", "blue and red") == 1
    assert rouge_l("red and blue", "blue and red") == pytest.approx(1 / 3)


def test_a_word_counts_as_often_as_both_have_it() -> None:
    assert Counter(words("b b a")) == {"b": 2, "a": 1}
    assert rouge_1("b b a", "b") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("Yes", " yes"),
        ("Cosine  Similarity", "cosine similarity"),
        ("ﬁve", "five"),
        ("Straße", "STRASSE"),
        ("", " "),
    ],
)
def test_case_blanks_and_signs_of_one_letter_are_aside(gold: str, answer: str) -> None:
    assert exact_match(gold, answer)
    assert equal_answers(gold, answer)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("-1.0", "−1"),
        ("1,000", "1000"),
        ("12", "12.00"),
        ("Approximately 67", "about 67"),
        ("~3", "3"),
        ("The left one.", "left one"),
        ("0.50", ".5"),
    ],
)
def test_the_same_in_other_signs_is_equal_and_no_exact_match(gold: str, answer: str) -> None:
    assert not exact_match(gold, answer)
    assert equal_answers(gold, answer)
    assert equal_answers(answer, gold)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [("4", "5"), ("-1", "1"), ("10 ms", "10"), ("left", "right"), ("infinity", "inf"), ("nan", "NaN2"), ("1", "")],
)
def test_other_values_are_not_equal(gold: str, answer: str) -> None:
    assert not equal_answers(gold, answer)


def test_letters_are_a_set_where_there_are_options() -> None:
    kind = QAKind.CHOICE_NON_VISUAL
    assert equal_answers("A,C", "c and a", kind)
    assert equal_answers("A;B", "B A.", kind)
    assert not equal_answers("A,C", "A", kind)
    assert not equal_answers("A,C", "C, A", QAKind.INFINITE_VISUAL)


@given(texts, texts)
def test_equality_is_symmetric_and_holds_for_oneself(one: str, other: str) -> None:
    assert equal_answers(one, one)
    assert equal_answers(one, other) == equal_answers(other, one)


@pytest.mark.parametrize("measure", [exact_match, equal_answers, rouge_1, rouge_l])
@pytest.mark.parametrize("pair", [(None, "4"), ("4", None), (None, None), (float("nan"), "4"), ("4", 4)])
def test_what_is_no_text_has_no_similarity_and_is_named(measure: Callable[..., object], pair: Any) -> None:
    with pytest.raises(TypeError, match=r"an answer is (None|nan|4), not a text; leave it out"):
        measure(*pair)
