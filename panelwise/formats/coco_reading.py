"""Read COCO's detection files, others' and our own: the images' boxes as annotations.

Data that can't be represented in COCO is read from the key that `coco` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from panelwise.domain.annotation import Annotation, Status, Subfigure, check_subfigures, letters, repeated_labels
from panelwise.domain.box import Box, Corners, NoArea
from panelwise.domain.caption import Span
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from panelwise.files.file_names import id_of_image
from panelwise.files.json_arrays import decoded_object, first_lines, read_arrays
from panelwise.files.jsonl import Fields, Line, Problems
from panelwise.files.seen_ids import Seen
from panelwise.formats.annotations import UNKNOWN_TIME, read_time
from panelwise.formats.authors import author_of, check_one_author
from panelwise.formats.captions import may_be_caption
from panelwise.formats.coco import ASIDE, SUBFIGURE, corners_of, without_empty_sizes
from panelwise.formats.content import (
    Content,
    FlatBox,
    check_pixels,
    put_right_box,
    put_right_label,
    put_right_rotation,
)
from panelwise.formats.items import read_items
from panelwise.formats.layout import ImageLookup, Reading
from panelwise.formats.medicat import figure_of, read_status
from panelwise.runtime.messages import counted

#: Names that say what a box is, not which one it is.
_GENERIC = {"", SUBFIGURE, "sub-figure", "subfigures", "panel", "panels", "figure", "figures", "object"}


class Part(NamedTuple):
    """One box of a file. label: "" if only the category may have it. author: "" if unnamed.

    corners: pixels x0 y0 x1 y1 as listed. rotation: degrees by which the box is turned round its centre.
    """

    where: str
    label: str
    category: int | None
    corners: Corners
    tokens: frozenset[int] = frozenset()
    author: str = ""
    rotation: float = 0.0
    score: float | None = None


@dataclass(slots=True)
class _Boxes:
    """The boxes of a file by image, and the categories' names.

    spoilt: images with a broken box. flat: images with a box without area. whole: the file's own structure was
    valid. ids: place and a hash of the box of each id. repeated: places of the first and a second box of an id.
    """

    names: dict[int, str] = field(default_factory=dict)
    of: dict[int, list[Part]] = field(default_factory=dict)
    spoilt: set[int] = field(default_factory=set)
    flat: set[int] = field(default_factory=set)
    whole: bool = True
    ids: dict[int | str, tuple[str, int]] = field(default_factory=dict)
    repeated: list[tuple[str, str]] = field(default_factory=list)


def read_coco(
    path: Path,
    problems: Problems,
    image_lookup: ImageLookup | None = None,
    *,
    annotator: str,
    phase: str = "gold",
    account: str = "",
) -> Iterator[Annotation]:
    """Yield the images' boxes as annotations by `annotator`; a broken image or box is a problem and left out.

    account: whose boxes to read, of a file that names several authors; then images that this author did not work
    on are left out.

    image_lookup: finds the figures; without one, and for images that it does not know, they are as the file
    describes them. A box's label is its own (`label`, or as `coco` writes it), else its category's name, else
    letters in reading order. An image that lost all its boxes to damage is left out, since it would look like one
    without any. The file is read twice, because its lists may be in any order; only the boxes are in memory.

    Raises FormatError if the file as a whole is invalid, or holds several authors' work and `account` chooses
    none.
    """
    boxes = _read_boxes(path, problems)
    authors = {part.author for parts in boxes.of.values() for part in parts}
    authors |= {author_of(line.record) for _, line in read_arrays(path, Problems(), ("images",))}
    check_one_author(path, authors - {""}, account)
    seen = Seen()
    ids: dict[int, str] = {}
    lettered, bare, others, unnamed, repeated = 0, 0, 0, 0, []
    for _, line in read_arrays(path, problems, ("images",)):
        problems.where = line.where
        entry = Fields(line.where, without_empty_sizes(line.record), "images.")
        try:
            number = whole_number(entry, "id")
            if number in ids:
                raise entry.error("id", f"is {number}, as of {ids[number]}; left this image out")
            ids[number] = line.where
            listed = boxes.of.pop(number, [])
            own = author_of(line.record)
            parts = [part for part in listed if account in ("", part.author or own)]
            unnamed += sum(not (part.author or own) for part in listed)
            if account and not parts and account not in (own, *_texts(entry.sequence("rater_list"))):
                others += 1
                continue
            if not listed and (number in boxes.spoilt | boxes.flat or not boxes.whole):
                raise FormatError(f"{line.where}: none of this image's boxes could be read; left the image out")
            names = entry.optional_text("figure_id"), entry.optional_text("file_name")
            figure = (image_lookup(*names) if image_lookup is not None else None) or own_figure(entry)
            earlier = seen.earlier(figure.id, line.where)
            if earlier is not None:
                raise FormatError(
                    f'{line.where}: figure "{figure.id}" was given before ({earlier}); kept the first'
                )
            found = _annotation(entry, parts, boxes.names, figure, annotator, phase, problems)
            if number in boxes.spoilt or not boxes.whole:
                found = found._replace(annotation=replace(found.annotation, partly_read=True))
        except AnnotatorError as error:
            problems.add(error, line.where)
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
    if boxes.repeated:
        first, second = boxes.repeated[0]
        problems.add(
            f'{path}: "annotations.id" of {counted(len(boxes.repeated), "box", "boxes")} is an earlier one\'s, '
            f"first at {second} (as of {first}); give each box an id of its own"
        )
    if unnamed and authors - {""}:
        what = "left out" if account else f"came in as {annotator}'s, as the others did; --account leaves them out"
        problems.note(f"{path}: without an author: {counted(unnamed, 'box', 'boxes')}; {what}")
    if others:
        problems.note(f'{path}: not worked on by "{account}": {counted(others, "image")}; left out')
    note_gaps(path, bare, lettered, problems)
    if repeated:
        problems.note(
            f"{path}: one label on several boxes in {counted(len(repeated), 'figure')}, and gold needs a label "
            f"of its own for each box: {', '.join(repeated[:5])}{', ...' if len(repeated) > 5 else ''}"
        )


def note_gaps(path: Path, bare: int, unlabelled: int, problems: Problems) -> None:
    """Note the images of a file without boxes, and its boxes without labels."""
    if unlabelled:
        problems.note(
            f"{path}: without a label: {counted(unlabelled, 'box', 'boxes')}; gave letters in reading order"
        )
    if bare:
        problems.note(f"{path}: without a box: {counted(bare, 'image')}; came in as figures without subfigures")


def is_coco(path: Path, begin: bytes) -> bool:
    """Return True for an object with COCO's images or boxes, over any number of lines. begin: its first byte."""
    if begin != b"{":
        return False
    record = decoded_object(first_lines(path)[0])
    if record is not None:
        return isinstance(record.get("images"), list) and isinstance(record.get("annotations"), list)
    with suppress(FormatError):
        for element in read_arrays(path, Problems(), ("images", "annotations")):
            return element.array == "images" or not {"image_id", "bbox"}.isdisjoint(element.line.record)
    return False


