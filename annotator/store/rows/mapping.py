"""Annotations, predictions and decisions to rows and back. Reading gives what was written, equal in every field.

Rows are plain dicts of column values. JSON payloads keep floats exactly, token ids sorted, text as it is. Figures
are in `figure_mapping`, single values in `values`.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from annotator.store.database.errors import quoted
from annotator.store.database.values import Row, digest, from_time, readable, to_json, to_time
from annotator.store.rows.records import BlindBoxes
from panelwise.domain import (
    NO_ITEMS,
    Annotation,
    Awaits,
    Box,
    Decision,
    ErrorKind,
    Figure,
    Items,
    NoArea,
    Prediction,
    Reopening,
    Status,
    StoreError,
    Subfigure,
    certainty_of,
)
from panelwise.files import Fields
from panelwise.formats import items_record, stored_items

#: The status of a row of `decisions` that reopens the figure.
REOPENED = "reopened"

#: The advice where a row is damaged.
RESTORE = "restore a backup"

Shape = TypeVar("Shape")
#: Label, box and token ids of a subfigure.
_Part = tuple[str, tuple[float, float, float, float], list[int]]


class _AnnotationPayload(msgspec.Struct, omit_defaults=True, gc=False):
    """Payload of an annotation: the values without a column. Those of earlier versions lack the last fields."""

    subfigures: list[_Part]
    items: dict[str, Any]
    seeded_by: str | None
    guideline: str
    reason: str = ""
    viewed: tuple[str, ...] | None = None
    unchanged: bool = False
    partly_read: bool = False


class _PredictionPayload(msgspec.Struct, gc=False):
    """Payload of a prediction."""

    subfigures: list[_Part]
    scores: list[float]
    items: dict[str, Any]


class _DecisionPayload(msgspec.Struct, omit_defaults=True, gc=False):
    """Payload of a decision: the values without a column."""

    subfigures: list[_Part]
    items: dict[str, Any]
    based_on: tuple[str, ...]
    note: str
    error_kind: ErrorKind | None = None
    guideline_flag: str | None = None
    restored_from: int | None = None


# subfigures and items


def _subfigures_value(subfigures: tuple[Subfigure, ...]) -> list[_Part]:
    # Adding 0.0 turns -0.0 into 0.0 and an int into a float: equal boxes are then written alike.
    parts = []
    for entry in subfigures:
        x0, y0, x1, y1 = (float(edge) + 0.0 for edge in entry.box.corners)
        parts.append((entry.label, (x0, y0, x1, y1), sorted(map(int, entry.subcaption))))
    return parts


def _subfigures_from(value: list[_Part]) -> tuple[Subfigure, ...]:
    """Subfigures of a payload, without those of no area, which earlier versions stored (see `without_area`)."""
    try:
        return tuple([Subfigure(label, Box(*box), frozenset(tokens)) for label, box, tokens in value])
    except NoArea:
        left_out = set(without_area(value))
        return _subfigures_from([each for place, each in enumerate(value) if place not in left_out])


def without_area(subfigures: list[_Part]) -> list[int]:
    """Places of the subfigures of a payload whose box is not inverted, but has an area of 0 in float64."""
    return [
        place
        for place, (_, (x0, y0, x1, y1), _) in enumerate(subfigures)
        if x0 <= x1 and y0 <= y1 and not (x1 - x0) * (y1 - y0) > 0.0
    ]


class _Drawn(msgspec.Struct, gc=False):
    """The subfigures of any payload."""

    subfigures: list[_Part] = []


def stored_subfigures(row: Row) -> list[_Part]:
    """Label, box and tokens of each subfigure in a row's payload, as they were written."""
    return _payload(row, _Drawn).subfigures


def _payload(row: Row, shape: type[Shape]) -> Shape:
    """Return a row's payload. Raises ValueError for a damaged one."""
    try:
        return msgspec.json.decode(row["payload"], type=shape)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(row["payload"]), shape)  # Infinity, which Python writes, or damage


def _written(payload: msgspec.Struct) -> str:
    return to_json(msgspec.to_builtins(payload))


