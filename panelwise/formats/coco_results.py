"""COCO's results array: the boxes of a detector, with scores, by the image ids of a COCO file.

Written by pycocotools' users, Detectron2, mmdetection, DETR's scripts and ultralytics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import UNKNOWN_SIZE, Figure
from panelwise.files.json_arrays import read_array, read_arrays
from panelwise.files.jsonl import Fields, Line, Problems
from panelwise.files.values import as_whole, or_none
from panelwise.formats.coco import corners_of
from panelwise.formats.coco_reading import (
    Part,
    check_numbering,
    check_size,
    fitting,
    is_generic,
    lettered,
    own_figure,
    whole_number,
)
from panelwise.formats.content import check_pixels, put_right_score
from panelwise.formats.layout import Reading
from panelwise.runtime.messages import counted

#: The id of an image: a number, or a name, as ultralytics writes it.
ImageId = int | str


@dataclass(slots=True)
class _Numbered:
    """The images and categories of a COCO file. images: their records by id. names: of categories by id."""

    images: dict[ImageId, Fields] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)


def looks_like_result(line: Line) -> bool:
    """Return True for one box of a detector."""
    return {"image_id", "bbox", "score"} <= line.record.keys()


def read_results(path: Path, problems: Problems, reading: Reading) -> Iterator[Prediction]:
    """Yield the boxes by image, as predictions of the model `reading.annotator`; a bad box is a problem.

    reading.numbered: the COCO file of the image and category ids; without it an image's id is its figure's id or
    the name of its file. Boxes get the names of their categories as labels, else letters in reading order. Images
    that match no figure are named in one line. All boxes are in memory. Raises FormatError for a broken file.
    """
    numbered = None if reading.numbered is None else _numbered(reading.numbered, problems)
    names = {} if numbered is None else numbered.names
    unmatched: dict[ImageId, int] = {}
    bare: set[int | None] = set()
    parts = _by_image(path, problems)
    nameless = (part.category for listed in parts.values() for part in listed if not part.label)
    check_numbering(path, {number for number in nameless if number is not None}, names)
    for image, listed in parts.items():
        where = problems.where = listed[0].where
        try:
            if (figure := _figure(image, numbered, reading)) is None:
                unmatched[image] = len(listed)
                continue
            check_pixels(Fields(where, {}), "bbox", [part.corners for part in listed], figure)
            fits = fitting(where, listed, names, figure, problems, lambda tokens: tokens)
        except AnnotatorError as error:
            problems.add(error, where)
            continue
        bare.update(part.category for part in listed if not part.label and part.category not in names)
        yield Prediction(
            figure=figure,
            model_version=reading.annotator or path.stem,
            subfigures=tuple(lettered([subfigure for _, subfigure in fits], figure)),
            scores=tuple(part.score or 0.0 for part, _ in fits),
        )
    _report(path, parts, unmatched, bare - {None}, problems, numbered=numbered is not None)


def _report(
    path: Path,
    parts: Mapping[ImageId, list[Part]],
    unmatched: Mapping[ImageId, int],
    bare: set[int | None],
    problems: Problems,
    *,
    numbered: bool,
) -> None:
    mend = "" if numbered else ", or name the COCO file of these ids with --coco"
    if unmatched:
        shown = ", ".join(str(image) for image in list(unmatched)[:5]) + (", ..." if len(unmatched) > 5 else "")
        problems.add(
            f"{path}: {counted(len(unmatched), 'image id')} of {len(parts)} match no figure: {shown}; left out "
            f"{counted(sum(unmatched.values()), 'box', 'boxes')}; import the figures{mend}"
        )
    elif not numbered and any(isinstance(image, int) for image in parts):
        problems.note(
            f"{path}: took image ids for figures' ids or the names of their images; if they count the images of a "
            "COCO file, name it with --coco"
        )
    if len(bare) > 1:
        shown = ", ".join(str(number) for number in sorted(each for each in bare if each is not None)[:5])
        problems.note(
            f"{path}: {len(bare)} categories without a name ({shown}); gave letters in reading order{mend}"
        )


def _by_image(path: Path, problems: Problems) -> dict[ImageId, list[Part]]:
    """Return the boxes of each image; the same box once more is a problem and left out."""
    found: dict[ImageId, list[Part]] = {}
    seen: dict[object, str] = {}
    repeated: list[tuple[str, str]] = []
    for line in read_array(path, problems):
        fields = Fields(line.where, line.record)
        try:
            image = _image_id(fields, "image_id")
            part = _part(fields, problems)
        except AnnotatorError as error:
            problems.add(error, line.where)
            continue
        first = seen.setdefault((image, part.category, part.corners, part.score), line.where)
        if first is line.where:
            found.setdefault(image, []).append(part)
        else:
            repeated.append((line.where, first))
    if repeated:
        where, first = repeated[0]
        boxes = counted(len(repeated), "box", "boxes")
        problems.add(f"{path}: {boxes} there before, first at {where} (as at {first}); kept the first of each")
    return found


def _image_id(fields: Fields, key: str) -> ImageId:
    value = fields.record.get(key)
    return fields.text(key) if isinstance(value, str) else whole_number(fields, key)


def _part(fields: Fields, problems: Problems) -> Part:
    x, y, width, height = fields.numbers("bbox", 4)
    if not (width > 0.0 and height > 0.0):
        raise fields.error("bbox", f"{[x, y, width, height]}, which is x y width height, has no area; left it out")
    score = fields.optional_number("score")
    if score is None:
        raise fields.error("score", "is missing; give a number from 0 to 1")
    category = None if fields.record.get("category_id") is None else whole_number(fields, "category_id")
    inside = put_right_score(score, lambda text: problems.note(f"{fields.where}: {text}"))
    label = "" if is_generic(name := fields.optional_text("category_name")) else name
    return Part(fields.where, label, category, corners_of(x, y, width, height), score=inside)


def _numbered(path: Path, problems: Problems) -> _Numbered:
    found = _Numbered()
    for array, line in read_arrays(path, problems, ("images", "categories"), optional=("categories",)):
        fields = Fields(line.where, line.record, f"{array}.")
        try:
            number = _number_of(_image_id(fields, "id"))
            if number in (found.images if array == "images" else found.names):
                raise fields.error("id", f"is {number}, as of an earlier one; kept the first")
            if array == "images":
                found.images[number] = fields
            else:
                found.names[whole_number(fields, "id")] = fields.text("name")
        except FormatError as error:
            problems.add(error)
    return found


def _number_of(image: ImageId) -> ImageId:
    """Return an id as the number that it is in another file, which may write it as a text."""
    number = or_none(as_whole, image)
    return image if number is None else number


def _figure(image: ImageId, numbered: _Numbered | None, reading: Reading) -> Figure | None:
    """Return the figure of an image id; None if it is of none."""
    number = _number_of(image)
    if numbered is not None and (isinstance(image, int) or number in numbered.images):
        entry = numbered.images.get(number)
        if entry is None:
            return None
        known = entry.optional_text("figure_id"), entry.optional_text("file_name")
        figure = (reading.image(*known) if reading.image is not None else None) or own_figure(entry)
        check_size(entry, figure)
        return figure
    if reading.image is None:
        return Figure(str(image), "", UNKNOWN_SIZE, UNKNOWN_SIZE, Caption.cut(""))
    # The images of the COCO dataset have twelve digits.
    for name in (str(image), f"{image:012}" if isinstance(image, int) else ""):
        try:
            if name and (same_name := reading.image("", name)) is not None:
                return same_name
        except FormatError:
            continue
    return None
