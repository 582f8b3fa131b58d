from __future__ import annotations

import pytest
from builders import captions
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import InvalidAnnotation


def test_a_token_is_a_run_of_word_characters_or_one_other_character() -> None:
    assert Caption.cut("Fig 1: (a) left-lung 😀").words == (
        "Fig",
        "1",
        ":",
        "(",
        "a",
        ")",
        "left",
        "-",
        "lung",
        "😀",
    )


def test_an_empty_caption_has_no_tokens() -> None:
    assert Caption.cut("").tokens == ()


@given(captions)
def test_tokens_leave_out_nothing_but_white_space(text: str) -> None:
    assert "".join(text[t.start : t.end] for t in Caption.cut(text).tokens) == "".join(text.split())


@given(captions, st.data())
def test_token_ids_survive_the_way_through_spans(text: str, data: st.DataObject) -> None:
    caption = Caption.cut(text)
    ids = data.draw(st.frozensets(st.integers(0, len(caption.tokens) - 1))) if caption.tokens else frozenset()
    spans = caption.spans_of(ids)
    assert caption.tokens_in(spans) == ids
    assert list(spans) == sorted(spans)


def test_consecutive_tokens_make_one_span_and_a_gap_makes_two() -> None:
    caption = Caption.cut("one two three four")
    assert caption.spans_of({0, 1, 3}) == (Span(0, 7), Span(14, 18))
    assert caption.text_of({0, 1, 3}) == "one two four"
    assert caption.text_of(()) == ""


@pytest.mark.parametrize(("span", "taken"), [((0, 2), {0}), ((0, 1), set()), ((2, 4), {0}), ((3, 4), set())])
def test_a_cut_token_counts_from_half_of_it_on(span: tuple[int, int], taken: set[int]) -> None:
    assert Caption.cut("four").tokens_in([Span(*span)]) == taken


def test_two_spans_together_may_cover_half_a_token() -> None:
    assert Caption.cut("four").tokens_in([Span(0, 1), Span(3, 4)]) == {0}


def test_only_alphanumeric_tokens_are_counted() -> None:
    assert Caption.cut("(A) a_b 3 肺").counted == {1, 4, 5}


@pytest.mark.parametrize(
    ("tokens", "complaint"),
    [
        ([(0, 9)], "beyond the caption's 4"),
        ([(0, 2), (1, 3)], "before token 0 ends"),
        ([(2, 3), (0, 1)], "in order"),
    ],
)
def test_tokens_that_do_not_fit_the_text_are_refused(tokens: list[tuple[int, int]], complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        Caption("four", tuple(Span(*token) for token in tokens))


def test_a_span_beyond_the_caption_is_refused() -> None:
    with pytest.raises(InvalidAnnotation, match="beyond the caption's 4 characters"):
        Caption.cut("four").tokens_in([Span(2, 5)])


@pytest.mark.parametrize("token", [-1, 1])
def test_an_unknown_token_has_no_span(token: int) -> None:
    with pytest.raises(InvalidAnnotation, match="does not exist"):
        Caption.cut("four").spans_of([token])


@pytest.mark.parametrize("ends", [(3, 3), (4, 3), (-1, 2)])
def test_empty_and_inverted_spans_are_refused(ends: tuple[int, int]) -> None:
    with pytest.raises(InvalidAnnotation, match="empty or inverted"):
        Span(*ends)


def test_a_caption_has_what_it_has_and_is_no_text() -> None:
    caption = Caption.cut("left lung")
    assert not hasattr(caption, "labels")
    assert caption != "left lung"
    assert caption == Caption("left lung", caption.tokens)


def test_checked_ranges_are_looked_at_from_their_ends_only() -> None:
    assert Caption.of_ranges("left lung", ((0, 4), (5, 9)), checked=True).words == ("left", "lung")
    for ranges in (((0, 4), (5, 10)), ((-1, 4), (5, 9))):
        with pytest.raises(InvalidAnnotation):
            Caption.of_ranges("left lung", ranges, checked=True)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=6), st.data())
def test_tokens_in_are_those_of_which_half_the_characters_are_covered(
    gaps: list[tuple[int, int]], data: st.DataObject
) -> None:
    ranges, at = [], 0
    for gap, length in gaps:
        ranges.append((at + gap, at + gap + length))
        at += gap + length
    caption = Caption.of_ranges("x" * (at + 1), tuple(ranges))
    ends = st.integers(0, at + 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends).filter(lambda pair: pair[0] < pair[1]), max_size=4))
    covered = {place for start, end in pairs for place in range(start, end)}
    expected = {
        token
        for token, (start, end) in enumerate(ranges)
        if 2 * len(covered.intersection(range(start, end))) >= end - start
    }
    assert caption.tokens_in([Span(*pair) for pair in pairs]) == expected


def test_a_token_is_listed_for_every_span_that_covers_it_and_once_if_only_several_together_do() -> None:
    caption = Caption.cut("four left")
    assert caption.listed_in([Span(0, 4), Span(0, 9)]) == (0, 1)
    assert caption.listed_in([Span(0, 4), Span(0, 9), Span(0, 4)]) == (0, 0, 1)
    assert caption.listed_in([Span(0, 1), Span(3, 4)]) == (0,)
    assert caption.listed_in([]) == ()
