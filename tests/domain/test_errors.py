from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import LONGEST, one_line


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        ("a\n  b\tc", "a b c"),
        ("größer als 1 µm: 中", "größer als 1 µm: 中"),
        ("\x1b[2J\x00", "\\x1b[2J\\x00"),
        ("\ud800 \u202egnp.a", "\\ud800 \\u202egnp.a"),
        (KeyError(), "KeyError"),
    ],
)
def test_a_message_is_one_line_that_steers_no_terminal(problem: object, told: str) -> None:
    assert one_line(problem) == told


@given(st.text(st.characters(codec=None)))
def test_any_text_is_told_in_a_line_that_can_be_printed(text: str) -> None:
    told = one_line(text)
    assert told.isprintable()
    assert 0 < len(told) <= LONGEST
    assert one_line(told) == told


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    told = one_line("where: " + "9" * 10_000 + "; mend it")
    assert len(told) == LONGEST
    assert told.startswith("where: 999")
    assert told.endswith("; mend it")