def _items_from(value: dict[str, Any]) -> Items:
    return stored_items(Fields("the store", value)) if value else NO_ITEMS


# what is given, annotations, predictions, decisions


def blind_boxes_row(boxes: BlindBoxes) -> dict[str, Any]:
    """Return the columns of `given`, without phase and time, and without tokens, which stay hidden."""
    bare = tuple([Subfigure(each.label, each.box) for each in boxes.subfigures])
    return {
        "figure_id": boxes.figure_id,
        "revision": int(boxes.revision),
        "source": boxes.source,
        "payload": to_json(_subfigures_value(bare)),
    }


def blind_boxes_from(row: Row) -> BlindBoxes:
    """Return the boxes of a row of `given`."""

    def decode() -> BlindBoxes:
        return BlindBoxes(
            row["figure_id"], row["revision"], row["source"], _subfigures_from(_payload(row, list[_Part]))
        )

    return readable(
        lambda: f"what phase {quoted(row['phase'])} gives on figure {quoted(row['figure_id'])}", decode
    )


def annotation_row(annotation: Annotation) -> dict[str, Any]:
    """Columns of `annotations`, without id and origin."""
    subfigures = _subfigures_value(annotation.subfigures)
    payload = _AnnotationPayload(
        subfigures,
        items_record(annotation.items),
        annotation.seeded_by,
        annotation.guideline,
        annotation.reason,
        annotation.viewed,
        annotation.unchanged,
        annotation.partly_read,
    )
    return {
        "figure_id": annotation.figure.id,
        "revision": int(annotation.figure.revision),
        "annotator": annotation.annotator,
        "phase": annotation.phase,
        "saved_at": to_time(annotation.saved_at),
        "status": annotation.status.value,
        "content": content_of(annotation, subfigures),
        "seconds": annotation.seconds,
        "payload": _written(payload),
    }


def content_of(annotation: Annotation, subfigures: list[_Part]) -> str:
    """A hash of what makes two annotations the same work: revision, status, subfigures, items, seed, reason.

    Work that was read in part is not the same as whole work. subfigures: as the payload has them.
    """
    items = items_record(annotation.items)
    content: list[Any] = [
        int(annotation.figure.revision),
        annotation.status.value,
        subfigures,
        items,
        annotation.seeded_by,
    ]
    if annotation.reason:
        content.append(annotation.reason)
    if annotation.partly_read:
        content.append({"partly_read": True})
    return digest(content)


def annotation_from(row: Row, figure: Figure) -> Annotation:
    """The annotation of a row of `annotations`, on its figure."""

    def decode() -> Annotation:
        value = _payload(row, _AnnotationPayload)
        return Annotation(
            figure=figure,
            annotator=row["annotator"],
            phase=row["phase"],
            status=Status(row["status"]),
            subfigures=_subfigures_from(value.subfigures),
            saved_at=from_time(row["saved_at"]),
            items=_items_from(value.items),
            seeded_by=value.seeded_by,
            guideline=value.guideline,
            seconds=row["seconds"],
            reason=value.reason,
            viewed=value.viewed,
            unchanged=value.unchanged,
            partly_read=value.partly_read,
        )

    return readable(lambda: f"an annotation of figure {quoted(figure.id)} by {quoted(row['annotator'])}", decode)


def prediction_row(prediction: Prediction) -> dict[str, Any]:
    """Columns of `predictions`, without id."""
    subfigures, scores = _subfigures_value(prediction.subfigures), list(map(float, prediction.scores))
    return {
        "figure_id": prediction.figure.id,
        "revision": int(prediction.figure.revision),
        "model_version": prediction.model_version,
        "subfigures": len(prediction.subfigures),
        "certainty": prediction.certainty,
        "payload": _written(_PredictionPayload(subfigures, scores, items_record(prediction.items))),
    }


def number_predicted(row: Row) -> int:
    """Return the number of subfigures of a row of `predictions`. Raises StoreError if its payload is damaged."""
    return readable(lambda: _prediction_name(row), lambda: int(row["subfigures"]))


def _prediction_name(row: Row) -> str:
    return f"the prediction of {quoted(row['model_version'])} for figure {quoted(row['figure_id'])}"


