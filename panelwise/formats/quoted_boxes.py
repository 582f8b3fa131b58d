"""Boxes of panels with quoted words of the caption, as language models and figure pipelines write them in JSON.

The keys of several programs are read: `panels` with `panel_bbox` and `panel_caption` of soda-curation,
`master_images` with `geometry` of EXSCLAIM, `box_2d` of Gemini, `bbox_2d` of Qwen, and plain spellings of these.
Quoted words count only where they stand in the caption, word for word and once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from panelwise.domain.annotation import Prediction
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.json_arrays import read_array, starts_with, whole_object
from panelwise.files.jsonl import Fields, Line, Problems, read_lines
from panelwise.formats.box_forms import GUESSED, BoxForm, form_named, form_of
from panelwise.formats.coco_reading import Part, check_size, fitting, lettered, own_figure
from panelwise.formats.content import put_right_score
from panelwise.formats.layout import ImageLookup, Reading
from panelwise.formats.quotes import spans_of_quote
from panelwise.runtime.messages import counted

_IMAGES = (
    "image",
    "file_name",
    "filename",
    "image_file",
    "image_path",
    "image_name",
    "img_files",
    "figure_name",
    "name",
)
_PANELS = ("panels", "subfigures", "boxes", "detections", "master_images", "master images")
_BOXES = ("box", "bbox", "box_2d", "bbox_2d", "panel_bbox", "bounding_box", "geometry")
_LABELS = ("label", "panel_label", "subfigure_label", "panel", "letter")
_QUOTES = ("text", "caption", "quote", "panel_caption", "subcaption")
_SCORES = ("score", "confidence")
_YXYX = (form_named("yxyx-1000"),)
_XYXY = tuple(form for form in GUESSED if form.order == "xyxy")
#: The forms of boxes under a key that says more than that it is a box.
_FORMS: Mapping[str, tuple[BoxForm, ...]] = {
    "box_2d": _YXYX,
    "bbox_2d": tuple(form for form in _XYXY if form.unit in ("pixels", "1000")),
    "geometry": (form_named("xyxy-pixels"),),
}
#: Names of a box's four numbers, and their order.
_NAMED = (
    (("x0", "y0", "x1", "y1"), "xyxy"),
    (("x1", "y1", "x2", "y2"), "xyxy"),
    (("xmin", "ymin", "xmax", "ymax"), "xyxy"),
    (("left", "top", "right", "bottom"), "xyxy"),
    (("x", "y", "width", "height"), "xywh"),
    (("x", "y", "w", "h"), "xywh"),
)


@dataclass(frozen=True, slots=True)
class _Panel:
    """One panel as written. numbers: its box. forms: which the box may have. quote: "" without one."""

    where: str
    label: str
    numbers: tuple[float, ...]
    forms: tuple[BoxForm, ...]
    quote: str
    score: float | None


@dataclass(slots=True)
class _Record:
    """One figure as written. listed: how many panels there are, of which some may be unreadable."""

    figure: Figure
    where: str
    listed: int
    panels: list[_Panel] = field(default_factory=list)


def is_quoted(path: Path, begin: bytes) -> bool:
    """Return True for JSON whose first records are figures with panels that have boxes. begin: the first byte."""
    if begin not in (b"{", b"["):
        return False
    with suppress(FormatError):
        return any(_panels_key(line.record) for line in islice(_records(path, Problems()), 3))
    return False


def read_quoted(path: Path, problems: Problems, reading: Reading) -> Iterator[Prediction]:
    """Yield each figure's panels as a prediction of the model `reading.annotator`; a bad panel is a problem.

    The form of boxes is `reading.boxes`, else what their key says, else the one that fits all images. Panels
    without a score get `reading.score`, else 1, with a note. Words that do not stand in the caption, word for word
    and once, are left out and counted. Raises FormatError if boxes fit their images in no form or in several.
    """
    records = list(_read(path, problems, reading))
    forms = _forms(path, records, reading, problems)
    unscored = sum(panel.score is None for record in records for panel in record.panels)
    if unscored and reading.score is None:
        problems.note(f"{path}: without a score: {counted(unscored, 'box', 'boxes')}; gave each 1")
    given = 1.0 if reading.score is None else reading.score
    unplaced: list[str] = []
    for record in records:
        figure, problems.where = record.figure, record.where
        parts = [_part(panel, figure, forms[panel.forms], given, unplaced) for panel in record.panels]
        try:
            if record.listed and not parts:
                raise FormatError(
                    f"{record.where}: none of this figure's panels could be read; left the figure out"
                )
            fits = fitting(record.where, parts, {}, figure, problems, lambda tokens: tokens)
        except AnnotatorError as error:
            problems.add(error, record.where)
            continue
        subfigures = tuple(lettered([subfigure for _, subfigure in fits], figure))
        scores = tuple(part.score or 0.0 for part, _ in fits)
        yield Prediction(figure, reading.annotator or path.stem, subfigures, scores)
    if unplaced:
        problems.add(
            f"{path}: the words of {counted(len(unplaced), 'panel')} do not stand in the caption word for word, "
            f"or more than once, first at {unplaced[0]}; left these words out"
        )


def _records(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the figures of an array, of lines, of an object's `figures`, or of an object of figures by name."""
    if starts_with(path) == b"[":
        yield from read_array(path, problems)
        return
    whole = whole_object(path)
    if whole is None:
        yield from read_lines(path, problems)
    elif isinstance(listed := whole.get("figures"), list):
        for place, record in enumerate(listed):
            if isinstance(record, dict):
                yield Line(f"{path}: figures[{place}]", record)
            else:
                problems.add(f"{path}: figures[{place}] is no object; left it out")
    elif _panels_key(whole) or not any(isinstance(value, dict) and _panels_key(value) for value in whole.values()):
        yield Line(str(path), whole)
    else:
        for name, record in whole.items():
            if isinstance(record, dict):
                yield Line(f'{path}: "{name}"', {"figure_name": name, **record})


