"""Booleans, numbers and missing values as other libraries write them: pandas, NumPy, R, SQL and spreadsheets.

Ambiguous values, such as 1,200 with a thousands separator, are refused and never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Texts for a missing value, among them that of database dumps.
MISSING = frozenset(("nan", "NaN", "null", "NULL", "<NA>", "#N/A", "NaT", r"\N"))
#: Words too, and missing only where a number or a flag is wanted: Python's, R's.
_WORDS = frozenset(("None", "NA"))
_FLAGS = {
    **dict.fromkeys(("true", "np.true_", "yes", "y", "t", "1", "1.0"), True),
    **dict.fromkeys(("false", "np.false_", "no", "n", "f", "0", "0.0"), False),
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_FLOAT_ID = re.compile(r"[0-9]+\.0")
#: A NumPy value as its `repr` writes it: np.float64(3.0).
_NUMPY = re.compile(r"(?:np|numpy)\.\w+\((.*)\)")
#: Larger numbers fit no float; so do those of more digits.
_LARGEST, _DIGITS = 1e300, 300


def is_missing(value: object) -> bool:
    """Return True for None, an empty text, NaN, and texts that stand for a missing value."""
    return value is None or value != value or (isinstance(value, str) and value.strip() in ("", *MISSING))


def is_number(value: object) -> bool:
    """Return True for a number that fits a float; JSON's integers may be of any length."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


def is_unknown(text: str) -> bool:
    """Return True for a missing value where a name or a sentence is wanted, which "None" and "NA" are none of."""
    return is_missing(text) or text.strip() in ("None", "NA", "N/A", "n/a")


def first_name(*values: object) -> str:
    """Return the first text or number that is no missing value, as a text; "" without one."""
    texts = (str(value).strip() for value in values if isinstance(value, str | int | float))
    return next((text for text in texts if not is_unknown(text)), "")


def whole_id(text: str) -> str:
    """Return the whole number of an id that was written as a float, as by pandas: "1" for "1.0"; others as is."""
    return text[:-2] if _FLOAT_ID.fullmatch(text) else text


def as_flag(value: object) -> bool | None:
    """Return True or False, also of a text or of 0 and 1; None if missing. Raises ValueError for other values."""
    plain = _plain(value)
    flag = _FLAGS.get(str(plain).lower())
    if flag is None and plain is not None:
        raise ValueError("is neither true nor false")
    return flag


def as_number(value: object) -> int | float | None:
    """Return a number, also of a text; None if missing. Raises ValueError for other values, true and false too."""
    number = value if is_number(value) else _plain(value)
    if isinstance(number, str) and _NUMBER.fullmatch(number):
        number = int(number) if number.lstrip("+-").isdigit() and len(number) <= _DIGITS else float(number)
    if number is None or (isinstance(number, int | float) and is_number(number)):
        return number
    raise ValueError("is not a number")


def as_whole(value: object) -> int | None:
    """Return a whole number, also of a text or of 900.0; None if missing. Raises ValueError for other values."""
    if type(value) is int:  # as nearly all are
        return value
    number = as_number(value)
    if number is not None and number != int(number):
        raise ValueError("is not a whole number")
    return None if number is None else int(number)


def or_none(convert: Callable[[object], T], value: object) -> T | None:
    """Return a value converted by one of these functions; None where it would raise ValueError."""
    try:
        return convert(value)
    except ValueError:
        return None


def _plain(value: object) -> object:
    """Return a text without blanks and NumPy's name around it; None for a missing value."""
    if not isinstance(value, str):
        return None if is_missing(value) else value
    text = value.strip()
    inner = _NUMPY.fullmatch(text)
    text = inner[1] if inner else text
    return None if text in _WORDS or is_missing(text) else text
