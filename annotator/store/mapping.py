"""Domain objects to rows and back. Reading gives what was written, equal in every field.

Rows are plain dicts of column values. JSON payloads keep floats exactly, token ids sorted, text as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Annotation, Prediction, Status, Subfigure
from annotator.domain.caption import Caption
from annotator.domain.errors import FormatError, StoreError, one_line
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.domain.qa import NO_ITEMS, Items
from annotator.formats.items import items_record, read_items
from annotator.formats.jsonl import Fields
from annotator.formats.tokens import token_texts
from annotator.store.errors import check_text, quoted

Row = Mapping[str, Any]
T = TypeVar("T")


def to_json(value: object) -> str:
    """Compact JSON text. Raises StoreError for what JSON cannot hold and for what `check_text` refuses."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    check_text(text)
    if "\\u0000" in text:  # NUL, or a text that only looks like its escape
        _check_texts(value)
    return text


def _check_texts(value: object) -> None:
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            _check_texts(key)
            _check_texts(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            _check_texts(entry)


def digest(value: object) -> str:
    """A short hash of a JSON value; the order of keys does not matter. For comparing, not for secrets."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def to_time(moment: datetime) -> str:
    """UTC, ISO 8601, always with microseconds and "Z": 28 characters whose order is that of time."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_time(text: str) -> datetime:
    """The aware UTC time that `to_time` wrote."""
    return datetime.fromisoformat(text)


def _readable(what: Callable[[], str], decode: Callable[[], T]) -> T:
    """What `decode` makes of a row; StoreError where the row is not what this module writes."""
    try:
        return decode()
    except (FormatError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise StoreError(
            f"{what()} in the store is damaged ({type(error).__name__}: {one_line(error)}); restore a backup"
        ) from error


# figures


class _Frame(msgspec.Struct):
    """What boxes and token ids of work on a figure refer to. The first part of a figure's payload."""

    width: int
    height: int
    caption: str
    tokens: msgspec.Raw


class _Rest(msgspec.Struct):
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


_encode = msgspec.json.Encoder().encode
_decode_figure = msgspec.json.Decoder(_FigureValue).decode


def figure_frame(figure: Figure) -> str:
    """A hash of what boxes and token ids refer to: the image's size, the caption and its tokens."""
    return _hash(_frame(figure, _tokens(figure)))


def first_figure_frame(figure: Figure) -> str:
    """The same as the first version of this program wrote it; its stores hold such."""
    ranges = [list(pair) for pair in figure.caption.ranges]
    return digest([int(figure.width), int(figure.height), figure.caption.text, ranges])


def figure_row(figure: Figure) -> dict[str, Any]:
    """Columns of `figure_revisions`. Raises StoreError for what cannot be kept.

    content: a hash of all but id and revision. Rows that differ in it may still hold equal figures: stores of the
    first version have another hash, and keys of `source` and `extra` may be in another order.
    """
    return _figure_row(figure, _tokens(figure))


def figure_rows(given: Sequence[Figure]) -> list[dict[str, Any] | StoreError]:
    """The row of each figure, as `figure_row` makes it, or why it cannot be kept; fast for many."""
    cut = iter(token_texts([figure.caption.text for figure in given if figure.caption.uncut]))
    rows: list[dict[str, Any] | StoreError] = []
    for figure in given:
        tokens = next(cut).encode() if figure.caption.uncut else _tokens(figure)
        try:
            rows.append(_figure_row(figure, tokens))
        except StoreError as error:
            rows.append(error)
    return rows


def _figure_row(figure: Figure, tokens: bytes) -> dict[str, Any]:
    try:
        frame, rest = _frame(figure, tokens), _rest(figure)
    except UnicodeEncodeError:
        _check_texts([figure.image, figure.caption.text, figure.references, figure.document, figure.image_sha256])
        _check_texts([figure.source, figure.extra])
        raise
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreError(f"a value cannot be kept as JSON ({one_line(error)}); give plain JSON values") from error
    check_text(figure.id)
    # One object of the two: the closing and the opening brace give way to a comma.
    payload = (frame[:-1] + b"," + rest[1:]).decode()
    if "\\u0000" in payload:  # NUL, or a text that only looks like its escape
        _check_texts([figure.image, figure.caption.text, figure.references, figure.document, figure.image_sha256])
        _check_texts([figure.source, figure.extra])
    hashed = _hash(frame)
    return {
        "figure_id": figure.id,
        "revision": int(figure.revision),
        "content": _hash(hashed.encode() + rest),
        "frame": hashed,
        "payload": payload,
    }


def _frame(figure: Figure, tokens: bytes) -> bytes:
    return _encode(_Frame(int(figure.width), int(figure.height), figure.caption.text, msgspec.Raw(tokens)))


def _rest(figure: Figure) -> bytes:
    return _encode(
        _Rest(
            figure.image,
            figure.references,
            figure.document,
            _object(figure.source),
            _object(figure.extra),
            figure.image_sha256,
        )
    )


def _tokens(figure: Figure) -> bytes:
    return _encode(figure.caption.ranges)


def _object(value: Mapping[str, Any]) -> Any:
    """The object, or its JSON where msgspec might write another value than Python: floats, long numbers."""
    for each in value.values():
        if type(each) is not str:
            return msgspec.Raw(to_json(dict(value)).encode())
    return value if type(value) is dict else dict(value)


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _figure_value(payload: str) -> _FigureValue:
    try:
        return _decode_figure(payload)
    except msgspec.MsgspecError:
        # Infinity, which Python writes and strict readers refuse; what is damaged fails here as well.
        value = _FigureValue(**json.loads(payload))
        value.tokens = tuple((start, end) for start, end in value.tokens)
        value.references = tuple(value.references)
        return value


def figure_from(row: Row) -> Figure:
    """The figure of a row of `figure_revisions`."""

    def decode() -> Figure:
        value = _figure_value(row["payload"])
        return Figure(
            id=row["figure_id"],
            image=value.image,
            width=value.width,
            height=value.height,
            caption=Caption.of_ranges(value.caption, value.tokens),
            references=value.references,
            document=value.document,
            source=value.source,
            extra=value.extra,
            revision=row["revision"],
            image_sha256=value.image_sha256,
        )

    return _readable(lambda: f"figure {quoted(row['figure_id'])}", decode)


# subfigures and items


def _subfigures_value(subfigures: tuple[Subfigure, ...]) -> list[list[Any]]:
    # Adding 0.0 turns -0.0 into 0.0 and an int into a float: equal boxes are then written alike.
    return [
        [entry.label, [float(v) + 0.0 for v in entry.box.as_list()], sorted(int(i) for i in entry.subcaption)]
        for entry in subfigures
    ]


def _subfigures_from(value: list[Any]) -> tuple[Subfigure, ...]:
    return tuple([Subfigure(label, Box(*box), frozenset(tokens)) for label, box, tokens in value])


def _payload(row: Row) -> Any:
    try:
        return msgspec.json.decode(row["payload"])
    except msgspec.MsgspecError:
        return json.loads(row["payload"])  # Infinity, which Python writes, or damage, told by its reader


def _items_from(value: dict[str, Any]) -> Items:
    return read_items(Fields("the store", value)) if value else NO_ITEMS


# annotations, predictions, decisions


def annotation_row(annotation: Annotation) -> dict[str, Any]:
    """Columns of `annotations`, without id and origin.

    content: a hash of what makes two annotations the same work: revision, status, subfigures, items, seed.
    """
    subfigures = _subfigures_value(annotation.subfigures)
    items = items_record(annotation.items)
    return {
        "figure_id": annotation.figure.id,
        "revision": int(annotation.figure.revision),
        "annotator": annotation.annotator,
        "phase": annotation.phase,
        "saved_at": to_time(annotation.saved_at),
        "status": annotation.status.value,
        "content": digest(
            [int(annotation.figure.revision), annotation.status.value, subfigures, items, annotation.seeded_by]
        ),
        "payload": to_json(
            {
                "subfigures": subfigures,
                "items": items,
                "seeded_by": annotation.seeded_by,
                "guideline": annotation.guideline,
                "seconds": annotation.seconds,
            }
        ),
    }


def annotation_from(row: Row, figure: Figure) -> Annotation:
    """The annotation of a row of `annotations`, on its figure."""

    def decode() -> Annotation:
        value = _payload(row)
        return Annotation(
            figure=figure,
            annotator=row["annotator"],
            phase=row["phase"],
            status=Status(row["status"]),
            subfigures=_subfigures_from(value["subfigures"]),
            saved_at=from_time(row["saved_at"]),
            items=_items_from(value["items"]),
            seeded_by=value["seeded_by"],
            guideline=value["guideline"],
            seconds=value["seconds"],
        )

    return _readable(lambda: f"an annotation of figure {quoted(figure.id)} by {quoted(row['annotator'])}", decode)


def prediction_row(prediction: Prediction) -> dict[str, Any]:
    """Columns of `predictions`, without id."""
    return {
        "figure_id": prediction.figure.id,
        "revision": int(prediction.figure.revision),
        "model_version": prediction.model_version,
        "payload": to_json(
            {
                "subfigures": _subfigures_value(prediction.subfigures),
                "scores": [float(score) for score in prediction.scores],
                "items": items_record(prediction.items),
            }
        ),
    }


def prediction_from(row: Row, figure: Figure) -> Prediction:
    """The prediction of a row of `predictions`, on its figure."""

    def decode() -> Prediction:
        value = _payload(row)
        return Prediction(
            figure=figure,
            model_version=row["model_version"],
            subfigures=_subfigures_from(value["subfigures"]),
            scores=tuple(value["scores"]),
            items=_items_from(value["items"]),
        )

    return _readable(
        lambda: f"the prediction of {quoted(row['model_version'])} for figure {quoted(figure.id)}", decode
    )


def decision_row(decision: Decision) -> dict[str, Any]:
    """Columns of `decisions`, without id."""
    return {
        "figure_id": decision.figure.id,
        "revision": int(decision.figure.revision),
        "version": decision.version,
        "reviewer": decision.reviewer,
        "status": decision.status.value,
        "decided_at": to_time(decision.decided_at),
        "payload": to_json(
            {
                "subfigures": _subfigures_value(decision.subfigures),
                "items": items_record(decision.items),
                "based_on": list(decision.based_on),
                "note": decision.note,
                "seconds": decision.seconds,
            }
        ),
    }


def decision_from(row: Row, figure: Figure) -> Decision:
    """The decision of a row of `decisions`, on its figure."""

    def decode() -> Decision:
        value = _payload(row)
        return Decision(
            figure=figure,
            reviewer=row["reviewer"],
            version=row["version"],
            status=Status(row["status"]),
            subfigures=_subfigures_from(value["subfigures"]),
            based_on=tuple(value["based_on"]),
            decided_at=from_time(row["decided_at"]),
            items=_items_from(value["items"]),
            note=value["note"],
            seconds=value["seconds"],
        )

    return _readable(lambda: f"decision {row['version']} on figure {quoted(figure.id)}", decode)
