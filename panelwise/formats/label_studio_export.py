"""Label Studio's JSON export, full and minimal: tasks with their submitted work, not interpreted.

The minimal export is converted to the full one's shape, a task per record. The adapter interprets regions. Data
that Label Studio can't represent is stored in a task's `meta`, which it retains, under the key `panelwise`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from label_config import names
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import FormatError
from panelwise.domain.items import NO_ITEMS, Items
from panelwise.files.file_names import IMAGE_ENDINGS
from panelwise.files.json_arrays import read_array
from panelwise.files.jsonl import Fields, Line, Problems
from panelwise.formats.annotations import time_text
from panelwise.formats.content import Content
from panelwise.formats.items import items_record, read_items
from panelwise.formats.losses import Losses

#: The key in a task's `meta`.
ASIDE = "panelwise"
#: Keys of the data of our own tasks.
_DATA = frozenset(value for name, value in vars(names).items() if name.startswith("DATA_"))
#: Keys of a minimal record that are not the task's data.
_CONTROLS = {
    names.SUBFIGURE: ("rectanglelabels", names.FIGURE),
    names.SUBCAPTION: ("labels", names.CAPTION),
    names.STATUS: ("choices", names.FIGURE),
}
#: A path or address of an image.
_IMAGE = re.compile(rf"(?:{'|'.join(map(re.escape, IMAGE_ENDINGS))})(?:[?#].*)?\Z", re.IGNORECASE)
#: One of these is in every region of an image or a text, whatever its control.
_REGION_KEYS = {"original_width", "start", "points", "rle", "x"}
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
        """The task's DATA_SOURCE, "" without one; see `label_config.names.task_source`."""
        return str(self.task["data"].get(names.DATA_SOURCE) or "")

    @property
    def images(self) -> list[str]:
        """Paths and addresses of images in the task's data."""
        return _images(self.task["data"])


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
    partly_read: bool = False


def read_export(path: Path, problems: Problems, counts: ExportCounts) -> Iterator[ExportedTask]:
    """Yield the tasks of an export; a broken one is a problem and left out, as is a repeated annotation.

    counts: incremented for skipped data. Raises FormatError if the file is no JSON array.
    """
    ids = _Ids(problems)
    for line in read_array(path, problems):
        try:
            task = _task(line, problems, counts)
        except FormatError as error:
            problems.add(error)
            continue
        counts.drafts += len(task.task["drafts"])
        counts.predictions += len(task.task["predictions"])
        ids.check(task)
        yield task


class _Ids:
    """The ids of a file's tasks and annotations, each with its first place. Servers number alike."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._tasks: dict[str, str] = {}
        self._annotations: dict[str, tuple[str, str, str]] = {}

    def check(self, task: ExportedTask) -> None:
        """Name repeated ids; an annotation of the same figure by the same author is left out the second time."""
        number = str(task.task.get("id"))
        if number in self._tasks:
            self._problems.note(f"{task.where}: task {number} is there before ({self._tasks[number]}); read both")
        elif not task.minimal and task.task.get("id") is not None:
            self._tasks[number] = task.where
        for record in list(task.annotations):
            number, author = str(record.get("id")), account_of(record)
            if record.get("id") is None:
                continue
            if number not in self._annotations:
                self._annotations[number] = (task.where, _figure_of(task), author)
                continue
            where, *own = self._annotations[number]
            if own == [_figure_of(task), author]:
                self._problems.add(f"{task.where}: annotation {number} is there before ({where}); kept the first")
                task.annotations.remove(record)
            else:
                self._problems.note(f"{task.where}: annotation {number} is there before ({where}); read both")


def _images(data: Mapping[str, Any]) -> list[str]:
    return [each for each in data.values() if isinstance(each, str) and _IMAGE.search(each)]


def _figure_of(task: ExportedTask) -> str:
    """Return what identifies the figure of a task."""
    return task.source or " ".join(task.images)


def email_of(record: Mapping[str, Any]) -> str:
    """Return the e-mail of an annotation's author in lower case, "" if it names none."""
    author = record.get("completed_by")
    if author is None:
        # Label Studio Enterprise and the list of tasks: "ann@example.org, 3".
        name = str(record.get("created_username") or "").partition(",")[0].strip()
        return name.lower() if "@" in name else ""
    return str(author.get("email") or "").lower() if isinstance(author, Mapping) else ""


def account_of(record: Mapping[str, Any]) -> str:
    """Return the e-mail of an annotation's author, else the account's number or name; "" if it names none."""
    author = record.get("completed_by")
    number = author.get("id") if isinstance(author, Mapping) else author
    name = str(record.get("created_username") or "").strip() if author is None else ""
    return email_of(record) or ("" if number is None else str(number)) or name


