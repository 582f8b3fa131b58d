"""Make texts safe in tables that spreadsheets open."""

from __future__ import annotations

import unicodedata

#: First characters of a formula, full-width forms included.
_FORMULA = frozenset("=+-@")
#: Characters that spreadsheets trim first: blanks, tabs, line ends, invisible marks.
_PASSED_OVER = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))


def as_text(text: str) -> str:
    """Return the text as a cell, with an apostrophe before anything that a spreadsheet would run as a formula.

    So is a text that begins with a tab or a line end, or hides its formula behind blanks or invisible marks.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    seen = next((letter for letter in text if unicodedata.category(letter) not in _PASSED_OVER), "")
    return f"'{text}" if unicodedata.normalize("NFKC", seen)[:1] in _FORMULA and seen else text
