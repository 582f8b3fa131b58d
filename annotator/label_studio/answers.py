"""Parts of what the server answers, whatever it answers: nothing here is known to be of the kind it should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from panelwise.domain.errors import InvalidAnnotation

_NOTHING: Mapping[str, Any] = {}


def part(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under `key`; an empty one where there is none."""
    found = record.get(key)
    return found if isinstance(found, Mapping) else _NOTHING


def parts(record: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The objects in the list under `key`; what is none is passed over."""
    found = record.get(key)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, Sequence) else []


def regions(record: Mapping[str, Any]) -> Sequence[Any]:
    """What was drawn and chosen, of whatever kind each is. Raises InvalidAnnotation where it is no list at all."""
    found = record.get("result") or ()
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise InvalidAnnotation("its result is no list; look at the annotation in Label Studio")
    return found
