"""Passwords that are tried first are not taken; any other is, of whatever characters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.accounts.weak_passwords import _WORDS, why_weak

COMMON = (
    *(
        "password",
        "Password1",
        "P@ssw0rd",
        "passw0rd!",
        "12345678",
        "123456789",
        "87654321",
        "11111111",
        "qwertyuiop",
    ),
    *(
        "iloveyou",
        "sunshine1",
        "princess",
        "football",
        "Welcome2026!",
        "letmein123",
        "abcd1234",
        "1q2w3e4r",
        "1qaz2wsx",
    ),
    *(
        "trustno1",
        "superman",
        "asdfghjkl",
        "00000000",
        "aaaaaaaa",
        "abcabcabc",
        "changeme",
        "Summer2026",
        "baseball1",
    ),
    *(
        "password123",
        "admin123",
        "Admin@123",
        "welcome1",
        "q1w2e3r4",
        "zxcvbnm1",
        "computer",
        "michael1",
        "panelwise1",
    ),
    *("PanelWise", "label-studio", "labelstudio!", "loveme123", "lovelove", "testtest", "adminadmin", "qwerty123"),
)
GOOD = (
    *(
        "a good password",
        "correct horse battery",
        "café au lait",
        "chosen by ruth herself",
        "xK4#pL9v",
        "8-figure-owls",
    ),
    *(
        "a-long-password-1",
        "annotators-pass-1",
        "open sesame",
        "tr0ub4dor&3",
        "漢字漢字仮名交じり文",
        "lungs and hearts",
    ),
)


def variations(word: str) -> Iterator[str]:
    """How people vary a word until a form takes it."""
    ends = ("", "1", "12", "123", "1234", "!", "1!", "2024", "2026", "01", "99")
    for form, end in itertools.product((word, word.capitalize(), word.upper(), word.replace("a", "@")), ends):
        yield form + end


@pytest.mark.parametrize("password", COMMON)
def test_what_everybody_has_is_weak(password: str) -> None:
    assert why_weak(password)


@pytest.mark.parametrize("password", GOOD)
def test_what_hardly_anybody_has_is_not(password: str) -> None:
    assert why_weak(password) == ""


def test_the_rules_know_far_more_than_three_thousand_of_the_common_ones() -> None:
    known = {each for word in _WORDS for each in variations(word) if len(each) >= 8 and why_weak(each)}
    assert len(known) > 7_000


@pytest.mark.parametrize(
    "password", ["ruthlungs", "Ruth2026!", "lungstudy", "lung-study!!", "RUTH12345", "Lung.Study1"]
)
def test_names_at_hand_are_weak_in_all_their_variations(password: str) -> None:
    assert why_weak(password, ("ruth", "The Lungs: lung study"))
    assert why_weak("thelungsstudy", ("ruth",)) == ""


@given(st.text(max_size=100))
def test_any_text_is_judged(password: str) -> None:
    assert isinstance(why_weak(password, (password,)), str)