def _panels_key(record: Mapping[str, Any]) -> str:
    """Return the key of a figure's panels; "" of any other record, such as people's work in our own layouts."""
    if "annotator" in record:
        return ""
    for key in _PANELS:
        listed = record.get(key)
        if isinstance(listed, list) and any(isinstance(each, dict) and _first(each, _BOXES) for each in listed):
            return "" if any(isinstance(each, dict) and "tokens" in each for each in listed) else key
    return ""


def _first(record: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Return the first of the keys that a record has a value for; "" without one."""
    return next((key for key in keys if record.get(key) not in (None, "", [], {})), "")


def _read(path: Path, problems: Problems, reading: Reading) -> Iterator[_Record]:
    for line in _records(path, problems):
        fields = Fields(line.where, line.record)
        problems.where = line.where
        try:
            record = _Record(_figure(fields, reading), line.where, 0)
        except AnnotatorError as error:
            problems.add(error, line.where)
            continue
        key = _panels_key(line.record) or _first(line.record, _PANELS)
        for place, value in enumerate(fields.sequence(key) if key else ()):
            record.listed += 1
            try:
                record.panels.append(_panel(fields.element(key, place, value), problems))
            except AnnotatorError as error:
                problems.add(f"{error}; left this panel out", line.where)
        yield record


def _figure(fields: Fields, reading: Reading) -> Figure:
    """Return the figure of a record. Raises FormatError for an unknown one, and for one without a size."""
    key = _first(fields.record, _IMAGES)
    image = fields.record.get(key, "")
    name = image[0] if isinstance(image, list) else image
    if not isinstance(name, str):
        raise fields.error(key, "is no text; give the name of the image")
    figure_id = fields.optional_text("figure_id")
    if not (name or figure_id):
        raise FormatError(f'{fields.where}: neither "figure_id" nor "image" names the figure; give one of them')
    own = {key: fields.record.get(key) for key in ("width", "height", "caption")}
    entry = Fields(fields.where, {**own, "figure_id": figure_id, "file_name": name or figure_id})
    figure = None if reading.image is None else _known(reading.image, figure_id, name)
    if figure is None:
        figure = own_figure(entry)
    check_size(entry, figure)
    if not figure.sized:
        raise FormatError(f'{fields.where}: the image of figure "{figure.id}" has no known size; import the image')
    return figure


def _known(lookup: ImageLookup, figure_id: str, name: str) -> Figure | None:
    try:
        return lookup(figure_id, name)
    except FormatError:
        if not figure_id or name:
            raise
        # Models name a figure by its image under this key, too.
        return lookup("", figure_id)


def _panel(fields: Fields, problems: Problems) -> _Panel:
    key = _first(fields.record, _BOXES)
    if not key:
        raise fields.error(_BOXES[1], "is missing; give a box of four numbers")
    numbers, order = _numbers(fields, key)
    forms = _FORMS.get(key, GUESSED)
    if order:
        forms = tuple(form for form in GUESSED if form.order == order and (form in forms or forms is _YXYX))
    scored = _first(fields.record, _SCORES)
    score = fields.optional_number(scored) if scored else None
    if score is not None:
        score = put_right_score(score, lambda text: problems.note(f"{fields.where}: {text}"))
    label = _text(fields, _LABELS).strip().strip("()[]:.,").strip()
    return _Panel(fields.where, label, numbers, forms, _text(fields, _QUOTES).strip(), score)


def _numbers(fields: Fields, key: str) -> tuple[tuple[float, ...], str]:
    """Return the four numbers of a box, and their order where their names or corners say it."""
    value = fields.record[key]
    if isinstance(value, dict):
        box = fields.inside(key)
        for names, order in _NAMED:
            if names[0] in value and names[-1] in value:
                return tuple(_number(box, name) for name in names), order
        raise fields.error(
            key, f"has none of {', '.join('/'.join(names) for names, _ in _NAMED)}; give four numbers"
        )
    if isinstance(value, list) and value and isinstance(value[0], dict):
        points = [(_number(point, "x"), _number(point, "y")) for point in fields.objects(key)]
        xs, ys = zip(*points, strict=True)
        return (min(xs), min(ys), max(xs), max(ys)), "xyxy"
    return tuple(fields.numbers(key, 4)), ""


def _number(fields: Fields, key: str) -> float:
    number = fields.optional_number(key)
    if number is None:
        raise fields.error(key, "is missing; give a number")
    return number


def _text(fields: Fields, keys: Sequence[str]) -> str:
    """Return the text under the first of the keys; of an object its own text, of a list the texts in a row."""
    key = _first(fields.record, keys)
    value = fields.record.get(key)
    if isinstance(value, dict):
        return fields.inside(key).optional_text("text")
    if isinstance(value, list):
        return " ".join(fields.texts(key))
    return fields.optional_text(key) if key else ""


def _forms(
    path: Path, records: Sequence[_Record], reading: Reading, problems: Problems
) -> dict[tuple[BoxForm, ...], BoxForm]:
    """Return the form of the boxes under each key."""
    found: dict[tuple[BoxForm, ...], BoxForm] = {}
    for forms in dict.fromkeys(panel.forms for record in records for panel in record.panels):
        if reading.boxes:
            found[forms] = form_named(reading.boxes)
            continue
        drawings = [
            (
                [panel.numbers for panel in record.panels if panel.forms == forms],
                (record.figure.width, record.figure.height),
            )
            for record in records
        ]
        found[forms] = form_of(path, [drawing for drawing in drawings if drawing[0]], forms)
        if len(forms) > 1:
            problems.note(f"{path}: read boxes as {found[forms]}, the form in which they fit their images")
    return found


def _part(panel: _Panel, figure: Figure, form: BoxForm, score: float, unplaced: list[str]) -> Part:
    """Return a panel's box in pixels with the caption's tokens; a quote without a place is added to `unplaced`."""
    spans = spans_of_quote(panel.quote, figure.caption.text)
    if panel.quote and figure.caption.text and not spans:
        unplaced.append(panel.where)
    corners = form.corners(panel.numbers, (figure.width, figure.height))
    tokens = figure.caption.tokens_in(spans)
    return Part(
        panel.where, panel.label, None, corners, tokens, score=score if panel.score is None else panel.score
    )
