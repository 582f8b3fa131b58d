"""Figures of several images: how a record names them, where each stands on the joined image, and their panels.

A compound figure that its source has cut into images is one figure again: the images are put together as the page
shows them, or in rows, and the place of each is a panel that the publisher has given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, sqrt
from typing import Any

import msgspec

from panelwise.domain.annotation import PUBLISHER, Prediction, Subfigure, letters
from panelwise.domain.box import Box, Corners
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Fields
from panelwise.formats.quotes import spans_of_quote

#: The key of a record that names its images.
IMAGES = "images"
#: Pixels between images, where the source does not say their places; the part of a row's width.
_GAP, _LEAST_GAP = 0.01, 8
#: Width to height of the rows together.
_SHAPE = 2.0
#: The part of the smaller image by which two images may cover each other.
_OVERLAP = 0.2
#: How many times as many pixels as its images the joined image may have: a small image may stand on a large place.
_GROWTH = 4.0

Size = tuple[int, int]


class ImagePart(msgspec.Struct, frozen=True, gc=False):
    """One of a figure's images. label: of its panel. caption: its own, a part of the figure's. place: on the page,
    x0 y0 x1 y1 in any unit, None if unknown.
    """

    image: str
    label: str = ""
    caption: str = ""
    place: Corners | None = None


def read_parts(fields: Fields) -> tuple[ImagePart, ...]:
    """Return the images that a record names under `images`: names, or objects with `image`, `label`, `caption` and
    `place`. Raises FormatError.
    """
    parts = list[ImagePart]()
    for position, value in enumerate(fields.sequence(IMAGES)):
        if isinstance(value, str) and value:
            parts.append(ImagePart(value))
            continue
        part = fields.element(IMAGES, position, value)
        place = None if part.record.get("place") is None else _corners(part, "place")
        parts.append(
            ImagePart(part.text("image"), part.optional_text("label"), part.optional_text("caption"), place)
        )
    return tuple(parts)


def _corners(fields: Fields, key: str) -> Corners:
    x0, y0, x1, y1 = fields.numbers(key, 4)
    if x0 >= x1 or y0 >= y1:
        raise fields.error(key, f"is {[x0, y0, x1, y1]}, which has no area; give x0 y0 x1 y1")
    return x0, y0, x1, y1


def arranged(sizes: Sequence[Size], places: Sequence[Corners | None]) -> tuple[Size, tuple[Corners, ...]]:
    """Return the size of the joined image, and the whole pixels of each image on it.

    sizes: width and height of each image. places: of each on the page. As on the page where all places are known
    and hardly cover each other, at the scale of the finest image; else in rows, in their order.
    """
    known = [place for place in places if place is not None]
    if len(known) == len(sizes) and not _overlap(known):
        return _as_on_the_page(sizes, known)
    return _in_rows(sizes)


def _as_on_the_page(sizes: Sequence[Size], places: Sequence[Corners]) -> tuple[Size, tuple[Corners, ...]]:
    left, top = min(place[0] for place in places), min(place[1] for place in places)
    right, bottom = max(place[2] for place in places), max(place[3] for place in places)
    finest = max(width / (place[2] - place[0]) for (width, _), place in zip(sizes, places, strict=True))
    most = _GROWTH * sum(width * height for width, height in sizes)
    scale = min(finest, sqrt(most / ((right - left) * (bottom - top))))
    boxes = []
    for x0, y0, x1, y1 in places:
        x, y = round((x0 - left) * scale), round((y0 - top) * scale)
        width, height = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
        boxes.append((float(x), float(y), float(x + width), float(y + height)))
    return _around(boxes), tuple(boxes)


def _in_rows(sizes: Sequence[Size]) -> tuple[Size, tuple[Corners, ...]]:
    widest = max(width for width, _ in sizes)
    width_of_rows = max(widest, ceil(sqrt(_SHAPE * sum(width * height for width, height in sizes))))
    gap = max(_LEAST_GAP, round(_GAP * width_of_rows))
    boxes = list[Corners]()
    x = y = low = filled = 0
    for width, height in sizes:
        if filled and filled + width > width_of_rows:
            x, y, filled = 0, low + gap, 0
        boxes.append((float(x), float(y), float(x + width), float(y + height)))
        x, filled, low = x + width + gap, filled + width, max(low, y + height)
    return _around(boxes), tuple(boxes)


def _around(boxes: Sequence[Corners]) -> Size:
    return ceil(max(box[2] for box in boxes)), ceil(max(box[3] for box in boxes))


def _overlap(places: Sequence[Corners]) -> bool:
    for number, one in enumerate(places):
        for other in places[:number]:
            width = min(one[2], other[2]) - max(one[0], other[0])
            height = min(one[3], other[3]) - max(one[1], other[1])
            smaller = min((place[2] - place[0]) * (place[3] - place[1]) for place in (one, other))
            if width > 0 and height > 0 and width * height > _OVERLAP * smaller:
                return True
    return False


def described(parts: Sequence[ImagePart], sizes: Sequence[Size], boxes: Sequence[Corners]) -> list[dict[str, Any]]:
    """Return what a figure keeps of its images, for its key `images`. boxes: of each on the joined image."""
    return [
        {
            "image": part.image,
            "width": width,
            "height": height,
            **({"label": part.label} if part.label else {}),
            **({"caption": part.caption} if part.caption else {}),
            "box": list(box),
        }
        for part, (width, height), box in zip(parts, sizes, boxes, strict=True)
    ]


def box_in_image(figure: Figure, box: Box) -> dict[str, Any] | None:
    """Return the image of a figure of several that holds a box but for a pixel, and the box in its pixels.

    None for a box on several, and of a figure of one image.
    """
    listed = figure.extra.get(IMAGES)
    for part in listed if isinstance(listed, list) else ():
        try:
            fields = Fields("", part)
            left, top, right, bottom = _corners(fields, "box")
            width, height = fields.size("width"), fields.size("height")
        except (AnnotatorError, AttributeError):
            return None  # A key `images` of somebody else's.
        x0, y0, x1, y1 = box.corners
        inside = min(x0 - left, y0 - top, right - x1, bottom - y1) >= -1.0
        if inside and width and height:
            across, down = width / (right - left), height / (bottom - top)
            corners = ((x0 - left) * across, (y0 - top) * down, (x1 - left) * across, (y1 - top) * down)
            sides = (width, height, width, height)
            kept = [min(max(edge, 0.0), float(side)) for edge, side in zip(corners, sides, strict=True)]
            return {"image": part.get("image"), "box": kept}
    return None


def published_panels(figure: Figure) -> Prediction | None:
    """Return the panels that the publisher gave, of a figure of several images; None of any other.

    Images without a label get the next free letters. A panel's words are those of its image's caption that stand
    in the figure's word for word.
    """
    listed = figure.extra.get(IMAGES)
    if not isinstance(listed, list) or len(listed) < 2:
        return None
    parts = [each for each in listed if isinstance(each, Mapping)]
    given = [str(part.get("label") or "") for part in parts]
    free = (letter for letter in letters() if letter not in given)
    try:
        subfigures = tuple(
            Subfigure(label or next(free), Box(*_corners(Fields("", part), "box")), _words(figure, part))
            for label, part in zip(given, parts, strict=True)
        )
        return Prediction(figure, PUBLISHER, subfigures, (1.0,) * len(subfigures))
    except AnnotatorError:
        # A key `images` of somebody else's.
        return None


def _words(figure: Figure, part: Mapping[str, Any]) -> frozenset[int]:
    caption = part.get("caption")
    spans = spans_of_quote(caption, figure.caption.text) if isinstance(caption, str) else []
    return figure.caption.tokens_in(spans)
