"""Figures to rows and back. Reading gives what was written, equal in every field; fast for many."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from annotator.store.database.errors import check_text, quoted
from annotator.store.database.values import Row, check_texts, digest, readable, to_json
from panelwise.domain import Caption, Figure, Ranges, StoreError, one_line
from panelwise.formats import split_items


class _Frame(msgspec.Struct, gc=False):
    """The revision that boxes and token ids of work refer to. The first part of a figure's payload."""

    width: int
    height: int
    caption: str
    tokens: Ranges


class _Rest(msgspec.Struct, gc=False):
    """The second part of a figure's payload."""

    image: str
    references: tuple[str, ...]
    document: str
    source: Any
    extra: Any
    image_sha256: str


class _FigureValue(msgspec.Struct):
    """The whole payload, as it is read."""

    image: str
    width: int
    height: int
    caption: str
    tokens: tuple[tuple[int, int], ...]
    references: tuple[str, ...]
    document: str
    source: dict[str, Any]
    extra: dict[str, Any]
    image_sha256: str


class _Searched(msgspec.Struct, gc=False):
    """The part of a payload in which words are sought."""

    caption: str
    document: str
    source: Any


_decode_searched = msgspec.json.Decoder(_Searched).decode

#: Bytes of a hash.
_HASH = 16

_encode = msgspec.json.Encoder().encode
_decode_figure = msgspec.json.Decoder(_FigureValue).decode


def figure_frame(figure: Figure) -> str:
    """A hash of what boxes and token ids refer to: the image's size, the caption and its tokens."""
    return blake2b(_frame(figure), digest_size=_HASH).hexdigest()


def first_figure_frame(figure: Figure) -> str:
    """The same as the first version of this program wrote it; its stores hold such."""
    ranges = [list(pair) for pair in figure.caption.ranges]
    return digest([int(figure.width), int(figure.height), figure.caption.text, ranges])


def figure_row(figure: Figure) -> dict[str, Any]:
    """Return the columns of `figure_revisions`. Raises StoreError for values that cannot be stored.

    content: a hash of all but id and revision. Rows that differ in it may still hold equal figures: stores of the
    first version have another hash, and keys of `source` and `extra` may be in another order.
    """
    try:
        check_text(figure.id)
        frame = _frame(figure)
        rest = _encode(
            _Rest(
                figure.image,
                figure.references,
                figure.document,
                _object(figure.source),
                _object(figure.record_keys),
                figure.image_sha256,
            )
        )
    except UnicodeEncodeError:
        _check(figure)
        raise
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    check_text(figure.id)
    if "\0" in figure.caption.text or b"\\u0000" in rest:  # NUL, or a text that only looks like its escape
        _check(figure)
    hashed = blake2b(frame, digest_size=_HASH)
    of_frame = hashed.hexdigest()
    hashed.update(rest)
    return {
        "figure_id": figure.id,
        "revision": int(figure.revision),
        "content": hashed.hexdigest(),
        "frame": of_frame,
        # One object of the two: the closing and the opening brace give way to a comma.
        "payload": (frame[:-1] + b"," + rest[1:]).decode(),
    }


def _check(figure: Figure) -> None:
    check_texts([figure.image, figure.caption.text, figure.references, figure.document, figure.image_sha256])
    check_texts([figure.source, figure.record_keys])


def _frame(figure: Figure) -> bytes:
    caption = figure.caption
    if caption.uncut:
        # Cut apart: a caption keeps its tokens, and thousands of figures wait to be stored together.
        caption = Caption.cut(caption.text)
    return _encode(_Frame(int(figure.width), int(figure.height), caption.text, caption.ranges))


def _object(value: Mapping[str, Any]) -> Any:
    """The object, or its JSON where msgspec might write another value than Python: floats, long numbers."""
    for each in value.values():
        if type(each) is not str:
            return msgspec.Raw(to_json(dict(value)).encode())
    return value if type(value) is dict else dict(value)


def _figure_value(payload: str) -> _FigureValue:
    try:
        return _decode_figure(payload)
    except msgspec.MsgspecError:
        # Infinity, which Python writes and strict readers refuse; what is damaged fails here as well.
        value = _FigureValue(**json.loads(payload))
        value.tokens = tuple((start, end) for start, end in value.tokens)
        value.references = tuple(value.references)
        return value


def text_of(row: Row) -> str:
    """Id, caption and source of a row of `figure_revisions`: fast, since the rest is not decoded."""
    try:
        value: _Searched | _FigureValue = _decode_searched(row["payload"])
    except msgspec.MsgspecError:
        value = readable(lambda: f"figure {quoted(row['figure_id'])}", lambda: _figure_value(row["payload"]))
    return "\n".join((row["figure_id"], value.caption, value.document, *map(str, value.source.values())))


def figure_from(row: Row) -> Figure:
    """The figure of a row of `figure_revisions`."""

    def decode() -> Figure:
        value = _figure_value(row["payload"])
        extra, imported = split_items(f'figure "{row["figure_id"]}"', value.extra)
        return Figure(
            id=row["figure_id"],
            image=value.image,
            width=value.width,
            height=value.height,
            caption=Caption.of_ranges(value.caption, value.tokens, checked=True),
            references=value.references,
            document=value.document,
            source=value.source,
            extra=extra,
            imported=imported,
            revision=row["revision"],
            image_sha256=value.image_sha256,
        )

    return readable(lambda: f"figure {quoted(row['figure_id'])}", decode)
