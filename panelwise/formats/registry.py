"""The layouts of files that can be read. To add one, add a module to this folder and a row here.

Imports, agreement, training, evaluation and the table in the documentation go by these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from panelwise.domain.annotation import Annotation, Prediction
from panelwise.files.jsonl import Line, Problems
from panelwise.formats import coco_reading, coco_results, quoted_boxes, voc, yolo
from panelwise.formats.annotations import PREDICTION_PHASE, read_annotations, read_predictions
from panelwise.formats.label_studio_export import looks_like_export
from panelwise.formats.layout import Contents, Form, Layout, Reading
from panelwise.formats.medicat import looks_like_medicat, read_medicat

#: Keys of a figure's image.
IMAGE_KEYS = frozenset({"image", "image_file", "fig_uri"})
_FIGURES = frozenset({Contents.FIGURES})
_ANNOTATIONS = frozenset({Contents.ANNOTATIONS})
_PREDICTIONS = frozenset({Contents.PREDICTIONS})


def _read_jsonl(path: Path, problems: Problems, reading: Reading) -> Iterator[Annotation]:
    return read_annotations(path, problems, lookup=reading.lookup)


def _read_medicat(path: Path, problems: Problems, reading: Reading) -> Iterator[Annotation]:
    return read_medicat(path, problems, annotator=reading.annotator or "gold")


def _read_predictions(path: Path, problems: Problems, reading: Reading) -> Iterator[Prediction]:
    return read_predictions(path, problems, reading.lookup)


def _is_work(line: Line) -> bool:
    record = line.record
    own = isinstance(record.get("subfigures"), list) and "annotator" in record
    return own and not looks_like_medicat(line) and not looks_like_export(line)


def _is_prediction(line: Line) -> bool:
    record = line.record
    return _is_work(line) and (
        record.get("phase") == PREDICTION_PHASE or (record.get("saved_at") is None and _scored(record))
    )


def _is_annotation(line: Line) -> bool:
    return _is_work(line) and not _is_prediction(line)


def _scored(record: Mapping[str, Any]) -> bool:
    """Return whether there are subfigures, each with a score: people's have none."""
    parts = record["subfigures"]
    return bool(parts) and all(isinstance(part, dict) and part.get("score") is not None for part in parts)


def _is_figure(line: Line) -> bool:
    keys = line.record.keys()
    described = keys & IMAGE_KEYS and keys & {"caption", "s2_caption"}
    return bool(described) and not keys & {"subfigures", "spans", "annotator", "annotation_id"}


JSONL = Layout(
    "jsonl",
    "annotations.jsonl",
    Form.LINES,
    _ANNOTATIONS,
    "annotator import annotations",
    looks_like=_is_annotation,
    read=_read_jsonl,
    fixed="annotations.jsonl names annotator and phase in each record",
    written_by=("annotations",),
    loses="image, references and source of figures; earlier annotations of an annotator",
)
MEDICAT = Layout(
    "medicat",
    "MedICaT's annotations",
    Form.LINES,
    _FIGURES | _ANNOTATIONS,
    "annotator import annotations --from medicat",
    looks_like=looks_like_medicat,
    read=_read_medicat,
    options=("annotator", "account"),
    fixed='MedICaT\'s format has no phase, "gold" is used',
    written_by=("gold",),
    loses="earlier decisions; decision times",
)
LABEL_STUDIO = Layout(
    "label-studio",
    "Label Studio's export",
    Form.ARRAY,
    _ANNOTATIONS,
    "annotator import annotations --from label-studio",
    looks_like=looks_like_export,
    options=("annotator", "phase", "account"),
    written_by=("label-studio",),
    loses="superseded and outdated annotations; which of the boxes under one label its words belong to",
)
COCO = Layout(
    "coco",
    "a COCO file",
    Form.OBJECT,
    _FIGURES | _ANNOTATIONS,
    "annotator import annotations --from coco --annotator NAME",
    recognise=coco_reading.is_coco,
    figures=coco_reading.figure_lines,
    read=coco_reading.read_coco_work,
    options=("annotator", "phase", "account"),
    nameless=True,
    written_by=("coco",),
    loses="figures that are not gold",
)
VOC = Layout(
    "voc",
    "Pascal VOC",
    Form.XML,
    _ANNOTATIONS | _PREDICTIONS,
    "annotator import annotations --from voc --annotator NAME",
    recognise=voc.is_voc,
    read=voc.read_voc,
    options=("annotator", "phase", "account"),
    nameless=True,
)
YOLO = Layout(
    "yolo",
    "YOLO's text",
    Form.TEXT,
    _ANNOTATIONS | _PREDICTIONS,
    "annotator import annotations --from yolo --annotator NAME",
    recognise=yolo.is_yolo,
    read=yolo.read_yolo,
    options=("annotator", "phase"),
    nameless=True,
    written_by=("yolo",),
    loses="captions and words; labels, without --categories label; figures that are not gold",
)
PREDICTIONS = Layout(
    "predictions",
    "predictions",
    Form.LINES,
    _PREDICTIONS,
    "annotator import predictions",
    looks_like=_is_prediction,
    read=_read_predictions,
)
COCO_RESULTS = Layout(
    "coco-results",
    "a COCO results array",
    Form.ARRAY,
    _PREDICTIONS,
    "annotator import predictions",
    looks_like=coco_results.looks_like_result,
    read=coco_results.read_results,
)
QUOTED_BOXES = Layout(
    "quoted-boxes",
    "boxes with quoted words",
    Form.OBJECT,
    _PREDICTIONS,
    "annotator import predictions",
    recognise=quoted_boxes.is_quoted,
    read=quoted_boxes.read_quoted,
)
FIGURES = Layout(
    "figures",
    "a file of figures",
    Form.LINES,
    _FIGURES,
    "annotator import figures",
    looks_like=_is_figure,
    written_by=("figures",),
    loses="earlier captions and images; all work",
)
#: In the order in which they are preferred for a file with records of several.
LAYOUTS = (MEDICAT, JSONL, LABEL_STUDIO, COCO, VOC, YOLO, PREDICTIONS, COCO_RESULTS, QUOTED_BOXES, FIGURES)


def layouts_of(contents: Contents) -> tuple[Layout, ...]:
    """Return the layouts that can hold figures, annotations or predictions."""
    return tuple(layout for layout in LAYOUTS if contents in layout.contents)


def layout_named(name: str) -> Layout:
    """Return the layout of a name; KeyError without one."""
    return {layout.name: layout for layout in LAYOUTS}[name]
