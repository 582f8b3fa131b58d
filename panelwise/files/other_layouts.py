"""Layouts of other tools that are not read: how each is recognised, and what to do with it. To add one, add a row.

Every command that reads figures, annotations, predictions or answers refuses these in one line; see
`panelwise.formats.detect`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from panelwise.domain.errors import FormatError

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OtherLayout:
    """One layout. title: in messages. remedy: what to do, of FILE.

    A file is of it by one of these: keys are those of one of its JSON objects; looks_like returns True for one;
    root is the tag of its XML; columns are those of its table, in lower case, which has none of
    `lacking`.
    """

    title: str
    remedy: str
    keys: frozenset[str] = frozenset()
    looks_like: Callable[[Record], bool] | None = None
    root: str = ""
    columns: frozenset[str] = frozenset()
    lacking: frozenset[str] = frozenset()

    def refuse(self, path: object) -> FormatError:
        """Return the error for a file of this layout, ready to raise."""
        return FormatError(f"{path}: looks like {self.title}, which is not read here; {self.remedy}")


def _is_via(record: Record) -> bool:
    """Return True for an export of VIA 1 or 2: each value is an image with its regions."""
    images = list(record.values())
    return bool(images) and all(
        isinstance(image, dict) and {"filename", "regions"} <= image.keys() for image in images
    )


def _is_manifest(record: Record) -> bool:
    return "source-ref" in record and any(key.endswith("-metadata") for key in record)


def _is_s2orc(record: Record) -> bool:
    parsed = any(
        isinstance(record.get(key), dict) for key in ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")
    )
    content = record.get("content", record.get("body"))
    annotated = "corpusid" in record and isinstance(content, dict) and "annotations" in content
    return parsed or annotated or {"body_text", "ref_entries"} <= record.keys()


def _is_docling(record: Record) -> bool:
    return record.get("schema_name") == "DoclingDocument" or {"texts", "pictures", "tables"} <= record.keys()


def _is_fiftyone(record: Record) -> bool:
    samples = record.get("samples")
    return isinstance(samples, list) and any(isinstance(each, dict) and "filepath" in each for each in samples)


def _has_boxes(record: Record) -> bool:
    """Return True for an image of a data set of Hugging Face with its objects."""
    return "file_name" in record and isinstance(record.get("objects"), dict)


#: A class, and a box or an outline as fractions of the image; perhaps a score.
_OF_YOLO = re.compile(r"\d+(?:\s+(?:[01]|[01]?\.\d+)(?:[eE]-\d+)?){4,}\s*")
_AS_COCO = "export the work as COCO or Pascal VOC, and import that with --from coco or --from voc"
_BY_TOOL = "convert it into COCO with {}, and import that with --from coco"
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")
_EXTRACT = "make figures.jsonl of articles with `annotator corpus extract`"


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


OTHER_LAYOUTS = (
    OtherLayout(
        "labelme's JSON", _BY_TOOL.format("labelme2coco.py of labelme"), keys=_keys("shapes", "imagePath")
    ),
    OtherLayout("VIA's project", _AS_COCO, keys=_keys("_via_img_metadata")),
    OtherLayout("VIA's project", _AS_COCO, keys=_keys("project", "config", "attribute", "file", "metadata")),
    OtherLayout("VIA's JSON", _AS_COCO, looks_like=_is_via),
    OtherLayout("VIA's CSV", _AS_COCO, columns=_keys("region_shape_attributes", "region_attributes")),
    OtherLayout("Supervisely's JSON", _AS_COCO, keys=_keys("size", "objects", "tags")),
    OtherLayout("CVAT's XML", _AS_COCO, root="annotations"),
    OtherLayout("CreateML's JSON", _AS_COCO, keys=_keys("image", "annotations")),
    OtherLayout("Datumaro's JSON", _BY_TOOL.format("datum convert"), keys=_keys("infos", "categories", "items")),
    OtherLayout("FiftyOne's JSON", _AS_COCO, looks_like=_is_fiftyone),
    OtherLayout("V7 Darwin's JSON", _AS_COCO, keys=_keys("item", "annotations", "version")),
    OtherLayout("Labelbox's export", _BY_TOOL.format("Labelbox's SDK"), keys=_keys("data_row", "projects")),
    OtherLayout("a manifest of SageMaker Ground Truth", _AS_COCO, looks_like=_is_manifest),
    OtherLayout("Scalabel's JSON", _BY_TOOL.format("scalabel.label.to_coco"), keys=_keys("name", "labels")),
    OtherLayout("Prodigy's JSONL", _AS_COCO, keys=_keys("_task_hash", "_input_hash")),
    OtherLayout(
        "a data set's metadata.jsonl",
        'rename "file_name" to "image", add "figure_id" and "caption" for figures, and give boxes as COCO',
        looks_like=_has_boxes,
    ),
    OtherLayout(
        "Label Studio's CSV",
        "it has no ids of regions; export as JSON, and import that with --from label-studio",
        columns=_keys("annotation_id", "annotator", "lead_time"),
    ),
    OtherLayout(
        "Label Studio's list of classes",
        "import result.json of its COCO export with --from coco, or its JSON export with --from label-studio",
        looks_like=lambda record: record.keys() == {"categories", "info"},
    ),
    OtherLayout(
        "a table of boxes",
        _AS_COCO,
        columns=_keys("xmin", "ymin", "xmax", "ymax"),
        lacking=_keys("caption", "text"),
    ),
    OtherLayout("docling's JSON", _EXTRACT, looks_like=_is_docling),
    OtherLayout("an article in S2ORC's JSON", _EXTRACT, looks_like=_is_s2orc),
    OtherLayout(
        "metadata of S2ORC's papers",
        "give it to `annotator corpus extract` with --metadata, beside their articles",
        looks_like=lambda record: "paper_id" in record and "has_pdf_parse" in record,
    ),
    OtherLayout("an article in JATS XML", _EXTRACT, root="article"),
    OtherLayout("a set of articles in JATS XML", _EXTRACT, root="pmc-articleset"),
    OtherLayout("an article in TEI", "fetch its JATS XML, and " + _EXTRACT, root="TEI"),
    OtherLayout("a BioC collection", "fetch its JATS XML, and " + _EXTRACT, root="collection"),
)
#: Boxes beside an image are read, but as no caption.
BOXES_OF_YOLO = OtherLayout(
    "YOLO's text", "import its folder with `annotator import annotations --from yolo`, or as predictions"
)
#: Pairs are read, but by other commands than work is.
PAIRS = OtherLayout(
    "question-answer pairs",
    "import them with their figures (`annotator import figures --qa`); `agreement report` reads answers to them",
    keys=_keys("instance_id", "qa_pair_type", "question"),
)


def check_record(path: object, record: Record) -> None:
    """Raise FormatError for a file whose first JSON object is one of these layouts."""
    for layout in OTHER_LAYOUTS:
        if (layout.keys and layout.keys <= record.keys()) or (layout.looks_like and layout.looks_like(record)):
            raise layout.refuse(path)


def check_columns(path: object, columns: Iterable[str]) -> None:
    """Raise FormatError for a table that is one of these layouts."""
    names = {column.casefold() for column in columns}
    for layout in OTHER_LAYOUTS:
        if layout.columns and layout.columns <= names and not layout.lacking & names:
            raise layout.refuse(path)


def check_root(path: object, begin: str) -> None:
    """Raise FormatError for XML. begin: of the file, with its root."""
    tag = _ROOT.search(begin)
    name = tag[1].rpartition(":")[2] if tag else "no element"
    for layout in OTHER_LAYOUTS:
        if layout.root == name:
            raise layout.refuse(path)
    raise FormatError(f"{path}: is XML (<{name}>), which is not read here; give JSON, or Pascal VOC")


def check_text(path: object, text: str) -> None:
    """Raise FormatError for a text that is no caption: all of its lines are boxes."""
    if text.strip() and all(map(_OF_YOLO.fullmatch, filter(str.strip, text.split("\n")))):
        raise BOXES_OF_YOLO.refuse(path)
