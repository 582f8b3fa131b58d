"""Cells of tables are texts to spreadsheets, whoever wrote them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.files.tables import as_text


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\tx", " =1", "\u00a0=1", "\ufeff=1", "\u200b=1",
     "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM", "=cmd|' /C calc'!A0", '=HYPERLINK("http://evil.example")'],
)  # fmt: skip
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert as_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a", "a=1", "1-2", "f1", "é", " a", "'=1", "漢字", "(=1)", "😀=1", "\u200b"])
def test_any_other_text_is_left_as_it_is(text: str) -> None:
    assert as_text(text) == text


@given(st.text())
def test_nothing_is_taken_away_and_twice_is_as_once(text: str) -> None:
    cell = as_text(text)
    assert cell.removeprefix("'") == text.removeprefix("'") or cell == text
    assert as_text(cell) == cell
    assert not cell.strip().startswith(("=", "+", "-", "@"))
