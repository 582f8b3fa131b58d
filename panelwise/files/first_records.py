"""The beginning of a file of JSON, to recognise what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from panelwise.files.jsonl import BOM, decode_json, open_input

#: A longer first line, or a larger object over several lines, is not looked into as a whole.
_MOST_BYTES = 1 << 22


def first_lines(path: Path) -> tuple[bytes, bytes]:
    """Return the first two non-blank lines; the second only if the first is not too long."""
    with open_input(path) as file:
        lines = _not_blank(iter(lambda: file.readline(_MOST_BYTES), b""))
        first = next(lines, b"")
        second = next(lines, b"") if len(first) < _MOST_BYTES else b""
    return first.removeprefix(BOM).strip(), second.strip()


def whole_object(path: Path) -> dict[str, Any] | None:
    """Return the one object that a file is, over any number of lines; None of any other, and of a large one."""
    with open_input(path) as file:
        return decoded_object(file.read(_MOST_BYTES).removeprefix(BOM))


def decoded_object(raw: bytes) -> dict[str, Any] | None:
    """Return the object of a JSON text; None if it is none."""
    try:
        value, _ = decode_json(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _not_blank(lines: Iterator[bytes]) -> Iterator[bytes]:
    return (line for line in lines if line.removeprefix(BOM).strip())
