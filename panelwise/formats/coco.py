"""Gold in COCO's detection layout, for detectors, and annotators' boxes in it, for agreement tools of others.

The only module that converts to and from xywh.

COCO has images, boxes and categories. Labels, captions with tokens, subcaptions and provenance are stored under
the key `panelwise`, which COCO's readers ignore and `coco_reading` reads.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any

import msgspec

from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.box import Box, Corners
from panelwise.domain.decision import Gold
from panelwise.domain.figure import Figure
from panelwise.formats.losses import Losses
from panelwise.formats.medicat import gold_record
from panelwise.runtime.atomic_write import whole_file, write_whole

#: The key of data that can't be represented in COCO.
ASIDE = "panelwise"
#: The category of all boxes, where labels are not categories.
SUBFIGURE = "subfigure"
#: Decimal places of a pixel, so that edges survive a round trip.
_PLACES = 6
_TWICE = {"width", "height", "spans", "subfigures", "subcaptions", "image", "image_sha256", "figure_id"}


class Categories(StrEnum):
    """The meaning of a category: the kind of every box, or its label."""

    SUBFIGURE = "subfigure"
    LABEL = "label"


@dataclass(slots=True)
class CocoTally:
    """Counts of what was written. undrawn: images without a box, which detectors treat as background."""

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

    file_name: a figure's image name in the file. Ids count from 1, in order.
    """
    tally = CocoTally()
    ids: dict[str, int] = {SUBFIGURE: 1} if categories is Categories.SUBFIGURE else {}
    # Boxes follow all images: they wait in a file of their own, not in memory.
    with whole_file(path) as file, tempfile.TemporaryFile() as boxes:
        file.write(b'{"info":{"description":"Panelwise gold"},"licenses":[],"images":[')
        for gold in golds:
            tally.images += 1
            image = _image(gold.figure, tally.images, file_name(gold.figure))
            _put(file, image | {ASIDE: _aside(gold)}, tally.images)
            tally.undrawn += not gold.subfigures
            for subfigure in gold.subfigures:
                tally.boxes += 1
                label = SUBFIGURE if categories is Categories.SUBFIGURE else subfigure.label
                category = ids.setdefault(label, len(ids) + 1)
                aside = {"label": subfigure.label, "subcaption": sorted(subfigure.subcaption)}
                box = _box(subfigure.box, tally.boxes, tally.images, category)
                _put(boxes, box | {ASIDE: aside}, tally.boxes)
            _note(gold, losses, categories)
        file.write(b'\n],"annotations":[')
        boxes.seek(0)
        shutil.copyfileobj(boxes, file, 1 << 20)
        file.write(b'\n],"categories":' + msgspec.json.encode(_categories(ids)) + b"}\n")
    return tally


def write_coco_raters(path: Path, work: Iterable[Annotation], image_of: Callable[[str], str]) -> None:
    """Write the accepted annotations of one phase, with `rater_id` on each box.

    image_of: file name of a figure's image, by figure id. Categories are labels. `rater_list` of an image names
    all who annotated it, also those who drew no box.
    """
    images: dict[str, dict[str, Any]] = {}
    boxes: list[Mapping[str, Any]] = []
    categories: dict[str, int] = {}
    for each in work:
        if each.status is not Status.ACCEPTED:
            continue
        figure = each.figure
        new = _image(figure, len(images) + 1, image_of(figure.id)) | {"rater_list": []}
        image = images.setdefault(figure.id, new)
        image["rater_list"].append(each.annotator)
        for subfigure in each.subfigures:
            category = categories.setdefault(subfigure.label, len(categories) + 1)
            box = _box(subfigure.box, len(boxes) + 1, image["id"], category)
            boxes.append(box | {"rater_id": each.annotator})
    content = {
        "info": {"description": "Boxes of every annotator"},
        "licenses": [],
        "images": list(images.values()),
        "annotations": boxes,
        "categories": _categories(categories),
    }
    write_whole(path, msgspec.json.encode(content) + b"\n")


def to_xywh(box: Box) -> list[float]:
    """Return left edge, top edge, width and height."""
    return [box.x0, box.y0, box.width, box.height]


def without_empty_sizes(image: Mapping[str, Any]) -> dict[str, Any]:
    """Return an image's record without a `width` or `height` of 0, which VIA writes where it knows none."""
    return {key: value for key, value in image.items() if key not in ("width", "height") or value not in (0, "0")}


def corners_of(x: float, y: float, width: float, height: float) -> Corners:
    """Return x0 y0 x1 y1 of COCO's four numbers; swapped where width or height is below 0."""
    return (x, y, round(x + width, _PLACES), round(y + height, _PLACES))


def _put(file: IO[bytes], record: Mapping[str, Any], number: int) -> None:
    file.write((b"\n" if number == 1 else b",\n") + msgspec.json.encode(record))


def _image(figure: Figure, number: int, file_name: str) -> dict[str, Any]:
    size = {"width": figure.width, "height": figure.height}
    return {"id": number, "file_name": file_name, **size, "figure_id": figure.id}


def _aside(gold: Gold) -> dict[str, Any]:
    return {key: value for key, value in gold_record(gold).items() if key not in _TWICE}


def _box(box: Box, number: int, image: int, category: int) -> dict[str, Any]:
    place = {"bbox": to_xywh(box), "area": box.area, "iscrowd": 0}
    return {"id": number, "image_id": image, "category_id": category, **place}


def _categories(ids: Mapping[str, int]) -> list[dict[str, Any]]:
    return [{"id": number, "name": label, "supercategory": SUBFIGURE} for label, number in ids.items()]


def _note(gold: Gold, losses: Losses, categories: Categories) -> None:
    losses.aside("captions and their tokens", bool(gold.figure.caption.text), key=ASIDE)
    losses.aside("subcaptions", sum(bool(each.subcaption) for each in gold.subfigures), key=ASIDE)
    if categories is Categories.SUBFIGURE:
        losses.aside("labels (see --categories label)", len(gold.subfigures), key=ASIDE)
    losses.aside("references", len(gold.figure.references), key=ASIDE)
    losses.aside("provenance", key=ASIDE)
    losses.aside("figure types, verdicts and answers", len(gold.items.parts), key=ASIDE)