def prediction_from(row: Row, figure: Figure) -> Prediction:
    """The prediction of a row of `predictions`, on its figure."""

    def decode() -> Prediction:
        value = _payload(row, _PredictionPayload)
        left_out = set(without_area(value.subfigures))
        return Prediction(
            figure=figure,
            model_version=row["model_version"],
            subfigures=_subfigures_from(value.subfigures),
            scores=tuple([score for place, score in enumerate(value.scores) if place not in left_out]),
            items=_items_from(value.items),
        )

    return readable(lambda: _prediction_name(row), decode)


def check_prediction(row: Row, figure: Figure) -> None:
    """Raise StoreError unless a row of `predictions` can be read, and its columns are those of its payload."""
    prediction_from(row, figure)
    value = _payload(row, _PredictionPayload)
    if (row["subfigures"], row["certainty"]) != (len(value.subfigures), certainty_of(value.scores)):
        raise StoreError(f"its number of subfigures or its certainty is not that of its payload; {RESTORE}")


def decision_row(entry: Decision | Reopening) -> dict[str, Any]:
    """Columns of `decisions`, without id. A reopening is a row without work, of a status of its own."""
    if isinstance(entry, Reopening):
        status, moment, payload = REOPENED, entry.reopened_at, to_json({"note": entry.note})
        columns: dict[str, Any] = {"seconds": None, "awaits": None, "flagged": False}
    else:
        status, moment, payload = entry.status.value, entry.decided_at, _decision_payload(entry)
        columns = {
            "seconds": entry.seconds,
            "awaits": entry.awaits and entry.awaits.value,
            "flagged": bool(entry.guideline_flag),
        }
    return {
        "figure_id": entry.figure.id,
        "revision": int(entry.figure.revision),
        "version": entry.version,
        "reviewer": entry.reviewer,
        "status": status,
        "decided_at": to_time(moment),
        "payload": payload,
        **columns,
    }


def _decision_payload(decision: Decision) -> str:
    return _written(
        _DecisionPayload(
            _subfigures_value(decision.subfigures),
            items_record(decision.items),
            decision.based_on,
            decision.note,
            decision.error_kind,
            decision.guideline_flag or None,
            decision.restored_from,
        )
    )


def decision_from(row: Row, figure: Figure) -> Decision:
    """The decision of a row of `decisions` that is no reopening, on its figure."""

    def decode() -> Decision:
        value, awaits = _payload(row, _DecisionPayload), row["awaits"]
        return Decision(
            figure=figure,
            reviewer=row["reviewer"],
            version=row["version"],
            status=Status(row["status"]),
            subfigures=_subfigures_from(value.subfigures),
            based_on=value.based_on,
            decided_at=from_time(row["decided_at"]),
            items=_items_from(value.items),
            note=value.note,
            seconds=row["seconds"],
            error_kind=value.error_kind,
            guideline_flag=value.guideline_flag or "",
            restored_from=value.restored_from,
            awaits=None if awaits is None else Awaits(awaits),
        )

    return readable(lambda: f"decision {row['version']} on figure {quoted(figure.id)}", decode)


def check_entry(row: Row, figure: Figure) -> None:
    """Raise StoreError unless a row of `decisions` can be read, and is flagged where its payload says so."""
    entry = entry_from(row, figure)
    if row["flagged"] != (isinstance(entry, Decision) and bool(entry.guideline_flag)):
        raise StoreError(f"whether it is flagged for the guidelines is not what its payload says; {RESTORE}")


def entry_from(row: Row, figure: Figure) -> Decision | Reopening:
    """Build the history's entry of a row of `decisions`, on its figure."""
    if row["status"] != REOPENED:
        return decision_from(row, figure)

    def decode() -> Reopening:
        return Reopening(
            figure=figure,
            reviewer=row["reviewer"],
            version=row["version"],
            reopened_at=from_time(row["decided_at"]),
            note=_payload(row, dict[str, str])["note"],
        )

    return readable(lambda: f"reopening {row['version']} of figure {quoted(figure.id)}", decode)
