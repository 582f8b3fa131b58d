"""The shapes of annotations.jsonl as typed structs: a record, and the contents that it can hold.

They say what a plainly written record looks like; `as_struct` reads any other record into the same structs. What
is judged besides subfigures is in `items`.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType
from msgspec.structs import astuple

from panelwise.domain.annotation import Status
from panelwise.domain.figure import LARGEST
from panelwise.files.jsonl import REFUSALS, signs_of_keys
from panelwise.formats.items import Judged, judged_values
from panelwise.formats.typed_fields import Name, Number, Size

#: [start, end) in code points of the caption.
Place = Annotated[int, Meta(ge=0, le=LARGEST)]
Pair = tuple[Place, Place]


class Part(msgspec.Struct, gc=False, kw_only=True):
    """A subfigure. label: None for the next free letter. box: x0 y0 x1 y1 in pixels. score: a model's."""

    label: Name | None = None
    box: tuple[Number, Number, Number, Number]
    score: Number | None = None
    subcaption: list[Pair] | None = None


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


_decode = msgspec.json.Decoder(Record).decode
_PART = Part.__struct_fields__


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
    values = astuple(record)
    count = len(values) - values.count(None) - (record.tokens is UNSET) + len(_PART) * len(parts)
    for part in parts:
        count -= (part.label is None) + (part.score is None) + (part.subcaption is None)
    return count + sum(map(_values_in, judged_values(record)))


def _values_in(value: Any) -> int:
    if isinstance(value, msgspec.Struct):
        given = [each for each in astuple(value) if each is not None]
        return len(given) + sum(map(_values_in, given))
    return sum(map(_values_in, value)) if isinstance(value, list) else 0
