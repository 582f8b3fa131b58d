"""Convert figures, predictions and annotations to Label Studio's JSON. The only module that uses percent.

Boxes are sent in percent of the image, spans in code points of the caption. For the way back see `reading`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any
from urllib.parse import quote

from label_config import names
from panelwise.domain import (
    EDGE_SLACK,
    Annotation,
    Box,
    Figure,
    InvalidAnnotation,
    NoArea,
    Prediction,
    Span,
    Status,
    Subfigure,
)
from panelwise.formats import Note, put_right_box

Region = dict[str, Any]

#: The folder below the served root; what a figure's image path begins with.
_IMAGES = "images/"
#: Percent of the image that no box is drawn beyond: pixels in place of percent.
_MOST_DRAWN = 150.0
#: Decimal places of a pixel: far below what anyone draws, far above what percents lose.
_PLACES = 6
_NO_REFERENCES = "<p>Nothing at hand.</p>"


def task_data(figure: Figure, *, seed: str = "") -> dict[str, str]:
    """Return the task's data; seed: the model whose prediction goes with it.

    Raises InvalidAnnotation for a figure without an image in the home's images folder.
    """
    if not figure.image.startswith(_IMAGES):
        raise InvalidAnnotation(
            f'figure "{figure.id}": no stored image ("{figure.image}"); import it with its image first'
        )
    references = "".join(f"<p>{html.escape(reference)}</p>" for reference in figure.shareable().references)
    return {
        names.DATA_IMAGE: f"/data/local-files/?d={quote(figure.image)}",
        names.DATA_CAPTION: figure.caption.text,
        names.DATA_REFERENCES: references or _NO_REFERENCES,
        names.DATA_TITLE: figure.id if figure.revision == 1 else f"{figure.id} (revision {figure.revision})",
        names.DATA_SOURCE: names.task_source(figure.id, figure.revision),
        names.DATA_SEED: seed,
    }


def prediction_payload(prediction: Prediction, *, single_span: bool = False) -> dict[str, Any]:
    """Return the prediction as the server takes it; score is the mean over its subfigures (0 for none).

    Its model's version is in the task's data (`task_data`): the server shows one version per project only.
    single_span: reduce each subcaption to its longest span, for phases with a single span.
    """
    if single_span:
        prediction = prediction.with_single_spans()
    scores = prediction.scores
    return {
        "model_version": names.SHOWN_VERSION,
        "score": sum(scores) / len(scores) if scores else 0.0,
        "result": regions(prediction.figure, prediction.subfigures),
    }


def annotation_payload(annotation: Annotation) -> dict[str, Any]:
    """Return the annotation as the server takes it: `result`, `lead_time`, `was_cancelled`."""
    return work_payload(annotation, regions(annotation.figure, annotation.subfigures, status=annotation.status))


def work_payload(annotation: Annotation, result: list[Region]) -> dict[str, Any]:
    """Convert an annotation to an annotation of a task, of these regions."""
    spent = {} if annotation.seconds is None else {"lead_time": annotation.seconds}
    return {"result": result, "was_cancelled": annotation.status is Status.IGNORED, **spent}


def regions(figure: Figure, subfigures: Iterable[Subfigure], *, status: Status | None = None) -> list[Region]:
    """Return boxes and spans as regions, and the choice accepted or rejected where `status` is one of these.

    Two subfigures with one label give two boxes; a span of both is written once.
    """
    result: list[Region] = []
    spans: dict[tuple[str, Span], None] = {}
    for index, subfigure in enumerate(subfigures):
        result.append(_box_region(figure, subfigure, f"box{index}"))
        marked = figure.caption.spans_of(subfigure.subcaption)
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
    """Return x, y, width and height in percent of the image; parts outside are cut off."""
    inside = box.clamped(figure.width, figure.height)
    x, y = 100.0 * inside.x0 / figure.width, 100.0 * inside.y0 / figure.height
    return {
        "x": x,
        "y": y,
        # Rounding must not carry the far edge past 100, where validation refuses it.
        "width": min(100.0 * inside.width / figure.width, 100.0 - x),
        "height": min(100.0 * inside.height / figure.height, 100.0 - y),
    }


def from_percent(value: Mapping[str, Any], figure: Figure, note: Note) -> Box:
    """Return the box in pixels of `figure`. note: called with what is put right.

    Raises InvalidAnnotation if it leaves the image by more than the tolerance, NoArea if none of it is inside.
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
    # So that an unmoved box comes back unchanged, and counts as the same work.
    if not all(map(isfinite, corners)):
        raise InvalidAnnotation(f"box {list(corners)} has a coordinate that is not a finite number")
    x0, y0, x1, y1 = (round(edge, _PLACES) for edge in corners)
    edges = put_right_box((x0, y0, x1, y1), figure, note)
    if edges[0] == edges[2] or edges[1] == edges[3]:
        raise NoArea(f"box {[round(edge, 1) for edge in edges]} has no area")
    box = Box(*edges)
    if not box.inside(figure.width, figure.height, slack=EDGE_SLACK):
        drawn = max(x + width, y + height) <= _MOST_DRAWN
        mend = "draw it inside" if drawn else "it looks like pixels; give percent of the image"
        raise InvalidAnnotation(
            f"box {[round(edge, 1) for edge in box.as_list()]} leaves the image "
            f"({figure.width} x {figure.height} pixels); {mend}"
        )
    if box.x0 >= figure.width or box.y0 >= figure.height or box.x1 <= 0 or box.y1 <= 0:
        raise NoArea(f"box {[round(edge, 1) for edge in edges]} has no area inside the image")
    return box.clamped(figure.width, figure.height)


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
