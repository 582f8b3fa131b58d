"""COCO's detection layout: gold boxes for detectors, and boxes of others as annotations. The only place of xywh.

COCO knows images, boxes and categories. Labels, captions with tokens, subcaptions and provenance stand beside them
under the key `panelwise`, which COCO's readers pass over and this module reads again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from annotator.domain.adjudication import Gold
from annotator.domain.annotation import Annotation, Subfigure, check_subfigures, repeated_labels
from annotator.domain.caption import Span
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.formats.annotations import UNKNOWN_TIME, read_time
from annotator.formats.items import read_items
from annotator.formats.json_stream import read_arrays
from annotator.formats.jsonl import Fields, Problems
from annotator.formats.losses import Losses
from annotator.formats.medicat import gold_record, read_status
from annotator.formats.seen import Seen
from annotator.formats.whole_files import whole_file

#: The key of what COCO has no place for.
ASIDE = "panelwise"
#: The category of all boxes, where labels are not categories.
SUBFIGURE = "subfigure"
#: Names that say what a box is, not which one it is.
_GENERIC = {"", SUBFIGURE, "sub-figure", "subfigures", "panel", "panels", "figure", "figures", "object"}
#: Decimal places of a pixel, so that an edge comes back as it went.
_PLACES = 6
_TWICE = {"width", "height", "spans", "subfigures", "subcaptions", "image", "image_sha256", "figure_id"}


class Categories(StrEnum):
    """What a category is: what every box is, or the label that it bears."""

    SUBFIGURE = "subfigure"
    LABEL = "label"


@dataclass(slots=True)
class CocoTally:
    """What was written. undrawn: images without a box, which detectors take for background."""

    images: int = 0
    boxes: int = 0
    undrawn: int = 0


def write_coco(
    path: Path,
    golds: Iterable[Gold],
    losses: Losses,
    *,
    categories: Categories = Categories.SUBFIGURE,
    file_name: Callable[[Figure], str] = lambda figure: figure.image,
) -> CocoTally:
    """Write gold as one COCO file, streamed; it appears whole or not at all.

    file_name: a figure's image as the file is to name it. Ids count from 1, in the order given.
    """
    tally = CocoTally()
    ids: dict[str, int] = {SUBFIGURE: 1} if categories is Categories.SUBFIGURE else {}
    # Boxes follow all images: they wait in a file of their own, not in memory.
    with whole_file(path) as file, tempfile.TemporaryFile() as boxes:
        file.write(b'{"info":{"description":"Panelwise gold"},"licenses":[],"images":[')
        for gold in golds:
            tally.images += 1
            _put(file, _image(gold, tally.images, file_name(gold.figure)), tally.images)
            tally.undrawn += not gold.subfigures
            for subfigure in gold.subfigures:
                tally.boxes += 1
                label = SUBFIGURE if categories is Categories.SUBFIGURE else subfigure.label
                category = ids.setdefault(label, len(ids) + 1)
                _put(boxes, _box(subfigure, tally.boxes, tally.images, category), tally.boxes)
            _note(gold, losses, categories)
        file.write(b'\n],"annotations":[')
        boxes.seek(0)
        shutil.copyfileobj(boxes, file, 1 << 20)
        entries = [{"id": number, "name": label, "supercategory": SUBFIGURE} for label, number in ids.items()]
        file.write(b'\n],"categories":' + msgspec.json.encode(entries) + b"}\n")
    return tally


@dataclass(frozen=True, slots=True)
class _Part:
    """One box of a file. label: "" where only the category may tell it."""

    where: str
    label: str
    category: int | None
    box: Box
    tokens: frozenset[int]


@dataclass(slots=True)
class _Boxes:
    """The boxes of a file by their images, and the categories' names.

    spoilt: images of which a box was broken. whole: whether the file's own shape was sound.
    """

    names: dict[int, str] = field(default_factory=dict)
    of: dict[int, list[_Part]] = field(default_factory=dict)
    spoilt: set[int] = field(default_factory=set)
    whole: bool = True


def read_coco(
    path: Path,
    problems: Problems,
    figure_of: Callable[[str, str], Figure],
    *,
    annotator: str,
    phase: str = "gold",
) -> Iterator[Annotation]:
    """The images' boxes as annotations by `annotator`; a broken image or box is a problem and left out.

    figure_of: the figure of an image, by (figure_id, file_name), "" for what the file does not say; it raises
    AnnotatorError where there is none. A box's label is the one beside it (`label`, or as written here), else its
    category's name, else letters in reading order. An image that lost all its boxes to damage is left out, for
    it would pass for one without any. The file is read twice, since its lists may stand in any order: held in
    memory are the boxes. Raises FormatError where the file as a whole is none.
    """
    told: set[str] = set()
    boxes = _read_boxes(path, problems, told)
    # What is wrong with the file's own shape is found both times.
    shape = Problems(report=lambda line: None if line in told else problems.add(line))
    seen = Seen()
    ids: dict[int, str] = {}
    lettered, bare, repeated = 0, 0, []
    for _, line in read_arrays(path, shape, ("images",)):
        problems.where = line.where
        entry = Fields(line.where, line.record, "images.")
        try:
            number = _whole(entry, "id")
            if ids.setdefault(number, line.where) != line.where:
                raise entry.error("id", f"is {number}, as of {ids[number]}; left this image out")
            parts = boxes.of.pop(number, [])
            if not parts and (number in boxes.spoilt or not boxes.whole):
                raise FormatError(f"{line.where}: none of this image's boxes could be read; left the image out")
            figure = figure_of(entry.optional_text("figure_id"), entry.optional_text("file_name"))
            earlier = seen.earlier(figure.id, line.where)
            if earlier is not None:
                raise FormatError(
                    f'{line.where}: figure "{figure.id}" was given before ({earlier}); kept the first'
                )
            found = _annotation(entry, parts, boxes.names, figure, annotator, phase, problems)
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}")
        else:
            yield found.annotation
            lettered += found.lettered
            bare += not parts
            if repeated_labels(found.annotation.subfigures):
                repeated.append(figure.id)
    for number, lost in boxes.of.items():
        problems.add(
            f'{lost[0].where}: "annotations.image_id" is {number}, which no image has; '
            f"left {counted(len(lost), 'box', 'boxes')} of it out"
        )
    if lettered:
        problems.note(
            f"{path}: without a label: {counted(lettered, 'box', 'boxes')}; gave letters in reading order"
        )
    if bare:
        problems.note(f"{path}: without a box: {counted(bare, 'image')}; came in as figures without subfigures")
    if repeated:
        problems.note(
            f"{path}: one label on several boxes in {counted(len(repeated), 'figure')}, and gold needs a label "
            f"of its own for each box: {', '.join(repeated[:5])}{', ...' if len(repeated) > 5 else ''}"
        )


def _read_boxes(path: Path, problems: Problems, told: set[str]) -> _Boxes:
    """All boxes and categories. told: gets what is wrong with the file's own shape."""
    found = _Boxes()
    places: dict[int, str] = {}
    unknown: dict[int, int] = {}

    def tell(line: str) -> None:
        told.add(line)
        problems.add(line)

    shape = Problems(report=tell)
    for array, line in read_arrays(path, shape, ("annotations", "categories")):
        fields = Fields(line.where, line.record, f"{array}.")
        try:
            if array == "categories":
                number = _whole(fields, "id")
                if places.setdefault(number, line.where) != line.where:
                    raise fields.error("id", f"is {number}, as of {places[number]}; kept the first")
                found.names[number] = fields.text("name")
                continue
            image = _whole(fields, "image_id")
            try:
                part = _part(fields)
            except AnnotatorError:
                found.spoilt.add(image)
                raise
            found.of.setdefault(image, []).append(part)
            if part.category is not None and not part.label:
                unknown[part.category] = unknown.get(part.category, 0) + 1
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}; left this box out")
    found.whole = not told
    for number in [each for each in unknown if each not in found.names]:
        problems.note(
            f"{path}: the file does not list category {number}, of {counted(unknown[number], 'box', 'boxes')}"
        )
    return found


