"""Figures, predictions and annotations as Label Studio's JSON, and back. The only module that knows percents.

Going out: boxes in percent of the image, spans in code points of the caption. Coming in: everything is checked,
since regions can be changed through the API and drawn on an image or caption that has been replaced since.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any
from urllib.parse import quote

from annotator.domain.annotation import EDGE_SLACK, Annotation, Prediction, Status, Subfigure, repeated_labels
from annotator.domain.caption import Span
from annotator.domain.errors import InvalidAnnotation, SyncError
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.formats.jsonl import is_number
from label_config import names

Region = dict[str, Any]

#: The folder below the served root; what a figure's image path begins with.
_IMAGES = "images/"
#: Decimal places of a pixel: far below what anyone draws, far above what percents lose.
_PLACES = 6
_NO_REFERENCES = "<p>Nothing at hand.</p>"
_SPACE = re.compile(r"\\n|\s+")


@dataclass(frozen=True, slots=True)
class Pulled:
    """An annotation as it came back. A line each, figure, annotator and label named:

    findings: what is odd but kept. left_out: what could not be kept.
    """

    annotation: Annotation
    findings: tuple[str, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Submitted:
    """What a task holds. record: the annotation that counts, None where the task is open. others: how many more
    there are. accounts: ids of those who submitted any, in order, each once; None for one that is not told.
    """

    record: Mapping[str, Any] | None
    others: int
    accounts: tuple[int | None, ...]


class _NoArea(InvalidAnnotation):
    """A box without width or height: a slip of the mouse, no sign that figure and annotation do not fit."""


def task_data(figure: Figure, *, seed: str = "") -> dict[str, str]:
    """The task's data; seed: the model whose prediction goes with it.

    Raises InvalidAnnotation for a figure without an image in the home's images folder.
    """
    if not figure.image.startswith(_IMAGES):
        raise InvalidAnnotation(
            f'figure "{figure.id}": no stored image ("{figure.image}"); import it with its image first'
        )
    references = "".join(f"<p>{html.escape(reference)}</p>" for reference in figure.references)
    return {
        names.DATA_IMAGE: f"/data/local-files/?d={quote(figure.image)}",
        names.DATA_CAPTION: figure.caption.text,
        names.DATA_REFERENCES: references or _NO_REFERENCES,
        names.DATA_TITLE: figure.id if figure.revision == 1 else f"{figure.id} (revision {figure.revision})",
        names.DATA_SOURCE: names.task_source(figure.id, figure.revision),
        names.DATA_SEED: seed,
    }


def prediction_payload(prediction: Prediction, *, single_span: bool = False) -> dict[str, Any]:
    """The prediction as the server takes it; score is the mean over its subfigures (0 for none).

    Its model's version goes into the task's data (`task_data`): the server shows one version of a project only.
    single_span: each subcaption is reduced to its longest span, as phases that ask for one show it.
    """
    scores = prediction.scores
    return {
        "model_version": names.SHOWN_VERSION,
        "score": sum(scores) / len(scores) if scores else 0.0,
        "result": regions(prediction.figure, prediction.subfigures, single_span=single_span),
    }


def annotation_payload(annotation: Annotation) -> dict[str, Any]:
    """The annotation as the server takes it: `result`, `lead_time`, `was_cancelled`."""
    payload: dict[str, Any] = {
        "result": regions(annotation.figure, annotation.subfigures, status=annotation.status),
        "was_cancelled": annotation.status is Status.IGNORED,
    }
    if annotation.seconds is not None:
        payload["lead_time"] = annotation.seconds
    return payload


def regions(
    figure: Figure,
    subfigures: Iterable[Subfigure],
    *,
    status: Status | None = None,
    single_span: bool = False,
) -> list[Region]:
    """Boxes and spans as regions, plus the choice that says accepted or rejected where `status` does.

    Two subfigures under one label give two boxes; a span that both have is written once.
    """
    result: list[Region] = []
    spans: dict[tuple[str, Span], None] = {}
    for index, subfigure in enumerate(subfigures):
        result.append(_box_region(figure, subfigure, f"box{index}"))
        marked = figure.caption.spans_of(subfigure.subcaption)
        if single_span and marked:
            marked = (max(marked, key=lambda span: span.end - span.start),)
        spans.update(dict.fromkeys((subfigure.label, span) for span in marked))
    for index, (label, span) in enumerate(spans):
        result.append(_span_region(figure, label, span, f"span{index}"))
    if status in (Status.ACCEPTED, Status.REJECTED):
        choice = names.STATUS_ACCEPT if status is Status.ACCEPTED else names.STATUS_REJECT
        result.append(
            {
                "id": "status",
                "from_name": names.STATUS,
                "to_name": names.FIGURE,
                "type": "choices",
                "value": {"choices": [choice]},
            }
        )
    return result


def to_percent(box: Box, figure: Figure) -> dict[str, float]:
    """x, y, width and height in percent of the image; what passes the edge is cut off."""
    inside = box.clamped(figure.width, figure.height)
    x, y = 100.0 * inside.x0 / figure.width, 100.0 * inside.y0 / figure.height
    return {
        "x": x,
        "y": y,
        # Rounding must not carry the far edge past 100, where validation refuses it.
        "width": min(100.0 * inside.width / figure.width, 100.0 - x),
        "height": min(100.0 * inside.height / figure.height, 100.0 - y),
    }


def from_percent(value: Mapping[str, Any], figure: Figure) -> Box:
    """The box in pixels of `figure`.

    Raises InvalidAnnotation where it leaves the image by more than the slack, or has no area inside it.
    """
    try:
        x, y, width, height = (float(value[key]) for key in ("x", "y", "width", "height"))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidAnnotation(f"a box without numbers for x, y, width and height: {value}") from error
    corners = (
        x * figure.width / 100.0,
        y * figure.height / 100.0,
        (x + width) * figure.width / 100.0,
        (y + height) * figure.height / 100.0,
    )
    # So that a box that nobody moved comes back as it went, and is known for the same work.
    edges = tuple(round(edge, _PLACES) for edge in corners)
    if all(map(isfinite, edges)) and width >= 0 and height >= 0 and (edges[0] == edges[2] or edges[1] == edges[3]):
        raise _NoArea(f"box {[round(edge, 1) for edge in edges]} has no area")
    box = Box(edges[0], edges[1], edges[2], edges[3])
    if not box.inside(figure.width, figure.height, slack=EDGE_SLACK):
        raise InvalidAnnotation(
            f"box {[round(edge, 1) for edge in box.as_list()]} leaves the image "
            f"({figure.width} x {figure.height} pixels); draw it inside"
        )
    if box.x0 >= figure.width or box.y0 >= figure.height or box.x1 <= 0 or box.y1 <= 0:
        raise _NoArea(f"box {[round(edge, 1) for edge in edges]} has no area inside the image")
    return box.clamped(figure.width, figure.height)


def pulled(
    task: Mapping[str, Any],
    record: Mapping[str, Any],
    figure: Figure,
    *,
    annotator: str,
    phase: str,
    guideline: str = "",
    single_span: bool = False,
) -> Pulled:
    """One annotation of the server as the domain's.

    task: with `data` and `predictions`. record: one of its annotations. A span under a label without a box, a box
    or span without a label, a box without area and a region of a foreign control cannot be kept: each is told in
    `left_out`. Two boxes under one label both take the label's spans; that is a finding. Raises InvalidAnnotation,
    figure and annotator named, where caption, image or geometry do not fit the figure.
    """
    where = f'figure "{figure.id}", annotator "{annotator}"'
    try:
        _check_caption(task, figure)
        reading = _Reading(figure)
        for region in record.get("result") or ():
            reading.take(region)
        status = Status.IGNORED if record.get("was_cancelled") else reading.status
        subfigures = reading.subfigures(single_span=single_span)
        annotation = Annotation(
            figure=figure,
            annotator=annotator,
            phase=phase,
            status=status,
            subfigures=subfigures,
            saved_at=_moment(record),
            seeded_by=_seed(task, record),
            guideline=guideline,
            seconds=_seconds(record.get("lead_time")),
        )
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"{where}: {error}") from error
    return Pulled(
        annotation,
        tuple(f"{where}: {finding}" for finding in reading.findings),
        tuple(f"{where}: {loss}" for loss in reading.left_out),
    )


class _Reading:
    """Regions of one annotation as they come in."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.boxes: list[tuple[str, Box]] = []
        self.spans: dict[str, list[Span]] = {}
        self.status = Status.ACCEPTED
        self.findings: list[str] = []
        self.left_out: list[str] = []

    def take(self, region: Any) -> None:
        """Sort one region in. Raises InvalidAnnotation where it does not fit the figure."""
        if not isinstance(region, Mapping):
            raise InvalidAnnotation(f"a region that is no object: {region!r}")
        control = region.get("from_name")
        value = region.get("value")
        if not isinstance(value, Mapping):
            self.left_out.append(f'a region of kind "{region.get("type")}" is left out; the campaign has no such')
        elif control == names.SUBFIGURE:
            self._take_box(region, value)
        elif control == names.SUBCAPTION:
            self._take_span(value)
        elif control == names.STATUS:
            self._take_status(value)
        else:
            self.left_out.append(
                f'a region of control "{control}" is left out; the campaign\'s config has no such'
            )

    def subfigures(self, *, single_span: bool) -> tuple[Subfigure, ...]:
        """The boxes with their labels' tokens, in the order drawn; odd things become findings."""
        drawn = {label for label, _ in self.boxes}
        for label, spans in self.spans.items():
            if label not in drawn:
                self.left_out.append(
                    f'label "{label}" has {len(spans)} span(s) in the caption but no box, so it is left out: '
                    f'"{self._quoted(spans[0])}"; draw its box, or remove the span'
                )
            elif single_span and len(spans) > 1:
                self.findings.append(
                    f'label "{label}" has {len(spans)} spans; this phase asks for one if possible'
                )
        found = tuple(
            Subfigure(label, box, self.figure.caption.tokens_in(self.spans.get(label, ())))
            for label, box in self.boxes
        )
        for label in repeated_labels(found):
            self.findings.append(
                f'label "{label}" is on more than one box; gold needs a label of its own for each'
            )
        return found

    def _take_box(self, region: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        box_labels = _labels(value, "rectanglelabels")
        size = (region.get("original_width"), region.get("original_height"))
        if size != (self.figure.width, self.figure.height):
            raise InvalidAnnotation(
                f"a box was drawn on an image of {size[0]} x {size[1]} pixels, the stored one has "
                f"{self.figure.width} x {self.figure.height}; was the image replaced? Push the figure anew"
            )
        if value.get("rotation") or region.get("image_rotation"):
            raise InvalidAnnotation(f"a rotated box {list(box_labels)}; draw it upright")
        try:
            box = from_percent(value, self.figure)
        except _NoArea as slip:
            self.left_out.append(
                f"{slip}, so it is left out (labels: {', '.join(box_labels) or 'none'}); remove it"
            )
            return
        if not box_labels:
            self.left_out.append(
                f"box {[round(edge) for edge in box.as_list()]} has no label, so it is left out; give it one"
            )
        self.boxes += [(label, box) for label in box_labels]

    def _take_span(self, value: Mapping[str, Any]) -> None:
        start, end = value.get("start"), value.get("end")
        text = self.figure.caption.text
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
            raise InvalidAnnotation(
                f"span [{start}, {end}) does not fit a caption of {len(text)} characters; "
                "was the caption replaced? Push the figure anew"
            )
        span = Span(start, end)
        said = value.get("text")
        # Escaped newlines and the browser's treatment of blanks aside, the text must be what the offsets say.
        if isinstance(said, str) and _SPACE.sub("", said) != _SPACE.sub("", text[start:end]):
            raise InvalidAnnotation(
                f'span [{start}, {end}) says "{said[:40]}", the caption there "{self._quoted(span)}"; '
                "was the caption replaced? Push the figure anew"
            )
        span_labels = _labels(value, "labels")
        if not span_labels:
            self.left_out.append(f'span "{self._quoted(span)}" has no label, so it is left out; give it one')
        for label in span_labels:
            self.spans.setdefault(label, []).append(span)

    def _take_status(self, value: Mapping[str, Any]) -> None:
        choices = _labels(value, "choices")
        if names.STATUS_REJECT in choices:
            self.status = Status.REJECTED
        elif any(choice != names.STATUS_ACCEPT for choice in choices):
            self.findings.append(f"choice {list(choices)} is unknown; the figure counts as accepted")

    def _quoted(self, span: Span) -> str:
        return " ".join(self.figure.caption.text[span.start : span.end].split())[:40]


def _labels(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key) or ()
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InvalidAnnotation(f'"{key}" of a region is no list: {found!r}')
    return tuple(str(label) for label in found)


def _box_region(figure: Figure, subfigure: Subfigure, region_id: str) -> Region:
    return {
        "id": region_id,
        "from_name": names.SUBFIGURE,
        "to_name": names.FIGURE,
        "type": "rectanglelabels",
        "original_width": figure.width,
        "original_height": figure.height,
        "image_rotation": 0,
        "value": {**to_percent(subfigure.box, figure), "rotation": 0, "rectanglelabels": [subfigure.label]},
    }


def _span_region(figure: Figure, label: str, span: Span, region_id: str) -> Region:
    marked = figure.caption.text[span.start : span.end]
    return {
        "id": region_id,
        "from_name": names.SUBCAPTION,
        "to_name": names.CAPTION,
        "type": "labels",
        # The editor writes newlines like this as well.
        "value": {"start": span.start, "end": span.end, "text": marked.replace("\n", "\\n"), "labels": [label]},
    }


def _check_caption(task: Mapping[str, Any], figure: Figure) -> None:
    data = task.get("data") or {}
    if (data.get(names.DATA_CAPTION) or "") != figure.caption.text:
        raise InvalidAnnotation("its caption in Label Studio is not the stored one; push the figure anew")


def _moment(record: Mapping[str, Any]) -> datetime:
    said = record.get("updated_at") or record.get("created_at")
    try:
        moment = said if isinstance(said, datetime) else datetime.fromisoformat(str(said))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise SyncError(f"annotation {record.get('id')}: updated_at is no time: {said!r}") from error


def _seconds(lead_time: Any) -> float | None:
    return float(lead_time) if is_number(lead_time) and lead_time >= 0 else None


def _seed(task: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """Model version of the prediction that the annotation began from; "unknown" where nothing tells."""
    parent = record.get("parent_prediction")
    if parent is None:
        return None
    seed = (task.get("data") or {}).get(names.DATA_SEED)
    listed = task.get("predictions") or ()
    version = next((each.get("model_version") for each in listed if each.get("id") == parent), None)
    return str(seed or version or "unknown")


def submitted(task: Mapping[str, Any], *, owner: int | None = None) -> Submitted:
    """The annotation of a task that counts: the latest of the account `owner`, and of nobody else.

    owner: None where no account is known to be the annotator's own; then the latest of anybody.
    """
    records = [record for record in task.get("annotations") or () if isinstance(record, Mapping)]
    own = [record for record in records if owner is None or _account(record.get("completed_by")) == owner]
    chosen = max(own, key=lambda record: (_moment(record), record.get("id") or 0), default=None)
    accounts = tuple(dict.fromkeys(_account(record.get("completed_by")) for record in records))
    return Submitted(chosen, len(records) - (chosen is not None), accounts)


def _account(completed_by: Any) -> int | None:
    found = completed_by.get("id") if isinstance(completed_by, Mapping) else completed_by
    return found if isinstance(found, int) else None
