"""Write annotator/web/frontend/src/wire/server.ts: TypeScript types of what the server sends and takes as JSON.

They are made of the structs and dataclasses that the server encodes and decodes. With --check, only say whether
the file is fresh.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UnsetType

from annotator.adjudication.collision import Collision
from annotator.adjudication.draft import ItemsDraft, OwnItemsDraft, SubfiguresDraft
from annotator.adjudication.items.state import ItemsState
from annotator.adjudication.messages.comments import Conversation
from annotator.adjudication.state import FigureState
from annotator.campaign.guidelines import Guidelines
from annotator.own_tasks.allowed_fields import BlindDraft, BlindOvertaken, BlindSaved, BlindScreen
from annotator.web.api.screen_parts import ItemsScreenParts, OwnScreenParts, SubfiguresScreenParts

FILE = Path(__file__).parent.parent / "annotator" / "web" / "frontend" / "src" / "wire" / "server.ts"
HEAD = """/**
 * What the server sends and takes, as its own structs say. Written by scripts/write_types.py (make assets): change
 * those structs instead.
 */
"""
#: What the screens send and get; other types follow from their fields.
ROOTS: tuple[type, ...] = (
    *(FigureState, SubfiguresScreenParts, ItemsState, ItemsScreenParts, OwnScreenParts),
    *(SubfiguresDraft, ItemsDraft, OwnItemsDraft, Collision, Conversation, Guidelines),
    *(BlindScreen, BlindDraft, BlindSaved, BlindOvertaken),
)
PLAIN: Mapping[object, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    datetime: "string",
    type(None): "null",
    Any: "unknown",
}


class TypeWriter:
    """Writes types, each once, with those that their fields refer to."""

    def __init__(self) -> None:
        self.written: dict[str, tuple[type, str]] = {}

    def add(self, kind: type) -> str:
        """Write a struct, dataclass or enumeration unless it is there; returns its name."""
        name = kind.__name__
        if self.written.setdefault(name, (kind, ""))[0] is not kind:
            raise SystemExit(f"{name}: two types have this name; rename one of them")
        if not self.written[name][1]:
            self.written[name] = kind, "…"  # begun: a type may refer to itself
            self.written[name] = kind, _enumeration(kind) if issubclass(kind, Enum) else self._record(kind)
        return name

    def _record(self, kind: type) -> str:
        base = _base(kind)
        inherited = {} if base is None else _hints(base)
        tag = _tag(kind)
        above = "" if base is None else f" extends {_without_tag(self.add(base), _tag(base))}"
        names = ", ".join(each.__name__ for each in getattr(kind, "__parameters__", ()))
        lines = [f"{_comment(kind)}export interface {kind.__name__}{f'<{names}>' if names else ''}{above} {{"]
        optional = _may_be_left_out(kind)
        lines += [f'  {name}: "{value}";' for name, value in tag.items()]
        for field, hint in _hints(kind).items():
            if inherited.get(field) == hint:
                continue
            parts = [part for part in _parts(hint) if part is not UnsetType]
            unset = len(parts) < len(_parts(hint)) and not _is_sent(kind)
            mark = "?" if unset or field in optional else ""
            lines.append(f"  {_encoded(kind, field)}{mark}: {self._union(parts)};")
        return "\n".join([*lines, "}"])

    def _union(self, parts: Iterable[object]) -> str:
        return " | ".join(dict.fromkeys(map(self._named, parts)))

    def _named(self, hint: Any) -> str:
        if isinstance(hint, TypeVar):
            return hint.__name__
        if hint in PLAIN:
            return PLAIN[hint]
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is None:
            return self.add(hint)
        if origin is tuple and arguments[-1] is not Ellipsis:
            return f"readonly [{', '.join(map(self._of, arguments))}]"
        if origin in (tuple, list):
            return f"readonly {_bracketed(self._of(arguments[0]))}[]"
        if origin is dict or issubclass(origin, Mapping):
            return f"Readonly<Record<string, {self._of(arguments[1])}>>"  # JSON has no other keys
        return f"{self.add(origin)}<{', '.join(map(self._of, arguments))}>"

    def _of(self, hint: object) -> str:
        return self._union(_parts(hint))


def _tag(kind: type) -> dict[str, str]:
    """The field that says a struct's type, with its value; none for others."""
    config = getattr(kind, "__struct_config__", None)
    return {} if config is None or config.tag is None else {config.tag_field: config.tag}


def _without_tag(name: str, tag: Mapping[str, str]) -> str:
    return f"Omit<{name}, {' | '.join(map(json.dumps, tag))}>" if tag else name


def _base(kind: type) -> type | None:
    """The struct or dataclass that a type extends; a private one is no type of its own."""
    base = next((each for each in kind.__bases__ if each is not msgspec.Struct and _is_record(each)), None)
    return base if base is None or not base.__name__.startswith("_") else _base(base)


def _is_record(kind: type) -> bool:
    return issubclass(kind, msgspec.Struct) or dataclasses.is_dataclass(kind)


def _hints(kind: type) -> dict[str, Any]:
    """The fields' types, without constraints."""
    fields = kind.__struct_fields__ if issubclass(kind, msgspec.Struct) else [each.name for each in _fields(kind)]
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in fields}


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(kind)


def _parts(hint: Any) -> list[Any]:
    """The members of a union, or the type itself; constraints are left out."""
    if get_origin(hint) is Annotated:
        return _parts(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return [part for member in get_args(hint) for part in _parts(member)]
    return [hint]


def _is_sent(kind: type) -> bool:
    """Return whether pages send a type: with each of its fields, also those that other programs leave out."""
    return issubclass(kind, msgspec.Struct) and kind.__struct_config__.forbid_unknown_fields


def _may_be_left_out(kind: type) -> set[str]:
    """The fields that JSON lacks where they have their default."""
    if not issubclass(kind, msgspec.Struct) or not kind.__struct_config__.omit_defaults:
        return set()
    return {field.name for field in msgspec.structs.fields(kind) if not field.required}


def _encoded(kind: type, field: str) -> str:
    if not issubclass(kind, msgspec.Struct):
        return field
    return dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))[field]


def _bracketed(text: str) -> str:
    return f"({text})" if " " in text else text


def _enumeration(kind: type[Enum]) -> str:
    members = " | ".join(f'"{member.value}"' for member in kind)
    return f"{_comment(kind)}export type {kind.__name__} = {members};"


def _comment(kind: type) -> str:
    lines = (inspect.cleandoc(kind.__doc__ or "")).splitlines()
    if len(lines) < 2:
        return f"/** {lines[0]} */\n" if lines else ""
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in lines), " */", ""])


def render() -> str:
    """Return the file's text."""
    writer = TypeWriter()
    for root in ROOTS:
        writer.add(root)
    return "\n".join([HEAD, *_separated(text for _, text in writer.written.values())])


def _separated(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield text
        yield ""


def main() -> int:
    """Write the file, or compare it with --check; returns the exit status."""
    text = render()
    if sys.argv[1:] != ["--check"]:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{FILE.name} is not what the server's structs say; run make assets", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
