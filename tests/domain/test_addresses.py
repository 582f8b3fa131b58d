from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.addresses import figure_id_of, figure_segment


@given(st.text(st.characters(codec="utf-8")))
def test_an_id_comes_back_from_its_segment_which_is_plain(figure_id: str) -> None:
    segment = figure_segment(figure_id)
    assert re.fullmatch(r"[A-Za-z0-9_~-]*", segment)
    assert figure_id_of(segment) == figure_id


def test_what_could_have_been_escaped_may_be_typed_as_it_is() -> None:
    assert figure_id_of("a/b.c") == "a/b.c"


@pytest.mark.parametrize("segment", ["a~", "a~2", "a~zz", "~FF"])
def test_a_segment_that_stands_for_no_id_is_refused(segment: str) -> None:
    with pytest.raises(ValueError, match=r"~|utf-8"):
        figure_id_of(segment)
