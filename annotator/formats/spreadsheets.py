"""What spreadsheets make of a text in a table."""

from __future__ import annotations

#: What begins a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_text(text: str) -> str:
    """The text as a cell: what a spreadsheet would run as a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULA) else text
