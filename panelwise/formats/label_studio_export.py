"""Label Studio's JSON export, full and minimal: tasks with their submitted work, not interpreted.

The minimal export is converted to the full one's shape, a task per record. The adapter interprets regions. Data
that Label Studio can't represent is stored in a task's `meta`, which it retains, under the key `panelwise`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from label_config import names
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import FormatError
from panelwise.domain.items import NO_ITEMS, Items
from panelwise.files.json_arrays import read_array
from panelwise.files.jsonl import Fields, Line, Problems
from panelwise.formats.annotations import time_text
from panelwise.formats.items import items_record, read_items
from panelwise.formats.losses import Losses

#: The key in a task's `meta`.
ASIDE = "panelwise"
#: Keys of a minimal record that are not the task's data.
_CONTROLS = {
    names.SUBFIGURE: ("rectanglelabels", names.FIGURE),
    names.SUBCAPTION: ("labels", names.CAPTION),
    names.STATUS: ("choices", names.FIGURE),
}
_OF_ANNOTATION = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "id")


@dataclass(slots=True)
class ExportCounts:
    """Counts of data in an export besides submitted work: drafts, predictions, tasks without a submission."""

    drafts: int = 0
    predictions: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task as exported: `data`, `predictions`, `annotations`, with their types checked.

    where: "file:line". minimal: from the minimal export, which has no source predictions. aside: data of the
    annotation the task was imported with, its first.
    """

    where: str
    task: Mapping[str, Any]
    minimal: bool
    aside: Aside

    @property
    def annotations(self) -> list[Mapping[str, Any]]:
        """Submitted annotations, including skipped ones."""
        found: list[Mapping[str, Any]] = self.task["annotations"]
        return found

    @property
    def source(self) -> str:
        """The task's DATA_SOURCE; see `label_config.names.task_source`."""
        return str(self.task["data"][names.DATA_SOURCE])


@dataclass(frozen=True, slots=True)
class Aside:
    """The `meta` of a task on the annotation it was imported with; "" and None for missing values."""

    annotator: str = ""
    phase: str = ""
    seeded_by: str | None = None
    guideline: str = ""
    width: int | None = None
    height: int | None = None
    items: Items = NO_ITEMS


def read_export(path: Path, problems: Problems, counts: ExportCounts) -> Iterator[ExportedTask]:
    """Yield the tasks of an export; a broken one is a problem and left out.

    counts: incremented for skipped data. Raises FormatError if the file is no JSON array.
    """
    for line in read_array(path, problems):
        try:
            task = _task(line)
        except FormatError as error:
            problems.add(error)
            continue
        counts.drafts += len(task.task["drafts"])
        counts.predictions += len(task.task["predictions"])
        counts.open += not task.annotations
        yield task


def looks_like_export(line: Line) -> bool:
    """Return True if a record is a task of either export, and no figure or annotation of ours."""
    full = isinstance(line.record.get("data"), dict) and isinstance(line.record.get("annotations"), list)
    return full or _is_minimal(line)


def task_record(data: Mapping[str, Any], payload: Mapping[str, Any], annotation: Annotation) -> dict[str, Any]:
    """Return a task with one annotation for import into Label Studio. data, payload: made by the adapter.

    It names no author: Label Studio refuses a whole file for one unknown e-mail. The annotator is in `meta`.
    """
    saved_at = time_text(annotation.saved_at)
    aside: dict[str, Any] = {
        "annotator": annotation.annotator,
        "phase": annotation.phase,
        "width": annotation.figure.width,
        "height": annotation.figure.height,
    }
    if annotation.seeded_by is not None:
        aside["seeded_by"] = annotation.seeded_by
    if annotation.guideline:
        aside["guideline"] = annotation.guideline
    aside.update(items_record(annotation.items))
    return {
        "data": dict(data),
        "meta": {ASIDE: aside},
        "annotations": [{**payload, "created_at": saved_at, "updated_at": saved_at}],
    }


