"""Full-width characters, and panel letters of other scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.letter_forms import in_latin, letters_between, plain_width, with_latin_letters


@given(st.text())
def test_texts_keep_their_length(text: str) -> None:
    assert len(plain_width(text)) == len(text) == len(with_latin_letters(text)[0])


def test_full_width_characters_become_plain_ones() -> None:
    assert plain_width("（ａ）Ｆｉｇ．１、【Ｂ】") == "(a)Fig.1,[B]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Рост: (а) дуб; (б, в) ясень", "Рост: (a) дуб; (b, c) ясень"),
        ("А. Дуб. Б. Ясень в лесу", "A. Дуб. B. Ясень в лесу"),
        ("(א) לפני (ב) אחרי", "(a) לפני (b) אחרי"),
        ("(가) 치료 전 (나) 치료 후", "(a) 치료 전 (b) 치료 후"),
        ("Rate (α) and decay (β)", "Rate (α) and decay (β)"),
        ("αβ T cells: TNF-α, TGF-β, IL-1", "αβ T cells: TNF-α, TGF-β, IL-1"),
        ("Угол (α) и (β)", "Угол (α) и (β)"),
        ("Дуб (а) без другого", "Дуб (а) без другого"),
    ],
)
def test_letters_become_latin_where_they_are_those_of_the_text(text: str, expected: str) -> None:
    found, letters = with_latin_letters(text)
    assert found == expected
    assert bool(letters) is (found != text)


@pytest.mark.parametrize(
    ("first", "last", "between"),
    [("a", "d", "BC"), ("А", "г", "БВ"), ("أ", "د", "بج"), ("a", "b", ""), ("d", "a", ""), ("a", "г", "")],
)
def test_letters_between_two_are_those_of_their_alphabet(first: str, last: str, between: str) -> None:
    assert letters_between(first, last) == between


@pytest.mark.parametrize(("letter", "latin"), [("б", "b"), ("ج", "c"), ("b", "b"), ("?", "?")])
def test_a_letter_has_the_place_of_a_latin_one(letter: str, latin: str) -> None:
    assert in_latin(letter) == latin
