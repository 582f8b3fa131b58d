"""From a file to what a detector takes: decoded, no larger than it must be, and scaled.

Pillow frees Python while it decodes and scales, so threads may do it ahead; what they hand on is small.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PIL import Image

from panelwise.files import check_png, image_kind, too_many_scans
from panelwise.images import read_bytes, read_picture
from panelwise.settings import ImageLimits
from prelabel.models.protocols import Detections
from prelabel.models.sizing import Prepared, Shape, Sizing

#: Kinds and modes of files that hold nothing to settle: their pixels are the picture.
_PLAIN = {"PNG": ("L", "RGB"), "JPEG": ("L", "RGB")}
_ORIENTATION = 0x0112
#: A JPEG is decoded at a half, a quarter or an eighth where this many times the wanted size remains.
_ENOUGH = 2


class Staged(Protocol):
    """A detector in two steps; see `prelabel.detectors.batched`."""

    batch: int
    sizing: Sizing

    def prepare(self, image: Image.Image, *, size: Shape | None = None) -> Prepared:
        """The first step; runs in threads."""
        ...

    def predict(self, items: Sequence[Prepared]) -> list[Detections]:
        """The second, for images of one canvas."""
        ...


def read_prepared(path: Path, detector: Staged, limits: ImageLimits | None = None) -> Prepared:
    """One file, decoded and scaled for a detector. Raises FormatError, one line, where it is no image.

    A JPEG much larger than wanted is decoded at a fraction of its size, which its format allows; boxes are in
    pixels of the whole image all the same.
    """
    data = read_bytes(path, limits)
    plain = _plain(data, detector.sizing, limits or ImageLimits())
    if plain is not None:
        image, size = plain
        return detector.prepare(image, size=size)
    return detector.prepare(read_picture(data, path, limits).image)


def _plain(data: bytes, sizing: Sizing, limits: ImageLimits) -> tuple[Image.Image, Shape] | None:
    """The picture of a file that needs no settling, and its whole size; None for any other, and for damaged ones.

    `read_picture` decodes one at a time, for the sake of a setting of the whole process that this does not need.
    """
    if too_many_scans(data):
        return None
    try:
        if image_kind(data) == "PNG" and check_png(data, ""):
            return None
        with Image.open(io.BytesIO(data), formats=tuple(_PLAIN)) as image:
            width, height = size = image.size
            if width * height > min(limits.max_pixels, _warns()) or max(size) > limits.max_side:
                return None
            if image.mode not in _PLAIN.get(image.format or "", ()) or "transparency" in image.info:
                return None
            if "exif" in image.info and image.getexif().get(_ORIENTATION, 1) != 1:
                return None
            if image.format == "JPEG":
                across, down = sizing.scaled(width, height)
                image.draft(None, (across * _ENOUGH, down * _ENOUGH))
            image.load()
            return image, size
    except Exception:  # Pillow raises any error on damaged files; `read_picture` reports it.
        return None


def _warns() -> int:
    """Pixels from which Pillow warns of a decompression bomb."""
    return Image.MAX_IMAGE_PIXELS or 1 << 62