def figure_lines(path: Path, problems: Problems) -> Iterator[Line]:
    """Yield the images as records of figures; a figure's id is its image's name, without the ending."""
    for element in read_arrays(path, problems, ("images",)):
        image = without_empty_sizes(element.line.record)
        name = image.get("file_name")
        if not isinstance(name, str):
            problems.add(f'{element.line.where}: "file_name" is missing; give a text')
            continue
        own = ("width", "height", "caption", "source")
        kept = {key: value for key, value in image.items() if key in own or may_be_caption(key, value)}
        named = {"figure_id": image.get("figure_id") or id_of_image(name), "image": name}
        yield Line(element.line.where, {**kept, **named})


def read_coco_work(path: Path, problems: Problems, reading: Reading) -> Iterator[Annotation]:
    """Yield the images' boxes as annotations; see `read_coco`."""
    return read_coco(
        *(path, problems, reading.image),
        annotator=reading.annotator or "gold",
        phase=reading.phase or "gold",
        account=reading.account,
    )


def own_figure(entry: Fields) -> Figure:
    """Return the figure of an image as the file describes it, with what `coco` writes aside."""
    name = entry.optional_text("file_name")
    figure_id = entry.optional_text("figure_id") or id_of_image(name)
    if not figure_id:
        raise entry.error("file_name", "is missing; give a text")
    own = {"figure_id": figure_id, "image": name, "width": entry.size("width"), "height": entry.size("height")}
    text = entry.optional_text("caption")
    return figure_of(Fields(entry.where, {"text": text, **entry.mapping(ASIDE), **own}, "images."))


def _texts(values: list[Any]) -> list[str]:
    return [str(each) for each in values]


