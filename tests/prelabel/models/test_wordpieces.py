from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.caption import Caption, Span
from panelwise.domain.errors import AnnotatorError
from prelabel.taggers.encoders import INNER, learn_pieces, tiny_encoder
from prelabel.taggers.wordpieces import Framing, Pieces, align, collate, cut_pieces, windows

TEXTS = [
    "(A) Left lung of a patient. (B) Right lung.",
    "Scale bar, 5 µm. 😀 α-actin; p<.05",
    "Panels A–C: controls",
]


@pytest.fixture(scope="module")
def tokenizer() -> object:
    return tiny_encoder(TEXTS, hidden_size=8, num_attention_heads=1, intermediate_size=8).tokenizer


def texts_of(tokenizer: object, caption: Caption) -> list[str]:
    """Each token's pieces, put together again."""
    [found] = cut_pieces(tokenizer, [caption])
    return [
        tokenizer.decode(found.ids[start:stop]).replace(" ", "")
        for start, stop in zip(found.first, found.stop, strict=True)
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_a_tokens_pieces_spell_the_token(tokenizer: object, text: str) -> None:
    caption = Caption.cut(text)
    assert texts_of(tokenizer, caption) == list(caption.words)


def test_what_the_tokenizer_never_saw_is_one_unknown_piece(tokenizer: object) -> None:
    [found] = cut_pieces(tokenizer, [Caption.cut("the 肺")])
    assert found.ids[found.first[1] : found.stop[1]].tolist() == [tokenizer.unk_token_id]


@pytest.mark.parametrize("dropped", ["\u0000", "\u200b", "\ufe0f", "\u0301", "\U000e0001"])
def test_a_token_that_the_tokenizer_drops_gets_an_unknown_piece_of_its_own(
    tokenizer: object, dropped: str
) -> None:
    text = f"left {dropped} lung"
    caption = Caption(text, (Span(0, 4), Span(5, 5 + len(dropped)), Span(6 + len(dropped), len(text))))
    [found] = cut_pieces(tokenizer, [caption])
    assert (found.stop > found.first).all()
    assert texts_of(tokenizer, caption)[0::2] == ["left", "lung"]


def test_half_a_surrogate_pair_does_not_stop_it(tokenizer: object) -> None:
    caption = Caption.cut("left \ud83d lung")
    assert texts_of(tokenizer, caption)[-1] == "lung"


@given(st.lists(st.text(max_size=60), max_size=4))
def test_every_token_of_any_text_has_pieces_in_order(found_texts: list[str]) -> None:
    captions = [Caption.cut(text) for text in found_texts]
    tokenizer = SHARED.tokenizer
    for caption, found in zip(captions, cut_pieces(tokenizer, captions), strict=True):
        assert len(found.first) == len(caption.ranges)
        assert (found.first < found.stop).all()
        assert (found.stop <= len(found.ids)).all()
        assert (np.diff(found.first) >= 0).all()
        assert (np.diff(found.stop) >= 0).all()


SHARED = tiny_encoder(TEXTS, hidden_size=8, num_attention_heads=1, intermediate_size=8)


@st.composite
def cuts(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pieces and tokens of one text, cut independently of each other, some of it in neither."""
    found = []
    for _ in range(2):
        bounds = sorted(draw(st.sets(st.integers(0, 25), min_size=2, max_size=10)))
        pairs = list(pairwise(bounds))
        found.append([pair for pair in pairs if draw(st.integers(0, 4))])
    return found[0], found[1]


@given(cuts())
def test_a_token_has_the_pieces_that_overlap_it(cut: tuple[list[tuple[int, int]], list[tuple[int, int]]]) -> None:
    pieces, tokens = cut
    caption = Caption("x" * 25, tuple(Span(*token) for token in tokens))
    ids = np.arange(len(pieces))
    found = align(ids, np.array(pieces, np.int64).reshape(-1, 2), caption, -1)
    for (start, end), first, stop in zip(tokens, found.first, found.stop, strict=True):
        own = [place for place, (begin, until) in enumerate(pieces) if begin < end and until > start]
        assert found.ids[first:stop].tolist() == (own or [-1])
    assert found.ids[found.ids >= 0].tolist() == ids.tolist()


def test_pieces_that_stand_for_no_character_belong_to_no_token() -> None:
    offsets = np.array([[0, 4], [4, 4], [0, 0], [5, 9]])
    found = align(np.arange(4), offsets, Caption.cut("left lung"), -1)
    assert (found.first.tolist(), found.stop.tolist()) == ([0, 3], [1, 4])


@given(st.integers(0, 400), st.integers(1, 60))
def test_windows_keep_every_piece_once_and_in_order(count: int, room: int) -> None:
    found = windows(count, room)
    kept = [piece for window in found for piece in range(window.content, window.content_stop)]
    assert kept == list(range(count))
    assert all(window.start <= window.content <= window.content_stop <= window.stop for window in found)
    assert all(window.stop - window.start <= room for window in found)


def test_a_piece_between_two_windows_has_context_on_both_sides() -> None:
    for window in windows(2000, 510):
        assert window.content == 0 or window.content - window.start >= 100
        assert window.content_stop == 2000 or window.stop - window.content_stop >= 100


def test_a_batch_leads_each_token_to_its_own_pieces() -> None:
    framing = Framing((1,), (2,), 0, 4)
    pieces = [
        Pieces(np.array([10, 11, 12, 13, 14, 15, 16]), np.array([0, 2, 3]), np.array([2, 3, 7])),
        Pieces(np.array([20]), np.array([0]), np.array([1])),
    ]
    batch = collate(pieces, framing)
    assert batch.ids.shape[1] == 6
    assert (batch.ids[:, 0] == 1).all()
    flat = batch.ids.reshape(-1)
    found = {place: flat[batch.source[batch.owner == place]].tolist() for place in set(batch.owner.tolist())}
    assert found == {0: [10, 11], 1: [12], 2: [13, 14, 15, 16], 3: [20]}
    assert batch.lengths.tolist() == [3, 1]
    assert not batch.seen[-1, 3:].any()


def test_a_slow_tokenizer_is_refused_in_one_line() -> None:
    with pytest.raises(AnnotatorError, match="fast tokenizer"):
        cut_pieces(object(), [Caption.cut("a")])


def test_no_captions_have_no_pieces(tokenizer: object) -> None:
    assert cut_pieces(tokenizer, []) == []


def test_the_vocabulary_hangs_on_the_texts_alone_and_knows_every_character() -> None:
    found = learn_pieces(TEXTS, 200)
    assert found == learn_pieces(list(TEXTS), 200)
    assert len(set(found)) == len(found)
    assert {sign for text in TEXTS for sign in text if not sign.isspace()} <= set(found)
    assert "lung" in found
    assert INNER + "ng" in found


def test_the_vocabulary_is_no_larger_than_asked() -> None:
    words = [f"w{number:03d} w{number:03d}" for number in range(300)]
    assert len(learn_pieces(words, 120)) <= 120
