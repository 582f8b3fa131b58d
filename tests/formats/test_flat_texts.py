"""White space of articles' texts is collapsed, and the places of their parts move with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from panelwise.formats.articles.flat import collapsed, split_marks
from panelwise.formats.articles.unread import without_unread


@given(st.lists(st.text("ab \n\t\xa0\u2009\x81", max_size=5), max_size=8))
def test_each_piece_of_a_collapsed_text_is_found_at_its_place(pieces: list[str]) -> None:
    text, places = collapsed(pieces, [[number, number, number + 1] for number in range(len(pieces))])
    plain = [each.replace("\x81", "") for each in pieces]
    assert text == " ".join("".join(plain).split())
    for number, start, end in places:
        assert text[start:end] == " ".join(plain[number].split())


@given(st.text("a0\x81\x8d\x8f", max_size=12))
def test_marks_of_the_file_itself_lose_no_letter(text: str) -> None:
    pieces, _ = split_marks(text, 0)
    assert [each for each in "".join(pieces) if each == "a"] == [each for each in text if each == "a"]


@given(st.lists(st.sampled_from([b"<ref-list>", b"</ref-list>", b"<fig/>", b"x", b"</body>"]), max_size=9))
def test_what_is_left_out_is_whole(parts: list[bytes]) -> None:
    data = b"".join(parts)
    left = without_unread(data)
    assert data.count(b"<ref-list>") - left.count(b"<ref-list>") == (
        data.count(b"</ref-list>") - left.count(b"</ref-list>")
    )
    assert left.count(b"</body>") == data.count(b"</body>")