def _put(file: IO[bytes], record: Mapping[str, Any], number: int) -> None:
    file.write((b"\n" if number == 1 else b",\n") + msgspec.json.encode(record))


def _image(gold: Gold, number: int, file_name: str) -> dict[str, Any]:
    figure = gold.figure
    aside = {key: value for key, value in gold_record(gold).items() if key not in _TWICE}
    return {
        "id": number,
        "file_name": file_name,
        "width": figure.width,
        "height": figure.height,
        "figure_id": figure.id,
        ASIDE: aside,
    }


def _box(subfigure: Subfigure, number: int, image: int, category: int) -> dict[str, Any]:
    box = subfigure.box
    return {
        "id": number,
        "image_id": image,
        "category_id": category,
        "bbox": [box.x0, box.y0, box.width, box.height],
        "area": box.area,
        "iscrowd": 0,
        ASIDE: {"label": subfigure.label, "subcaption": sorted(subfigure.subcaption)},
    }


def _note(gold: Gold, losses: Losses, categories: Categories) -> None:
    losses.aside("captions and their tokens", bool(gold.figure.caption.text), key=ASIDE)
    losses.aside("subcaptions", sum(bool(each.subcaption) for each in gold.subfigures), key=ASIDE)
    if categories is Categories.SUBFIGURE:
        losses.aside("labels (see --categories label)", len(gold.subfigures), key=ASIDE)
    losses.aside("references", len(gold.figure.references), key=ASIDE)
    losses.aside("provenance", key=ASIDE)
    items = gold.items
    judged = (items.kind is not None) + len(items.verdicts) + len(items.answers)
    losses.aside("figure types, verdicts and answers", judged, key=ASIDE)


def _whole(fields: Fields, key: str) -> int:
    value = fields.optional_number(key)
    if value is None or value != int(value):
        raise fields.error(key, "is no whole number")
    return int(value)


