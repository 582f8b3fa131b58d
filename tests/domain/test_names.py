"""Spellings of one name: what is one person, and what stays two."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.campaign import name_key
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.names import Spellings, check_another_name, clean_name, same_names

ONE = [
    "Zoë Ann",
    "zoë ann",
    "ZOË ANN",
    " Zoë Ann",
    "Zoë  Ann ",
    "Zoë\u00a0Ann",
    unicodedata.normalize("NFD", "Zoë Ann"),
]


@pytest.mark.parametrize("spelling", ONE)
def test_case_blanks_and_unicode_form_make_no_other_name(spelling: str) -> None:
    assert name_key(spelling) == name_key("Zoë Ann")


@pytest.mark.parametrize("name", ["Zoe Ann", "Zoë-Ann", "ZoëAnn", "Zoë Ann 2"])
def test_other_letters_make_another_name(name: str) -> None:
    assert name_key(name) != name_key("Zoë Ann")


@given(st.text())
def test_cleaning_a_name_keeps_whose_it_is(name: str) -> None:
    assert name_key(clean_name(name)) == name_key(name)
    assert clean_name(clean_name(name)) == clean_name(name)


def test_a_spelling_leads_to_the_name_that_is_known_and_is_told() -> None:
    spellings = Spellings(["ann"])
    assert [spellings.stored_name(name) for name in ("ann", "Ann", " ANN", "Ben ", "ben")] == [
        "ann",
        "ann",
        "ann",
        "Ben",
        "Ben",
    ]
    assert len(spellings.notes()) == 4
    assert spellings.notes()[1].startswith('imported 1 record of "Ann" as "ann"')


def test_a_spelling_that_may_be_either_of_two_is_refused() -> None:
    spellings = Spellings(["Ann", "ann"])
    assert [spellings.stored_name("Ann"), spellings.stored_name("ann")] == ["Ann", "ann"]
    with pytest.raises(
        InvalidAnnotation, match='"ANN" may be "Ann" or "ann"; make these one first: annotator user join'
    ):
        spellings.stored_name("ANN")


@pytest.mark.parametrize("name", [" ", "\x1b[2J"])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidAnnotation):
        Spellings().stored_name(name)


def test_a_new_name_is_no_other_spelling_of_a_known_one() -> None:
    check_another_name("ann", ["ann", "ben"])
    with pytest.raises(
        InvalidAnnotation, match=r'"Ann" differs only by case, blanks .* from "ann", who is in the campaign'
    ):
        check_another_name("Ann", ["ben", "ann"])


def test_spellings_of_one_name_are_found_together() -> None:
    assert same_names(["b", "Ann", "ann", "c", "B "]) == [("Ann", "ann"), ("B ", "b")]
