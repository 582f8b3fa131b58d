"""Domain objects to rows and back. Reading gives what was written, equal in every field.

Rows are plain dicts of column values. JSON payloads keep floats exactly, token ids sorted, text as it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Annotation, Prediction, Status, Subfigure
from annotator.domain.caption import Caption, Span
from annotator.domain.errors import FormatError, StoreError, one_line
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.domain.qa import Items
from annotator.formats.items import items_record, read_items
from annotator.formats.jsonl import Fields
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


def _readable(what: str, decode: Callable[[], T]) -> T:
    """What `decode` makes of a row; StoreError where the row is not what this module writes."""
    try:
        return decode()
    except (FormatError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise StoreError(
            f"{what} in the store is damaged ({type(error).__name__}: {one_line(error)}); restore a backup"
        ) from error


# figures


def figure_frame(figure: Figure) -> str:
    """A hash of what boxes and token ids refer to: the image's size, the caption and its tokens."""
    caption = figure.caption
    return digest(
        [int(figure.width), int(figure.height), caption.text, [[int(t.start), int(t.end)] for t in caption.tokens]]
    )


def figure_row(figure: Figure) -> dict[str, Any]:
    """Columns of `figure_revisions`."""
    value = {
        "image": figure.image,
        "width": int(figure.width),
        "height": int(figure.height),
        "caption": figure.caption.text,
        "tokens": [[int(token.start), int(token.end)] for token in figure.caption.tokens],
        "references": list(figure.references),
        "document": figure.document,
        "source": dict(figure.source),
        "extra": dict(figure.extra),
        "image_sha256": figure.image_sha256,
    }
    return {
        "figure_id": figure.id,
        "revision": int(figure.revision),
        "payload": to_json(value),
        "content": digest(value),
        "frame": figure_frame(figure),
    }


def figure_from(row: Row) -> Figure:
    """The figure of a row of `figure_revisions`."""

    def decode() -> Figure:
        value = json.loads(row["payload"])
        return Figure(
            id=row["figure_id"],
            image=value["image"],
            width=value["width"],
            height=value["height"],
            caption=Caption(value["caption"], tuple(Span(start, end) for start, end in value["tokens"])),
            references=tuple(value["references"]),
            document=value["document"],
            source=value["source"],
            extra=value["extra"],
            revision=row["revision"],
            image_sha256=value["image_sha256"],
        )

    return _readable(f"figure {quoted(row['figure_id'])}", decode)


# subfigures and items


def _subfigures_value(subfigures: tuple[Subfigure, ...]) -> list[list[Any]]:
    # Adding 0.0 turns -0.0 into 0.0 and an int into a float: equal boxes are then written alike.
    return [
        [entry.label, [float(v) + 0.0 for v in entry.box.as_list()], sorted(int(i) for i in entry.subcaption)]
        for entry in subfigures
    ]


def _subfigures_from(value: list[Any]) -> tuple[Subfigure, ...]:
    return tuple(Subfigure(label, Box(*box), frozenset(tokens)) for label, box, tokens in value)


def _items_from(value: dict[str, Any]) -> Items:
    return read_items(Fields("the store", value))


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
        value = json.loads(row["payload"])
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

    return _readable(f"an annotation of figure {quoted(figure.id)} by {quoted(row['annotator'])}", decode)


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
        value = json.loads(row["payload"])
        return Prediction(
            figure=figure,
            model_version=row["model_version"],
            subfigures=_subfigures_from(value["subfigures"]),
            scores=tuple(value["scores"]),
            items=_items_from(value["items"]),
        )

    return _readable(f"the prediction of {quoted(row['model_version'])} for figure {quoted(figure.id)}", decode)


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
        value = json.loads(row["payload"])
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

    return _readable(f"decision {row['version']} on figure {quoted(figure.id)}", decode)
