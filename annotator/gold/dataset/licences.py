"""Licences of figures: which images may be copied into a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from panelwise.formats import LICENCE_KEYS

_ADDRESS = re.compile(
    r"https?://creativecommons\.org/(?:licenses/(?P<kind>[a-z-]+)|publicdomain/(?P<public>zero|mark))"
    r"(?:/(?P<version>\d\.\d))?.*",
    re.IGNORECASE,
)
_PUBLIC = {"ZERO": "CC0", "MARK": "PDM"}


def licence_of(record: Mapping[str, Any], *, otherwise: str = "") -> str:
    """Return the licence of a record of figures.jsonl: of its `source`, else of the record, else `otherwise`.

    Creative Commons' addresses and spellings become SPDX's, "CC BY 4.0" CC-BY-4.0; any other is unchanged.
    """
    source = record.get("source")
    for holder in (source if isinstance(source, Mapping) else {}, record):
        for key in LICENCE_KEYS:
            if isinstance(value := holder.get(key), str) and value.strip():
                return _spdx(value.strip())
    return _spdx(otherwise)


def may_copy(licence: str, allowed: Iterable[str]) -> bool:
    """Return True if `allowed` has the licence, or has it without a version. An unknown licence ("") is never."""
    given = _spdx(licence).upper()
    names = {given, re.sub(r"-\d+(\.\d+)*$", "", given)}
    return bool(given) and any(_spdx(each).upper() in names for each in allowed)


def _spdx(text: str) -> str:
    found = _ADDRESS.fullmatch(text)
    if found:
        kind = f"CC-{found['kind']}" if found["kind"] else _PUBLIC[found["public"].upper()]
        return "-".join(filter(None, (kind.upper(), found["version"])))
    return re.sub(r"[\s_]+", "-", text.upper()) if re.match(r"CC[\s_0-]", text, re.IGNORECASE) else text
