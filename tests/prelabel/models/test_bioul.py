from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prelabel.taggers.spans import MAY_BEGIN, MAY_END, MAY_FOLLOW, TAGS, runs, spans_of, tags_of, tokens_of

token_sets = st.frozensets(st.integers(0, 30))


@st.composite
def spans_that_do_not_overlap(draw: st.DrawFn) -> list[tuple[int, int]]:
    cuts = draw(st.lists(st.integers(0, 30), unique=True).map(sorted))
    pairs = list(pairwise(cuts))
    return [pair for pair in pairs if draw(st.booleans())]


@given(token_sets)
def test_runs_hold_the_tokens_and_never_touch(tokens: frozenset[int]) -> None:
    found = runs(tokens)
    assert frozenset(token for start, stop in found for token in range(start, stop)) == tokens
    assert all(stop < start for (_, stop), (start, _) in pairwise(found))


@given(spans_that_do_not_overlap())
def test_spans_come_back_from_their_tags_even_where_they_touch(spans: list[tuple[int, int]]) -> None:
    assert spans_of(tags_of(spans, 31)) == spans


@given(token_sets)
def test_tokens_come_back_from_the_tags_of_their_runs(tokens: frozenset[int]) -> None:
    assert tokens_of(tags_of(runs(tokens), 31)) == tokens


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_the_rules_let_through_exactly_the_tags_of_spans(length: int) -> None:
    """The sequences that the rules allow, by brute force, are those that `tags_of` can write."""
    allowed = {
        tags
        for tags in product(range(TAGS), repeat=length)
        if MAY_BEGIN[tags[0]]
        and MAY_END[tags[-1]]
        and all(MAY_FOLLOW[one, other] for one, other in pairwise(tags))
    }
    written = set()
    for ends in product([0, 1, 2], repeat=length):
        # 0: outside; 1: a span begins here or goes on; 2: the next token begins another.
        spans, start = [], None
        for place, kind in enumerate(ends):
            if kind == 0:
                start = None
                continue
            if start is None:
                start = place
                spans.append((start, place + 1))
            else:
                spans[-1] = (start, place + 1)
            if kind == 2:
                start = None
        written.add(tuple(tags_of(spans, length)))
    assert allowed == written


@pytest.mark.parametrize("spans", [[(0, 0)], [(2, 1)], [(-1, 1)], [(3, 5)], [(0, 2), (1, 3)]])
def test_spans_that_cannot_be_are_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"span \["):
        tags_of(spans, 4)
