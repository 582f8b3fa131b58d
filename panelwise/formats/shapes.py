"""The shapes of annotations.jsonl as typed structs: a record, and the contents that it can hold.

They say what a plainly written record looks like. `as_struct` reads any other record into the same structs, as
other libraries write numbers, flags and missing values.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType, inspect
from msgspec.structs import astuple

from panelwise.domain.annotation import Status
from panelwise.domain.figure import LARGEST
from panelwise.domain.items import QAKind, Verdict
from panelwise.files.jsonl import Fields, signs_of_keys
from panelwise.files.values import as_whole, or_none

Name = Annotated[str, Meta(min_length=1)]
#: Pixels or a revision.
Size = Annotated[int, Meta(ge=1, le=LARGEST)]
#: Larger numbers are refused everywhere; see `panelwise.files.values`.
Number = Annotated[float, Meta(gt=-1e300, lt=1e300)]
#: [start, end) in code points of the caption.
Place = Annotated[int, Meta(ge=0, le=LARGEST)]
Pair = tuple[Place, Place]


class Part(msgspec.Struct, gc=False, kw_only=True):
    """A subfigure. label: None for the next free letter. box: x0 y0 x1 y1 in pixels. score: a model's."""

    label: Name | None = None
    box: tuple[Number, Number, Number, Number]
    score: Number | None = None
    subcaption: list[Pair] | None = None


class FigureType(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The key `kind`: the type of a figure; see `panelwise.domain.items.FigureKind`."""

    compound: bool | None = None
    count: Annotated[int, Meta(ge=0)] | None = None
    types: list[str] | None = None
    note: str | None = None


_PairType = Annotated[QAKind, Meta(extra={"unknown": ", none of the seven types"})]


#: A text that libraries write as a number where it is one.
_Words = Annotated[str, Meta(extra={"words": True})]


class QuestionAnswer(msgspec.Struct, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A question-answer pair, with SciVQA's keys."""

    qa_pair_type: _PairType
    instance_id: Name
    question: str | None = None
    answer_options: list[str] | None = None
    answer: _Words | None = None
    evidence: list[str] | None = None


class Judgement(msgspec.Struct, gc=False, kw_only=True):
    """An entry of `verdicts`: a judgement of one question-answer pair. edited: the corrected pair."""

    verdict: Verdict
    edited: QuestionAnswer | None = None
    instance_id: Name
    note: str | None = None


class Answer(msgspec.Struct, gc=False, kw_only=True):
    """An entry of `answers`: a person's own answer. answer: None for "I don't know"."""

    answer: _Words | None
    instance_id: Name
    note: str | None = None


class Judged(msgspec.Struct, gc=False, kw_only=True):
    """The contents of a record besides its subfigures."""

    kind: FigureType | None = None
    verdicts: list[Judgement] | None = None
    answers: list[Answer] | None = None


class Drawn(Judged, gc=False, kw_only=True):
    """The keys that annotations and predictions have in common. annotator: of a prediction its model's version.

    tokens: as written, since the annotators of one figure share them and they need to be decoded once.
    """

    figure_id: Name
    width: Size | None = None
    height: Size | None = None
    revision: Size | None = None
    caption: str | None = None
    tokens: Raw | UnsetType = UNSET
    document: str | None = None
    subfigures: list[Part]
    annotator: Name


class Record(Drawn, gc=False, kw_only=True):
    """One record: an annotator's work on a figure in a phase, or a model's prediction.

    Only figure_id, annotator and subfigures are required.
    """

    phase: int | Name | None = None
    status: Status | None = None
    saved_at: Name | None = None
    seeded_by: str | None = None
    guideline: str | None = None
    seconds: Number | None = None
    reason: str | None = None
    viewed: list[str] | None = None
    unchanged: bool | None = None
    partly_read: bool | None = None


#: What decoding raises.
REFUSALS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_decode = msgspec.json.Decoder(Record).decode
_PART = Part.__struct_fields__
Shape = TypeVar("Shape", bound=msgspec.Struct)
#: Reads the value of a key.
Read = Callable[[Fields, str], Any]


def shaped(value: Any, shape: type[Shape], fields: Fields, key: str, place: int) -> Shape:
    """Return an element of a list as a struct, converted if it is not yet; see `as_struct`."""
    return value if isinstance(value, shape) else as_struct(fields.element(key, place, value), shape)


def plain_record(line: bytes) -> Record | None:
    """Return a line's record; None if it is not plainly written, or may have a repeated or an unknown key.

    Decoders silently use the last of repeated keys, and ignore unknown ones: those lines have more keys than their
    records have values.
    """
    record = decoded_record(line)
    return record if record is not None and signs_of_keys(line) == values_of(record) else None


def decoded_record(line: bytes) -> Record | None:
    """Return a line's record, whatever its keys; None if it is not plainly written."""
    try:
        return _decode(line)
    except REFUSALS:
        return None


def values_of(record: Record) -> int:
    """Count the values of a record and of all in it: as many as keys, or fewer, since null is none."""
    parts = record.subfigures
    count = _given(record) - (record.tokens is UNSET) + len(_PART) * len(parts)
    for part in parts:
        count -= (part.label is None) + (part.score is None) + (part.subcaption is None)
    if record.kind is not None:
        count += _given(record.kind)
    for verdict in record.verdicts or ():
        count += _given(verdict) + (0 if verdict.edited is None else _given(verdict.edited))
    return count + sum(map(_given, record.answers or ()))


def _given(struct: msgspec.Struct) -> int:
    values = astuple(struct)
    return len(values) - values.count(None)


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