def looks_like_export(line: Line) -> bool:
    """Return True if a record is a task of either export, and no figure or annotation of ours."""
    full = isinstance(line.record.get("data"), dict) and isinstance(_annotations(line.record), list)
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
    losses.aside("names and phases of annotators", key=key)
    losses.aside("models that an annotation began from", annotation.seeded_by is not None, key=key)
    losses.aside("versions of the guidelines", bool(annotation.guideline), key=key)
    losses.aside("figure types, verdicts and answers", len(annotation.items.parts), key=key)
    tokens: dict[str, frozenset[int]] = {}
    for each in annotation.subfigures:
        tokens[each.label] = tokens.get(each.label, each.subcaption) | each.subcaption
    merged = sum(each.subcaption != tokens[each.label] for each in annotation.subfigures)
    losses.left_out(
        "which of the boxes under one label its tokens belong to, so that each box gets all",
        merged,
        instead="`annotator export annotations` keeps it",
    )


def _annotations(record: Mapping[str, Any]) -> Any:
    """Return a task's annotations; versions before 1.0 call them completions."""
    return record["annotations"] if record.get("annotations") is not None else record.get("completions")


def _task(line: Line, problems: Problems, counts: ExportCounts) -> ExportedTask:
    minimal = _is_minimal(line)
    record = _full(line) if minimal else {**line.record, "annotations": _annotations(line.record)}
    fields = Fields(line.where, record)
    data = fields.mapping("data")
    task_data = Fields(line.where, data, "data.")
    if not task_data.optional_text(names.DATA_SOURCE) and not _images(data):
        raise task_data.error(names.DATA_SOURCE, "is missing, and the task names no image; give the figure's id")
    if record["annotations"] is None:
        raise fields.error("annotations", "is missing; export the tasks with their annotations")
    submitted = fields.sequence("annotations")
    annotations = []
    counts.open += not submitted
    for at, value in enumerate(submitted):
        try:
            entry = fields.element("annotations", at, value)
            entry.sequence("result")
            # Versions before 1.0 call skipped tasks so.
            annotations.append({"was_cancelled": entry.record.get("skipped"), **entry.record})
        except FormatError as error:
            problems.add(f"{error}; left this annotation out")
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
    return ExportedTask(line.where, task, minimal, _aside(fields, problems))


def _aside(fields: Fields, problems: Problems) -> Aside:
    content = Content(fields.where)
    entry = fields.inside("meta").inside(ASIDE)
    aside = Aside(
        annotator=entry.optional_text("annotator"),
        phase=entry.optional_text("phase"),
        seeded_by=entry.optional_text("seeded_by") or None,
        guideline=entry.optional_text("guideline"),
        width=entry.size("width"),
        height=entry.size("height"),
        items=read_items(entry, content),
        partly_read=content.partly_read,
    )
    content.report(problems)
    return aside


def _is_minimal(line: Line) -> bool:
    return "annotation_id" in line.record and "annotator" in line.record and "data" not in line.record


def _full(line: Line) -> dict[str, Any]:
    """Return a minimal record in the full export's shape, with one annotation, or none without a submission."""
    fields = Fields(line.where, line.record)
    others = {key for key, value in line.record.items() if key not in _CONTROLS and _holds_regions(value)}
    own = {*_CONTROLS, *_OF_ANNOTATION, *others}
    data = {key: value for key, value in line.record.items() if key not in own}
    if line.record["annotation_id"] is None:
        return {"id": line.record.get("id"), "data": data, "annotations": []}
    result: list[dict[str, Any]] = []
    for control in [*_CONTROLS, *sorted(others)]:
        kind, target = _CONTROLS.get(control, ("", ""))
        for value in _values(fields, control):
            region: dict[str, Any] = {"from_name": control, "to_name": target, "type": kind, "value": value}
            if isinstance(value, Mapping):
                region |= {key: value[key] for key in ("original_width", "original_height") if key in value}
            result.append(region)
    unknown = [key for key in data if key not in _DATA and data[key] not in _images(data)]
    if unknown and not result:
        raise fields.error(unknown[0], "may be an annotator's work, or data of the task; export as JSON")
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


def _holds_regions(value: object) -> bool:
    """Return True for the regions of a control that Panelwise does not know, which are no data of the task."""
    return isinstance(value, list) and any(isinstance(each, dict) and _REGION_KEYS & each.keys() for each in value)


def _values(fields: Fields, control: str) -> Iterator[Any]:
    """Yield a control's values, of any type; a single choice is written as a bare text."""
    found = fields.record.get(control)
    if control == names.STATUS and isinstance(found, str):
        yield {"choices": [found]}
    elif control == names.STATUS and found and all(isinstance(each, str) for each in fields.sequence(control)):
        yield {"choices": found}
    else:
        yield from fields.sequence(control)
