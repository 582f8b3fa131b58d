"""Read a record into a typed struct, as other libraries write numbers, flags and missing values."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, inspect

from panelwise.domain.figure import LARGEST
from panelwise.files.jsonl import Fields
from panelwise.files.values import as_whole, or_none

Name = Annotated[str, Meta(min_length=1)]
#: Pixels or a revision.
Size = Annotated[int, Meta(ge=1, le=LARGEST)]
#: Larger numbers are refused everywhere; see `panelwise.files.values`.
Number = Annotated[float, Meta(gt=-1e300, lt=1e300)]
Shape = TypeVar("Shape", bound=msgspec.Struct)
#: Reads the value of a key.
Read = Callable[[Fields, str], Any]


def shaped(value: Any, shape: type[Shape], fields: Fields, key: str, place: int) -> Shape:
    """Return an element of a list as a struct, converted if it is not yet; see `as_struct`."""
    return value if isinstance(value, shape) else as_struct(fields.element(key, place, value), shape)


def as_struct(fields: Fields, shape: type[Shape]) -> Shape:
    """Return an object as a struct, its values read as `Fields` does.

    What is an object, or a list of other than texts, stays as it is written: its reader converts each element, so
    that a bad one costs only itself. Raises FormatError for the first wrong value, by the order of the struct.
    """
    return shape(**{name: read(fields, name) for name, read in _readers(shape)})


@cache
def _readers(shape: type[msgspec.Struct]) -> list[tuple[str, Read]]:
    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)
    return [(field.name, _reader(field.type)) for field in info.fields]


def _reader(wanted: inspect.Type) -> Read:
    """Return what reads a value of a type; None where it is optional, and missing or null."""
    match wanted:
        case inspect.UnionType(types=(inspect.EnumType() as first, _)):
            read = _reader(first)
            return lambda fields, key: read(fields, key) if fields.optional_text(key) else None
        case inspect.UnionType(types=(first, *others)):
            read = _reader(first) if len(others) == 1 else _number_or_text
            return lambda fields, key: None if fields.record.get(key) is None else read(fields, key)
        case inspect.Metadata(type=inspect.EnumType(cls=choices), extra={"unknown": unknown}):
            return lambda fields, key: fields.choice(key, cast(type[StrEnum], choices), unknown=unknown)
        case inspect.Metadata(type=inspect.StrType(), extra={"words": True}):
            return Fields.words
        case inspect.EnumType(cls=choices):
            return lambda fields, key: fields.choice(key, cast(type[StrEnum], choices))
        case inspect.TupleType(item_types=numbers):
            return lambda fields, key: fields.numbers(key, len(numbers))
        case inspect.StrType(min_length=None):
            return Fields.optional_text
        case inspect.ListType(item_type=inspect.StrType()):
            return Fields.texts
        case inspect.IntType(ge=0):
            return Fields.count
        case _:
            return _READERS.get(type(wanted), _as_written)


def _number_or_text(fields: Fields, key: str) -> int | str:
    value = fields.record[key]
    whole = None if isinstance(value, str) else or_none(as_whole, value)
    return fields.text(key) if whole is None else whole


def _as_written(fields: Fields, key: str) -> Any:
    return fields.record.get(key, UNSET)


_READERS: dict[type[inspect.Type], Read] = {
    inspect.StrType: Fields.text,
    inspect.IntType: Fields.size,
    inspect.FloatType: Fields.optional_number,
    inspect.BoolType: Fields.optional_flag,
    inspect.ListType: Fields.required_list,
}
