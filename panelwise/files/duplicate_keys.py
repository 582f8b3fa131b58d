"""Repeated keys in one JSON object, of which decoders silently use the last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: Blanks allowed between a key and its colon.
_BLANKS = b" \t\r\n"


def signs_of_keys(raw: bytes) -> int:
    """Count what ends a key in JSON: as many as keys, or more where a text has a quote before a colon."""
    return raw.translate(None, _BLANKS).count(b'":')


def repeated_key(raw: bytes, record: Mapping[str, Any]) -> str | None:
    """Return a repeated key of some object in `raw`, None without one. record: the decoded `raw`.

    Takes a fraction of the decoding time by counting: only a text that may contain more keys than the record is
    parsed.
    """
    if signs_of_keys(raw) == _keys(record):
        return None
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.append(key)
            seen.add(key)

    try:
        # Numbers may be longer than Python reads, and are of no interest.
        json.loads(raw, object_pairs_hook=look, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        return None
    return found[0] if found else None


def repeated_key_problem(key: str) -> str:
    """Return the message for a repeated key."""
    return f'"{key}" stands twice in one object; the last one counts, remove one'


def _keys(record: Mapping[str, Any]) -> int:
    """Count the keys of all its objects; those in nested lists may be missing."""
    count = 0
    waiting: list[Any] = [record]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            count += len(value)
            value = value.values()
        for each in value:
            # Most values are texts: they are skipped first.
            kind = type(each)
            if kind is dict or (kind is list and each and type(each[0]) is dict):
                waiting.append(each)
    return count