def _read_boxes(path: Path, problems: Problems) -> _Boxes:
    """Return all boxes and categories."""
    found = _Boxes()
    places: dict[int, str] = {}
    unknown: dict[int, int] = {}

    def report(line: str) -> None:
        if not line.startswith("note: "):  # Notes come when the images are read.
            found.whole = False
            problems.add(line)

    shape = Problems(report=report)
    for array, line in read_arrays(path, shape, ("annotations", "categories"), optional=("categories",)):
        fields = Fields(line.where, line.record, f"{array}.")
        try:
            if array == "categories":
                number = whole_number(fields, "id")
                if number in places:
                    raise fields.error("id", f"is {number}, as of {places[number]}; kept the first")
                places[number] = line.where
                found.names[number] = fields.text("name")
                continue
            try:
                image = whole_number(fields, "image_id")
            except FormatError:
                found.whole = False  # It may be any image's.
                raise
            if _given_before(found, line):
                continue
            try:
                part = _part(fields)
            except AnnotatorError as error:
                (found.flat if isinstance(error, NoArea) else found.spoilt).add(image)
                raise
            found.of.setdefault(image, []).append(part)
            if part.category is not None and not part.label:
                unknown[part.category] = unknown.get(part.category, 0) + 1
        except FormatError as error:
            problems.add(error)
        except AnnotatorError as error:
            problems.add(f"{line.where}: {error}; left this box out")
    check_numbering(path, unknown, found.names)
    for number in [each for each in unknown if each not in found.names]:
        problems.note(
            f"{path}: the file does not list category {number}, of {counted(unknown[number], 'box', 'boxes')}"
        )
    return found


def _given_before(found: _Boxes, line: Line) -> bool:
    """Note the id of a box; return True for the same box once more, which is not counted again."""
    number = line.record.get("id")
    if not isinstance(number, int | str):
        return False
    content = hash(str(line.record))
    if number not in found.ids:
        found.ids[number] = (line.where, content)
        return False
    where, earlier = found.ids[number]
    found.repeated.append((where, line.where))
    return earlier == content


def whole_number(fields: Fields, key: str) -> int:
    """Return a whole number, which is required."""
    value = fields.whole(key)
    if value is None:
        raise fields.error(key, "is no whole number")
    return value


def _part(fields: Fields) -> Part:
    if fields.flag("iscrowd", default=False):
        raise fields.error("iscrowd", "says that it is a crowd, not one subfigure; left this box out")
    x, y, width, height = fields.numbers("bbox", 4)
    if not width * height:
        said = f"{[x, y, width, height]}, which is x y width height, has no area; left it out"
        raise FlatBox(str(fields.error("bbox", said)))
    aside = fields.inside(ASIDE)
    category = None if fields.record.get("category_id") is None else whole_number(fields, "category_id")
    label = aside.optional_text("label") or fields.optional_text("label")
    if category is None and not label:
        names = (fields.record.get(key) for key in ("category_name", "category"))
        label = next((name for name in names if isinstance(name, str) and not is_generic(name)), "")
    tokens = aside.sequence("subcaption")
    if not all(type(token) is int for token in tokens):
        raise aside.error("subcaption", "is not a list of token ids")
    return Part(
        fields.where,
        label,
        category,
        corners_of(x, y, width, height),
        frozenset(tokens),
        author_of(fields.record, box=True),
        _rotation(fields),
    )


def _rotation(fields: Fields) -> float:
    """Return the degrees by which a box is turned round its centre, as CVAT and others write them; 0 without."""
    listed = isinstance(fields.record.get("attributes"), Mapping)
    attributes = fields.inside("attributes") if listed else Fields(fields.where, {})
    return attributes.optional_number("rotation") or fields.optional_number("rotation") or 0.0


def label_of(part: Part, names: Mapping[int, str]) -> str:
    """Return a box's own label, else its category's name unless that is generic; "" without either."""
    category = "" if part.category is None else names.get(part.category, "")
    return part.label or ("" if is_generic(category) else category)


def check_numbering(path: Path, used: Collection[int], names: Mapping[int, str]) -> None:
    """Raise FormatError if boxes and list seem to count categories from 0 and from 1: names would be off by one.

    used: categories of boxes without a label of their own. names: the listed ones, which say nothing if generic.
    """
    unlisted = set(used) - names.keys()
    if not unlisted or all(map(is_generic, names.values())):
        return
    first, last = min(names), max(names)
    if (unlisted == {first - 1} and last not in used) or (unlisted == {last + 1} and first not in used):
        raise FormatError(
            f"{path}: boxes have categories {min(used)} to {max(used)}, and {first} to {last} are listed "
            f'({first} is "{names[first]}"), so that labels may be off by one; give both the same numbers'
        )