def _part(fields: Fields) -> _Part:
    if fields.record.get("iscrowd"):
        raise fields.error("iscrowd", "says that it is a crowd, not one subfigure; left this box out")
    x, y, width, height = fields.numbers("bbox", 4)
    if width <= 0 or height <= 0:
        raise fields.error("bbox", f"{[x, y, width, height]}, which is x y width height, has no area; left it out")
    aside = Fields(fields.where, fields.mapping(ASIDE), f"annotations.{ASIDE}.")
    tokens = aside.sequence("subcaption")
    if not all(type(token) is int for token in tokens):
        raise aside.error("subcaption", "is not a list of token ids")
    return _Part(
        fields.where,
        aside.optional_text("label") or fields.optional_text("label"),
        None if fields.record.get("category_id") is None else _whole(fields, "category_id"),
        Box(x, y, round(x + width, _PLACES), round(y + height, _PLACES)),
        frozenset(tokens),
    )


def _label(part: _Part, names: Mapping[int, str]) -> str:
    category = "" if part.category is None else names.get(part.category, "")
    return part.label or ("" if category.strip().casefold() in _GENERIC else category)


class _Found(NamedTuple):
    """lettered: how many boxes had no label."""

    annotation: Annotation
    lettered: int


def _annotation(
    entry: Fields,
    parts: list[_Part],
    names: Mapping[int, str],
    figure: Figure,
    annotator: str,
    phase: str,
    problems: Problems,
) -> _Found:
    """One image's boxes on its figure; a box that does not fit it is a problem and left out."""
    for key, size in (("width", figure.width), ("height", figure.height)):
        given = entry.size(key)
        if given is not None and given != size:
            raise entry.error(
                key,
                f'is {given}, the stored image of figure "{figure.id}" has {size} pixels; scale the boxes to it',
            )
    aside = Fields(entry.where, entry.mapping(ASIDE), f"images.{ASIDE}.")
    tokens = _places(aside, figure)
    found = []
    for part in parts:
        try:
            subfigure = Subfigure(_label(part, names), part.box, tokens(part.tokens))
            # A label may yet be given.
            check_subfigures(figure, [replace(subfigure, label=subfigure.label or SUBFIGURE)])
        except FormatError as error:
            problems.add(f"{part.where}: {str(error).removeprefix(f'{entry.where}: ')}; left this box out")
        except AnnotatorError as error:
            problems.add(f"{part.where}: {error}; left this box out")
        else:
            found.append(subfigure)
    if parts and not found:
        raise FormatError(f"{entry.where}: none of this image's boxes fits its figure; left the image out")
    annotation = Annotation(
        figure=figure,
        annotator=annotator,
        phase=phase,
        status=read_status(aside),
        subfigures=tuple(_lettered(found, figure)),
        saved_at=_decided(aside),
        items=read_items(aside),
    )
    return _Found(annotation, sum(not each.label for each in found))


def _places(aside: Fields, figure: Figure) -> Callable[[frozenset[int]], frozenset[int]]:
    """Token ids of the file as those of the figure's own caption, by the tokens that stand in the file."""
    given = list(aside.objects("tokens"))
    if given and aside.optional_text("text") != figure.caption.text:
        raise aside.error("text", f'differs from the stored caption of figure "{figure.id}"; re-import the figure')
    ours = figure.caption.ranges
    same = [(each.record.get("start"), each.record.get("end")) for each in given] == list(ours)

    def places(ids: frozenset[int]) -> frozenset[int]:
        for each in ids:
            if not 0 <= each < len(given):
                raise aside.error("tokens", f"are {len(given)}, a subcaption names number {each}")
        if same:
            return ids
        spans = []
        for each in ids:
            start, end = given[each].optional_number("start"), given[each].optional_number("end")
            if start is None or end is None:
                raise aside.error("tokens", f"number {each} lacks its start or end")
            spans.append(Span(int(start), int(end)))
        return figure.caption.tokens_in(spans)

    return places


def _decided(aside: Fields) -> datetime:
    """When the gold was decided; unknown of others' files."""
    entry = Fields(aside.where, aside.mapping("provenance"), f"images.{ASIDE}.provenance.")
    return read_time(entry, "decided_at") if entry.record.get("decided_at") else UNKNOWN_TIME


def _lettered(found: list[Subfigure], figure: Figure) -> Iterator[Subfigure]:
    """Boxes without a label get the letters that are free, by rows from the top and then from the left."""
    taken = {each.label for each in found}
    free = (letter for letter in _letters() if letter not in taken)
    band = max(1.0, figure.height / 12)
    bare = [place for place, each in enumerate(found) if not each.label]
    bare.sort(key=lambda place: (round(found[place].box.y0 / band), found[place].box.x0))
    given = {place: next(free) for place in bare}
    for place, each in enumerate(found):
        yield replace(each, label=given[place]) if place in given else each


def _letters() -> Iterator[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in _letters():
        yield from (first + second for second in alphabet)
