"""Write values into columns: JSON text, hashes for comparing, times; and report damaged ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from annotator.store.database.errors import check_text
from panelwise.domain import FormatError, StoreError, one_line

Row = Mapping[str, Any]
T = TypeVar("T")


def to_json(value: object) -> str:
    """Return compact JSON text. Raises StoreError for values that JSON or `check_text` refuses."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    check_text(text)
    if "\\u0000" in text:  # NUL, or a text that only looks like its escape
        check_texts(value)
    return text


def check_texts(value: object) -> None:
    """Raise StoreError for text in a JSON value, keys included, that `check_text` refuses."""
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            check_texts(key)
            check_texts(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            check_texts(entry)


def digest(value: object) -> str:
    """Return a short hash of a JSON value; the order of keys does not matter. For comparing, not for secrets."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def to_time(moment: datetime) -> str:
    """Return UTC, ISO 8601, always with microseconds and "Z": 27 characters whose order is that of time."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_time(text: str) -> datetime:
    """Return the aware UTC time that `to_time` wrote."""
    return datetime.fromisoformat(text)


def readable(what: Callable[[], str], decode: Callable[[], T]) -> T:
    """Return the row decoded by `decode`; StoreError if the row is not as this program writes it."""
    try:
        return decode()
    except (FormatError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise StoreError(
            f"{what()} in the store is damaged ({type(error).__name__}: {one_line(error)}); restore a backup"
        ) from error
