from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.caption import Caption, Span
from panelwise.files.seen_ids import Seen


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
