"""White space of articles' texts is collapsed, and the places of their parts move with it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from panelwise.formats.articles.flat import collapsed, with_spaces, without_marks
from panelwise.formats.articles.sentences import sentences_at
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
    left, _ = without_marks(text, 0)
    assert left.count("a") == text.count("a")


@given(st.lists(st.text("ab \n\t\xa0\u2009\x80", max_size=5), max_size=5))
def test_texts_collapsed_together_are_as_if_each_were_alone(texts: list[str]) -> None:
    assert [each.strip(" ") for each in with_spaces(texts)] == [" ".join(each.split()) for each in texts]


@given(st.lists(st.text("ab .", max_size=4), min_size=3, max_size=7))
def test_marked_parts_are_found_at_their_places(pieces: list[str]) -> None:
    marked = "".join(
        f"\x81{number // 2}\x8d{each}\x8f" if number % 2 else each for number, each in enumerate(pieces)
    )
    text, places = without_marks(with_spaces([marked])[0], len(pieces) // 2)
    assert text == " ".join("".join(pieces).split())
    assert [text[start:end] for _, start, end in places] == [" ".join(each.split()) for each in pieces[1::2]]


@given(
    st.lists(st.sampled_from(["Ab", " fig.", " 2.", ". ", '." ', "? A", " b", ".1 C", " (x)"]), max_size=30),
    st.data(),
)
def test_sentences_do_not_depend_on_the_places_asked_for(parts: list[str], data: st.DataObject) -> None:
    text = " ".join("".join(parts).split())
    place = data.draw(st.integers(0, len(text)))
    all_of_them = sentences_at(text, range(len(text) + 1))
    assert sentences_at(text, [place]) == [all_of_them[place]]
    assert place == len(text) or text[place] in (*all_of_them[place], " ")


def test_abbreviations_end_no_sentence_behind_a_dash_or_bracket() -> None:
    text = "As C. sect. Douglasia (Fig. 2) and the Supporting Information—Fig. S1 show. Then"
    assert sentences_at(text, [text.index("2")]) == [text.removesuffix(" Then")]


@given(st.lists(st.sampled_from([b"<ref-list>", b"</ref-list>", b"<fig/>", b"x", b"</body>"]), max_size=9))
def test_what_is_left_out_is_whole(parts: list[bytes]) -> None:
    data = b"".join(parts)
    left = without_unread(data)
    assert data.count(b"<ref-list>") - left.count(b"<ref-list>") == (
        data.count(b"</ref-list>") - left.count(b"</ref-list>")
    )
    assert left.count(b"</body>") == data.count(b"</body>")
