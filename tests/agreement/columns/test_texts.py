"""Many captions at once give what each gives by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives.token_sets import starts_of
from agreement.reading.texts import Characters, tokens_under, well_ordered
from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import InvalidAnnotation

CHARACTERS = "ab_1 .,(é肺😀\u0301²٣\n\x1f\u2028\u00ad"
texts = st.lists(st.text(st.sampled_from(CHARACTERS), max_size=20) | st.text(max_size=9), min_size=1, max_size=4)


@given(texts)
def test_tokens_are_cut_and_counted_as_captions_do(given_texts: list[str]) -> None:
    captions = [Caption.cut(text) for text in given_texts]
    characters = Characters(given_texts)
    cuts = [characters.cut(place) for place in range(len(given_texts))]
    assert [tuple(map(tuple, cut.tolist())) for cut in cuts] == [caption.ranges for caption in captions]
    starts = starts_of(np.array([len(cut) for cut in cuts], dtype=np.int64))
    of_token = np.repeat(np.arange(len(cuts)), np.diff(starts))
    counting = characters.counting(of_token, np.concatenate(cuts))
    for place, caption in enumerate(captions):
        assert frozenset(np.flatnonzero(counting[starts[place] : starts[place + 1]]).tolist()) == caption.counted


@given(
    st.lists(
        st.tuples(
            st.integers(0, 12),
            st.lists(st.tuples(st.integers(-1, 13), st.integers(-1, 13)), max_size=4),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_tokens_are_well_ordered_where_a_caption_takes_them(
    cases: list[tuple[int, list[tuple[int, int]]]],
) -> None:
    bounds = np.array([pair for _, pairs in cases for pair in pairs], dtype=np.int64).reshape(-1, 2)
    starts = starts_of(np.array([len(pairs) for _, pairs in cases], dtype=np.int64))
    found = well_ordered(bounds, starts, np.array([length for length, _ in cases], dtype=np.int64))
    for (length, pairs), fine in zip(cases, found.tolist(), strict=True):
        try:
            Caption.of_ranges("x" * length, tuple(pairs))
        except InvalidAnnotation:
            assert not fine
        else:
            assert fine


@given(texts, st.data())
def test_spans_cover_the_tokens_that_a_caption_says(given_texts: list[str], data: st.DataObject) -> None:
    captions = [Caption.cut(text) for text in given_texts]
    panels = data.draw(st.lists(st.integers(0, len(captions) - 1), min_size=1, max_size=5))
    spans: list[tuple[int, int]] = []
    owners: list[int] = []
    for panel, caption in enumerate(panels):
        length = len(given_texts[caption])
        for _ in range(data.draw(st.integers(0, 3)) if length else 0):
            start = data.draw(st.integers(0, length - 1))
            spans.append((start, data.draw(st.integers(start + 1, length))))
            owners.append(panel)
    bounds = np.array([pair for caption in captions for pair in caption.ranges], dtype=np.int64).reshape(-1, 2)
    starts = starts_of(np.array([len(caption.ranges) for caption in captions], dtype=np.int64))
    found: list[set[int]] = [set() for _ in panels]
    for owner, first, last in zip(
        *tokens_under(
            np.array(spans, dtype=np.int64).reshape(-1, 2),
            np.array(owners, dtype=np.int64),
            np.array(panels, dtype=np.int64),
            bounds,
            starts,
            np.array(list(map(len, given_texts)), dtype=np.int64),
        ),
        strict=True,
    ):
        found[owner] |= set(range(first, last))
    for panel, caption in enumerate(panels):
        own = [Span(*span) for span, owner in zip(spans, owners, strict=True) if owner == panel]
        assert found[panel] == captions[caption].tokens_in(own)
