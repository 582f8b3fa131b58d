"""Decode the tables of campaign.toml into classes whose fields describe themselves, and name each mistake."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, is_dataclass
from datetime import UTC, date, datetime, time
from enum import Enum
from typing import Any, TypeVar

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.setting import Row, setting_rows
from panelwise.files.jsonl import kind_of

Table = TypeVar("Table")
#: Keys and positions that lead to a value: ("phases", 0, "name").
Path = tuple[str | int, ...]
#: Lines of a file in which the line of a mistake is looked for.
_MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name and text, for messages."""

    name: str
    text: str

    def error(self, path: Path, complaint: str) -> FormatError:
        """Return the error for a setting, with the line of its key if that can be determined."""
        line = self._line(path)
        return FormatError(f'{self.name}{f":{line}" if line else ""}: "{_dotted(path)}" {complaint}')

    def _line(self, path: Path) -> int | None:
        """Return the line of a key, or of its table if the key is missing; None for neither."""
        lines = self.text.splitlines()
        if len(lines) > _MOST_LINES:
            return None
        for length in range(len(path), 0, -1):
            low, high = 0, len(lines) + 1
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if _holds(lines[:middle], path[:length]) else (middle, high)
            if high <= len(lines):
                return high
        return None


def _holds(lines: list[str], path: Path) -> bool:
    """Return whether lines hold a key; lines at the end that are an incomplete value are left out."""
    for end in range(len(lines), 0, -1):
        try:
            data: Any = tomllib.loads("\n".join(lines[:end]))
            break
        except tomllib.TOMLDecodeError:
            continue
    else:
        return False
    for key in path:
        if isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        elif isinstance(data, dict) and key in data:
            data = data[str(key)]
        else:
            return False
    return True


def _dotted(path: Path) -> str:
    """Return a path as messages name it: phases[0].name."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix(".")


def read_table(kind: type[Table], data: object, source: Source, path: Path = ()) -> Table:
    """Return a table as its class, with defaults for missing keys. Raises FormatError with the place."""
    if not isinstance(data, dict):
        raise source.error(path, f"holds {kind_of(data)}, not an object")
    rows = setting_rows(kind)
    check_keys(data, rows, source, path)
    values = {}
    for key, row in rows.items():
        value = data.get(key)
        if row.required and value == ("" if row.kind is str else []):
            value = None
        # An empty text chooses the default.
        if value is not None and not (value == "" and isinstance(row.default, str)):
            values[key] = _read_value(row, value, source, (*path, key))
        elif row.required:
            raise source.error((*path, key), f"is missing or empty; give {row.setting.give}")
    try:
        return kind(**values)
    except AnnotatorError as error:
        where = f'{source.name}: "{_dotted(path)}"' if path and isinstance(path[-1], str) else source.name
        raise FormatError(f"{where}: {error}") from None


def check_keys(data: dict[str, Any], allowed_keys: Collection[str], source: Source, path: Path) -> None:
    """Raise FormatError for the first key that is not known."""
    for key in data:
        if key not in allowed_keys:
            raise source.error((*path, key), f"is no known setting; known are {', '.join(allowed_keys)}")


def _read_value(row: Row, value: Any, source: Source, path: Path) -> Any:
    """Return a value as the row's type. Raises FormatError with what is allowed."""
    import msgspec

    if not isinstance(value, list) or row.element is row.kind:
        return _read_element(row, row.kind, value, source, path)
    elements = [
        _read_element(row, row.element, element, source, (*path, position))
        for position, element in enumerate(value)
    ]
    return msgspec.convert(elements, row.kind)


def _read_element(row: Row, kind: Any, value: Any, source: Source, path: Path) -> Any:
    import msgspec

    if isinstance(kind, type) and is_dataclass(kind):
        return read_table(kind, value, source, path)
    value = _cleaned(row, kind, value, source, path)
    try:
        read = msgspec.convert(value, kind, builtin_types=(datetime,))
    except (msgspec.ValidationError, OverflowError):
        raise source.error(path, _complaint(row, kind, value)) from None
    wrong_number = isinstance(read, int | float) and not isinstance(read, bool) and not row.setting.admits(read)
    wrong_text = isinstance(read, str) and not re.fullmatch(row.setting.pattern or ".*", read, re.DOTALL)
    if wrong_number or wrong_text or (isinstance(read, datetime) and read.tzinfo is None):
        raise source.error(path, _complaint(row, kind, value))
    return read


def _cleaned(row: Row, kind: Any, value: Any, source: Source, path: Path) -> Any:
    """Return a value as it is meant: 2.0 for 2, 1 for a phase's name, a time in UTC."""
    if isinstance(value, str):
        return row.setting.clean(value)
    if row.setting.numbered and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and kind is not float:
        return int(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        try:
            return value.astimezone(UTC)
        except OverflowError:
            raise source.error(
                path, f"is {value.isoformat()}, which is outside the years 1 to 9999 in UTC"
            ) from None
    return value


def _complaint(row: Row, kind: Any, value: Any) -> str:
    """Return what is wrong with a value, and what is allowed."""
    setting = row.setting
    if isinstance(value, str) and kind is row.element and (setting.give or _choices(kind)):
        return f'is "{value}"; give {setting.give or _choices(kind)}'
    shown = kind_of(value)
    if setting.limits and isinstance(value, int | float) and not isinstance(value, bool):
        shown = f"{value:g}" if isinstance(value, float) else str(value)[:40]
    elif isinstance(value, date | time):
        shown = value.isoformat()
    return f"holds {shown}, not {allowed(row, kind)}"


def allowed(row: Row, kind: Any) -> str:
    """Return what a setting may hold, in words."""
    limits = row.setting.limits
    if kind is bool:
        return "true or false"
    if kind in (int, int | None):
        return f"a whole number {limits}"
    if kind in (float, float | None):
        return f"a number {limits}"
    if kind in (datetime, datetime | None):
        return "a time with its zone; give one such as 2026-12-01T18:00:00Z"
    return "a list" if row.element is not kind else _choices(kind) or "a text"


def _choices(kind: Any) -> str:
    if not (isinstance(kind, type) and issubclass(kind, Enum)):
        return ""
    *most, last = (str(choice.value) for choice in kind)
    return f"{', '.join(most)} or {last}"
