"""What spreadsheets make of a text in a table."""

from __future__ import annotations

import unicodedata

#: What begins a formula, also where it is typed in full width.
_FORMULA = frozenset("=+-@")
#: What spreadsheets drop or trim before they look: blanks, tabs, line ends, marks that cannot be seen.
_PASSED_OVER = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))


def as_text(text: str) -> str:
    """The text as a cell: what a spreadsheet would run as a formula gets an apostrophe before it.

    So does what begins with a tab or a line end, and what hides its formula behind blanks or marks without a form.
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    seen = next((letter for letter in text if unicodedata.category(letter) not in _PASSED_OVER), "")
    return f"'{text}" if unicodedata.normalize("NFKC", seen)[:1] in _FORMULA and seen else text
