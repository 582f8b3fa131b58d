"""COCO's detection layout: gold boxes for detectors, and boxes of others as annotations. The only place of xywh.

COCO knows images, boxes and categories. Labels, captions with tokens, subcaptions and provenance stand beside them
under the key `panelwise`, which COCO's readers pass over and this module reads again.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

import msgspec

from annotator.domain.adjudication import Gold
from annotator.domain.annotation import Annotation, Status, Subfigure
from annotator.domain.caption import Span
from annotator.domain.errors import AnnotatorError, FormatError
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.formats.annotations import UNKNOWN_TIME, read_time
from annotator.formats.items import read_items
from annotator.formats.json_stream import read_arrays
from annotator.formats.jsonl import Fields, Problems, whole_file
from annotator.formats.losses import Losses
from annotator.formats.medicat import ANSWERS, gold_record

#: The key of what COCO has no place for.
ASIDE = "panelwise"
#: The category of all boxes, where labels are not categories.
SUBFIGURE = "subfigure"
#: Names that say what a box is, not which one it is.
_GENERIC = {"", SUBFIGURE, "sub-figure", "subfigures", "panel", "figure", "object"}
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


_Named = tuple[str, Box, frozenset[int]]


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
    category's name, else letters in reading order. Held in memory are the boxes, for a file may list them in any
    order. Raises FormatError where the file as a whole is none.
    """
    names: dict[int, str] = {}
    images: dict[int, Fields] = {}
    parts: dict[int, list[_Part]] = {}
    for array, line in read_arrays(path, problems, ("images", "annotations", "categories")):
        fields = Fields(line.where, line.record, f"{array}.")
        try:
            if array == "annotations":
                parts.setdefault(_whole(fields, "image_id"), []).append(_part(fields))
            elif array == "categories":
                names[_whole(fields, "id")] = fields.text("name")
            elif (number := _whole(fields, "id")) in images:
                raise fields.error("id", f"is {number}, as of {images[number].where}; left this image out")
            else:
                images[number] = fields
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}; left this box out")
    lettered = 0
    for number, entry in images.items():
        problems.where = entry.where
        found = [_named(part, names) for part in parts.pop(number, ())]
        try:
            yield _annotation(entry, found, figure_of, annotator, phase)
            lettered += sum(not label for label, _, _ in found)
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{entry.where}: {error}")
    for number, lost in parts.items():
        for part in lost:
            problems.add(
                f'{part.where}: "annotations.image_id" is {number}, which no image has; left this box out'
            )
    if lettered:
        problems.note(f"{path}: {lettered} boxes bear no label; gave them letters in reading order")


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
        Box(x, y, x + width, y + height),
        frozenset(tokens),
    )


def _named(part: _Part, names: Mapping[int, str]) -> _Named:
    category = "" if part.category is None else names.get(part.category, "")
    label = part.label or ("" if category.casefold() in _GENERIC else category)
    return label, part.box, part.tokens


def _annotation(
    entry: Fields, found: list[_Named], figure_of: Callable[[str, str], Figure], annotator: str, phase: str
) -> Annotation:
    figure = figure_of(entry.optional_text("figure_id"), entry.optional_text("file_name"))
    for key, size in (("width", figure.width), ("height", figure.height)):
        given = entry.size(key)
        if given is not None and given != size:
            raise entry.error(
                key,
                f'is {given}, the stored image of figure "{figure.id}" has {size} pixels; scale the boxes to it',
            )
    aside = Fields(entry.where, entry.mapping(ASIDE), f"images.{ASIDE}.")
    tokens = _places(aside, figure)
    return Annotation(
        figure=figure,
        annotator=annotator,
        phase=phase,
        status=_status(aside),
        subfigures=tuple(Subfigure(label, box, tokens(ids)) for label, box, ids in _lettered(found, figure)),
        saved_at=_decided(aside),
        items=read_items(aside),
    )


def _places(aside: Fields, figure: Figure) -> Callable[[frozenset[int]], frozenset[int]]:
    """Token ids of the file as those of the figure's own caption, by the tokens that stand in the file."""
    given = [(entry.optional_number("start"), entry.optional_number("end")) for entry in aside.objects("tokens")]
    if given and aside.optional_text("text") != figure.caption.text:
        raise aside.error("text", f'differs from the stored caption of figure "{figure.id}"; re-import the figure')

    def places(ids: frozenset[int]) -> frozenset[int]:
        spans = []
        for each in ids:
            if not 0 <= each < len(given):
                raise aside.error("tokens", f"are {len(given)}, a subcaption names number {each}")
            start, end = given[each]
            if start is None or end is None:
                raise aside.error("tokens", f"number {each} lacks its start or end")
            spans.append(Span(int(start), int(end)))
        return figure.caption.tokens_in(spans)

    return places


def _status(aside: Fields) -> Status:
    answer = aside.optional_text("answer")
    return next((status for status, each in ANSWERS.items() if each == answer), Status.ACCEPTED)


def _decided(aside: Fields) -> datetime:
    """When the gold was decided; unknown of others' files."""
    entry = Fields(aside.where, aside.mapping("provenance"), f"images.{ASIDE}.provenance.")
    return read_time(entry, "decided_at") if entry.record.get("decided_at") else UNKNOWN_TIME


def _lettered(found: list[_Named], figure: Figure) -> Iterator[_Named]:
    """Boxes without a label get the letters that are free, by rows from the top and then from the left."""
    taken = {label for label, _, _ in found}
    free = (letter for letter in _letters() if letter not in taken)
    band = max(1.0, figure.height / 12)
    bare = [place for place, (label, _, _) in enumerate(found) if not label]
    bare.sort(key=lambda place: (round(found[place][1].y0 / band), found[place][1].x0))
    given = {place: next(free) for place in bare}
    for place, (label, box, tokens) in enumerate(found):
        yield label or given[place], box, tokens


def _letters() -> Iterator[str]:
    """A, B, ... Z, AA, AB, ..."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in _letters():
        yield from (first + second for second in alphabet)
