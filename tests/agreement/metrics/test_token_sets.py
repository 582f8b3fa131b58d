from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.primitives import token_sets
from agreement.primitives.token_sets import WORD, TokenPlaces, TokenSets, below, starts_of, sums

flags = st.lists(st.lists(st.booleans(), max_size=140), min_size=1, max_size=4)


def numbers(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def places_of(captions: list[list[bool]]) -> TokenPlaces:
    every = np.array([flag for each in captions for flag in each], dtype=np.bool_)
    return TokenPlaces.of(every, starts_of(numbers([len(each) for each in captions])))


def members(sets: TokenSets, number: int) -> set[int]:
    words = sets.words[sets.starts[number] : sets.starts[number + 1]].tolist()
    return {WORD * place + bit for place, word in enumerate(words) for bit in range(WORD) if word >> bit & 1}


@given(flags)
def test_the_tokens_that_count_have_the_first_places_and_all_keep_their_order(captions: list[list[bool]]) -> None:
    places = places_of(captions)
    for number, own in enumerate(captions):
        found = places.places(numbers([number] * len(own)), np.arange(len(own))).tolist()
        order = sorted(range(len(own)), key=lambda token: (not own[token], token))
        assert [found[token] for token in order] == list(range(len(own)))
    assert places.counted.tolist() == [sum(own) for own in captions]
    assert places.widths.tolist() == [-(-len(own) // WORD) for own in captions]


@given(flags, st.data())
def test_sets_made_of_lists_and_of_ranges_hold_what_was_given(
    captions: list[list[bool]], data: st.DataObject
) -> None:
    places = places_of(captions)
    whose = data.draw(st.lists(st.integers(0, len(captions) - 1), max_size=5))
    ranges = [
        data.draw(st.lists(st.tuples(*[st.integers(0, len(captions[each]))] * 2).map(sorted), max_size=3))
        for each in whose
    ]
    lists = [[token for first, last in own for token in range(first, last)] for own in ranges]
    by_list = places.sets_of_lists(
        numbers(whose), numbers([t for own in lists for t in own]), starts_of(numbers([len(own) for own in lists]))
    )
    owners = [(n, *each) for n, own in enumerate(ranges) for each in own]
    data.draw(st.randoms()).shuffle(owners)
    owner, first, last = numbers(owners).reshape(-1, 3).T
    by_range = places.sets_of_ranges(numbers(whose), owner, first, last)
    for number, own in enumerate(lists):
        tokens = sorted(set(own))
        expected = set(places.places(numbers([whose[number]] * len(tokens)), numbers(tokens)).tolist())
        assert members(by_list, number) == members(by_range, number) == expected
    assert by_list.sizes().tolist() == [len(set(own)) for own in lists]
    assert by_list.widths.tolist() == [-(-len(captions[each]) // WORD) for each in whose]
    chosen = by_list.take(np.arange(len(whose))[::-1])
    assert [members(chosen, n) for n in range(len(whose))] == [members(by_list, n) for n in range(len(whose))][
        ::-1
    ]
    some = by_list.part(len(whose) // 2, len(whose))
    assert [members(some, n) for n in range(len(some))] == [
        members(by_list, n) for n in range(len(whose) // 2, len(whose))
    ]


def test_sets_that_are_laid_out_part_by_part_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    places = places_of([[True] * 200, [], [False] * 65])
    given_ = numbers([0, 1, 0, 2]), numbers([0, 199, 5, 64, 3]), starts_of(numbers([2, 0, 1, 2]))
    whole = places.sets_of_lists(*given_)
    monkeypatch.setattr(token_sets, "BITS_AT_ONCE", WORD)
    parts = places.sets_of_lists(*given_)
    assert parts.words.tolist() == whole.words.tolist()
    assert [members(parts, n) for n in range(4)] == [{0, 199}, set(), {5}, {3, 64}]


def test_the_lowest_bits_of_a_word_are_none_to_all() -> None:
    expected = [0, 0, 1, 3, 2**63 - 1, 2**64 - 1, 2**64 - 1]
    assert below(numbers([-5, 0, 1, 2, 63, 64, 99])).tolist() == expected


def test_sums_of_rows_may_be_of_none() -> None:
    assert sums(numbers([1, 2, 3]), numbers([0, 0, 2, 2, 3])).tolist() == [0, 3, 0, 3]