def note_losses(annotation: Annotation, losses: Losses) -> None:
    """Count the data of an annotation that Label Studio does not show."""
    key = f"meta.{ASIDE}"
    items = annotation.items
    losses.aside("names and phases of annotators", key=key)
    losses.aside("models that an annotation began from", annotation.seeded_by is not None, key=key)
    losses.aside("versions of the guidelines", bool(annotation.guideline), key=key)
    judged = (items.kind is not None) + len(items.verdicts) + len(items.answers)
    losses.aside("figure types, verdicts and answers", judged, key=key)
    tokens: dict[str, frozenset[int]] = {}
    for each in annotation.subfigures:
        tokens[each.label] = tokens.get(each.label, each.subcaption) | each.subcaption
    merged = sum(each.subcaption != tokens[each.label] for each in annotation.subfigures)
    losses.left_out(
        "which of the boxes under one label its tokens belong to, so that each box gets all",
        merged,
        instead="`annotator export annotations` keeps it",
    )


def _task(line: Line) -> ExportedTask:
    minimal = _is_minimal(line)
    record = _full(line) if minimal else line.record
    fields = Fields(line.where, record)
    data = fields.mapping("data")
    Fields(line.where, data, "data.").text(names.DATA_SOURCE)
    annotations = [dict(each.record) for each in fields.objects("annotations")]
    for at, each in enumerate(annotations):
        Fields(line.where, each, f"annotations[{at}].").sequence("result")
    task = {
        **record,
        "data": data,
        "annotations": annotations,
        # Listed by id or whole, as the server is set.
        "predictions": [
            each if isinstance(each, Mapping) else {"id": each} for each in fields.sequence("predictions")
        ],
        "drafts": fields.sequence("drafts"),
    }
    return ExportedTask(line.where, task, minimal, _aside(fields))


def _aside(fields: Fields) -> Aside:
    entry = fields.inside("meta").inside(ASIDE)
    return Aside(
        annotator=entry.optional_text("annotator"),
        phase=entry.optional_text("phase"),
        seeded_by=entry.optional_text("seeded_by") or None,
        guideline=entry.optional_text("guideline"),
        width=entry.size("width"),
        height=entry.size("height"),
        items=read_items(entry),
    )


def _is_minimal(line: Line) -> bool:
    return "annotation_id" in line.record and "annotator" in line.record and "data" not in line.record


def _full(line: Line) -> dict[str, Any]:
    """Return a minimal record in the full export's shape, with one annotation, or none without a submission."""
    fields = Fields(line.where, line.record)
    data = {key: value for key, value in line.record.items() if key not in _CONTROLS and key not in _OF_ANNOTATION}
    if line.record["annotation_id"] is None:
        return {"id": line.record.get("id"), "data": data, "annotations": []}
    result: list[dict[str, Any]] = []
    for control, (kind, target) in _CONTROLS.items():
        for value in _values(fields, control):
            region: dict[str, Any] = {"from_name": control, "to_name": target, "type": kind, "value": value}
            for key in ("original_width", "original_height"):
                if key in value:
                    region[key] = value[key]
            result.append(region)
    author = line.record["annotator"]
    return {
        "id": line.record.get("id"),
        "data": data,
        "annotations": [
            {
                "id": line.record["annotation_id"],
                "completed_by": {"email": author} if isinstance(author, str) and "@" in author else author,
                "result": result,
                **{key: line.record.get(key) for key in ("created_at", "updated_at", "lead_time")},
            }
        ],
    }


def _values(fields: Fields, control: str) -> Iterator[Mapping[str, Any]]:
    """Yield a control's values; a single choice is written as a bare text."""
    found = fields.record.get(control)
    if control == names.STATUS and isinstance(found, str):
        yield {"choices": [found]}
    elif control == names.STATUS and found and all(isinstance(each, str) for each in fields.sequence(control)):
        yield {"choices": found}
    else:
        for entry in fields.objects(control):
            yield entry.record
