"""Write settings as TOML, and change them in a text: comments, order and all else stay as people wrote them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from panelwise.domain.errors import FormatError

if TYPE_CHECKING:
    from tomlkit.items import Item


def toml_value(value: object) -> str:
    """Return a setting's value as TOML."""
    return _item(value).as_string()


def _item(value: object) -> Item:
    """Return a value as TOML, in one line."""
    import tomlkit  # takes 30 ms, and few commands write settings

    if isinstance(value, list | tuple | frozenset):
        array = tomlkit.array()
        for element in sorted(value) if isinstance(value, frozenset) else value:
            array.append(_item(element))
        return array
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, element in value.items():
            table.append(key, _item(element))
        return table
    if isinstance(value, datetime):
        return tomlkit.item(value.astimezone(UTC))
    return tomlkit.item(str(value) if isinstance(value, str) else value)


def with_values(
    text: str, values: Mapping[str, object], where: str, *, phase: int | None = None, table: str = ""
) -> str:
    """Return the text of campaign.toml with other values of its top-level keys.

    values: None removes a key. where: the file, for messages. phase: change the keys of that one of [[phases]],
    counted from 0. table: change the keys of that table, which is added if it is missing. Raises FormatError if
    the text is not valid TOML or is written so that this fails; it can then be edited as text.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    data = _parsed(text, where)
    for start in _starts(text, data, values, table):
        try:
            document = tomlkit.parse(start)
            _change(document, values, phase, table)
            changed = document.as_string()
            if _filled(tomllib.loads(changed)) == _filled(_wanted(text, values, phase, table)):
                return changed
        except (TOMLKitError, LookupError, TypeError, ValueError):
            continue
    raise FormatError(f"{where}: {', '.join(values)} cannot be changed there; edit the file as text")


def with_store_url(text: str, url: str | None, where: str) -> str:
    """Return the text with this URL under [store]; None for the default, the file beside it.

    where: the file, for messages. Raises FormatError if the text cannot be changed safely.
    """
    if url is None and "store" not in _parsed(text, where):
        return text
    return with_values(text, {"url": url}, where, table="store")


def _starts(text: str, data: Mapping[str, Any], values: Mapping[str, object], table: str) -> Iterator[str]:
    """Yield the texts to try: with the missing table, or with the missing keys at the top, to be replaced.

    A new campaign.toml has them as comments, which become settings where that is safe.
    """
    if table:
        if table not in data:
            yield re.sub(rf"^#[ \t]*(\[{table}\])", r"\1", text, count=1, flags=re.M)
            yield f"{text.rstrip()}\n\n[{table}]\n"
        yield text
        return
    uncommented = added = text
    for key, value in values.items():
        if key not in data and value is not None:
            uncommented = re.sub(rf"^# ({key} = )", r"\1", uncommented, count=1, flags=re.M)
            added = f"{key} = {toml_value(value)}\n{added}"
    yield uncommented
    yield added


def _filled(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data without empty tables."""
    return {key: value for key, value in data.items() if value != {}}


def _wanted(text: str, values: Mapping[str, object], phase: int | None, table: str) -> dict[str, Any]:
    """Return the data of a text with the changed values."""
    data = tomllib.loads(text)
    if table:
        data.setdefault(table, {})
    place = _place(data, phase, table)
    for key, value in values.items():
        place.pop(key, None)
        if value is not None:
            place |= tomllib.loads(f"{key} = {toml_value(value)}")
    return data


def _place(data: Any, phase: int | None, table: str) -> Any:
    """Return the table whose keys are changed."""
    if phase is not None:
        return data["phases"][phase]
    return data[table] if table else data


def _change(document: Any, values: Mapping[str, object], phase: int | None, table: str) -> None:
    """Change the keys of a document; a new key follows the last one of its table, before comments on the next."""
    from tomlkit.items import AoT, InlineTable, Table

    place = _place(document, phase, table)
    for key, value in values.items():
        old = place.get(key)
        if value is None or isinstance(old, AoT):
            place.pop(key, None)
        if value is None:
            continue
        if key in place or isinstance(place, InlineTable):
            place[key] = _item(value)
        elif isinstance(place, Table):
            body = place.value.body
            tail: list[Any] = []
            while body and body[-1][0] is None:
                tail.insert(0, body.pop())
            place.append(key, _item(value))
            body.extend(tail)


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: cannot be read ({error}); correct it") from None
