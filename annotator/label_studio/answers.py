"""Read parts of the server's answers, whose types are not trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from panelwise.domain import InvalidAnnotation
from panelwise.files import as_whole, or_none

_NOTHING: Mapping[str, Any] = {}


def part(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object under `key`; an empty one if there is none."""
    found = record.get(key)
    return found if isinstance(found, Mapping) else _NOTHING


def parts(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the objects in the list under `key`; other values are skipped."""
    found = record.get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, Sequence) else []


def regions(record: Mapping[str, Any]) -> Sequence[Any]:
    """Return the regions of an annotation, of any type. Raises InvalidAnnotation if they are not a list.

    Of a skipped task there may be none.
    """
    found = record.get("result")
    if found is None and record.get("was_cancelled"):
        return ()
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise InvalidAnnotation("its result is no list; look at the annotation in Label Studio")
    return found


def account(record: Mapping[str, Any], field: str = "completed_by") -> int | None:
    """Return the id of the account in a field of an annotation, as number or object; None if unknown."""
    found = record.get(field)
    found = found.get("id") if isinstance(found, Mapping) else found
    return or_none(as_whole, found)


def changed_by(record: Mapping[str, Any]) -> int | None:
    """Return the account that changed an annotation last; None if it is its own account's, or unknown."""
    found = account(record, "updated_by")
    return None if found == account(record) else found