def is_generic(name: str) -> bool:
    """Return whether a name says what a box is, not which one it is."""
    return name.strip().casefold() in _GENERIC


class _Found(NamedTuple):
    """lettered: number of boxes without a label."""

    annotation: Annotation
    lettered: int


def _annotation(
    entry: Fields,
    parts: list[Part],
    names: Mapping[int, str],
    figure: Figure,
    annotator: str,
    phase: str,
    problems: Problems,
) -> _Found:
    """Return one image's boxes on its figure; a box that does not fit it is a problem and left out."""
    check_size(entry, figure)
    aside, content = entry.inside(ASIDE), Content(entry.where)
    tokens = _places(aside, figure)
    check_pixels(entry, "annotations.bbox", [part.corners for part in parts], figure)
    found = [subfigure for _, subfigure in fitting(entry.where, parts, names, figure, problems, tokens)]
    annotation = Annotation(
        figure=figure,
        annotator=annotator,
        phase=phase,
        status=read_status(aside),
        subfigures=tuple(lettered(found, figure)),
        saved_at=_decided(aside),
        items=read_items(aside, content),
        partly_read=len(found) < len(parts) or content.partly_read,
    )
    content.report(problems, accepted=annotation.status is Status.ACCEPTED)
    return _Found(annotation, sum(not each.label for each in found))


def check_size(entry: Fields, figure: Figure) -> None:
    """Raise FormatError if an image is listed with another size than the figure's."""
    for key, size in (("width", figure.width), ("height", figure.height)):
        given = entry.size(key)
        if given is not None and given != size and figure.sized:
            raise entry.error(
                key,
                f'is {given}, the stored image of figure "{figure.id}" has {size} pixels; scale the boxes to it',
            )


def fitting(
    where: str,
    parts: list[Part],
    names: Mapping[int, str],
    figure: Figure,
    problems: Problems,
    tokens: Callable[[frozenset[int]], frozenset[int]],
) -> list[tuple[Part, Subfigure]]:
    """Return the boxes that fit their figure, each as a subfigure, its label "" without one; others are problems.

    where: of the image. names: of categories. tokens: maps the file's token ids to the figure's. Raises
    FormatError if none fits.
    """
    found: list[tuple[Part, Subfigure]] = []
    for part in parts:
        try:

            def note(text: str, place: str = part.where) -> None:
                problems.note(f"{place}: {text}")

            upright = put_right_rotation(part.corners, part.rotation, note)
            box = Box(*put_right_box(upright, figure, note))
            subfigure = Subfigure(put_right_label(label_of(part, names), note), box, tokens(part.tokens))
            # A label may yet be given.
            check_subfigures(figure, [replace(subfigure, label=subfigure.label or SUBFIGURE)])
        except FormatError as error:
            problems.add(f"{part.where}: {str(error).removeprefix(f'{where}: ')}; left this box out")
        except AnnotatorError as error:
            problems.add(f"{part.where}: {error}; left this box out")
        else:
            found.append((part, subfigure))
    if parts and not found:
        raise FormatError(f"{where}: none of this image's boxes fits its figure; left the image out")
    return found


def _places(aside: Fields, figure: Figure) -> Callable[[frozenset[int]], frozenset[int]]:
    """Map the file's token ids to those of the figure's own caption."""
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
    """Return when the gold was decided; unknown for others' files."""
    entry = aside.inside("provenance")
    return read_time(entry, "decided_at") if entry.record.get("decided_at") else UNKNOWN_TIME


def lettered(found: list[Subfigure], figure: Figure) -> Iterator[Subfigure]:
    """Assign free letters to boxes without a label, by rows from the top and then from the left."""
    taken = {each.label for each in found}
    free = (letter for letter in letters() if letter not in taken)
    band = max(1.0, figure.height / 12)
    bare = [place for place, each in enumerate(found) if not each.label]
    bare.sort(key=lambda place: (round(found[place].box.y0 / band), found[place].box.x0))
    given = {place: next(free) for place in bare}
    for place, each in enumerate(found):
        yield replace(each, label=given[place]) if place in given else each
