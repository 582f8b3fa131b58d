from __future__ import annotations

import json
import sys

import pytest
from builders import captions
from hypothesis import given
from hypothesis import strategies as st

from annotator.store.rows import tokenize_many
from annotator.store.rows.tokenize_many import token_texts
from panelwise.domain.caption import Caption, Span
from panelwise.files.seen_ids import Seen


def one_by_one(texts: list[str]) -> list[str]:
    return [
        json.dumps([[span.start, span.end] for span in Caption.cut(text).tokens], separators=(",", ":"))
        for text in texts
    ]


@given(st.lists(captions | st.text(max_size=30), max_size=12))
def test_cutting_many_is_cutting_each(texts: list[str]) -> None:
    assert token_texts(texts) == one_by_one(texts)


@pytest.mark.slow
def test_every_code_point_is_what_the_tokenizer_takes_it_for() -> None:
    text = "".join(chr(code) + " " for code in range(sys.maxunicode + 1) if code % 7 == 0 or code < 0x3000)
    assert token_texts([text]) == one_by_one([text])


@pytest.mark.parametrize("longest", [5, 100])
def test_texts_of_any_length_are_cut(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenize_many, "_LONGEST", longest)
    texts = ["", "a b (c)", "x" * 150 + " y", " ", "ä.ö" * 40]
    assert token_texts(texts) == one_by_one(texts)


def test_a_caption_is_cut_when_somebody_asks() -> None:
    caption = Caption.cut("a (b)")
    assert caption.uncut
    assert caption == Caption.cut("a (b)")
    assert caption.uncut
    assert caption == Caption("a (b)", (Span(0, 1), Span(2, 3), Span(3, 4), Span(4, 5)))
    assert not caption.uncut


@given(st.lists(st.text(max_size=4), max_size=200))
def test_an_id_is_seen_once_and_its_place_told_afterwards(names: list[str]) -> None:
    seen, first = Seen(), {}
    for line, name in enumerate(names, start=1):
        where = f"a:b.jsonl:{line}" if line % 5 else f"a:b.jsonl[{line}]"
        assert seen.earlier(name, where) == first.get(name)
        first.setdefault(name, where)


def test_many_ids_are_remembered_with_their_lines() -> None:
    seen = Seen()
    for line in range(5000):
        assert seen.earlier(f"figure {line}", f"f.jsonl:{line}") is None
    assert all(seen.earlier(f"figure {line}", "f.jsonl:0") == f"f.jsonl:{line}" for line in range(5000))
