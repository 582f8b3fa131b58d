"""Put the images of one figure together into one, and store it in the campaign's home."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from annotator.imports.image_intake import StoredImage, store_drawn
from panelwise.domain import FormatError
from panelwise.files import image_path
from panelwise.formats import FigureRecord, arranged, described
from panelwise.images import Picture, as_png, is_url, read_bytes, read_picture
from panelwise.settings import ImageLimits


def store_joined(
    record: FigureRecord, folder: Path, home: Path, limits: ImageLimits, note: Callable[[str], None]
) -> tuple[StoredImage, list[dict[str, Any]]]:
    """Return the joined image of a record's images, stored, and what the figure keeps of each of these.

    folder: base of their paths. note: called with what was changed in an image. Raises FormatError for an image
    that is missing, damaged or an address, and if the joined image is beyond the limits.
    """
    files, pictures = list[bytes](), list[Picture]()
    for part in record.images:
        if is_url(part.image):
            raise FormatError(
                f'figure "{record.figure_id}": one of its images is a URL, and several are not downloaded; '
                "download them, and name the files"
            )
        file = image_path(folder, part.image, note)
        files.append(read_bytes(file, limits))
        pictures.append(read_picture(files[-1], file, limits))
        for line in pictures[-1].notes:
            note(line)
    sizes = [picture.image.size for picture in pictures]
    size, boxes = arranged(sizes, [part.place for part in record.images])
    if size[0] * size[1] > limits.max_pixels or max(size) > limits.max_side:
        raise FormatError(
            f'figure "{record.figure_id}": its images together have {size[0]} x {size[1]} pixels, more than '
            "[images] in campaign.toml allows; scale them down, or raise max_pixels and max_side"
        )
    key = hashlib.sha256(str(boxes).encode())
    for data in files:
        key.update(hashlib.sha256(data).digest())
    stored = store_drawn(lambda: _joined(pictures, size, boxes), key.hexdigest(), home, record.figure_id)
    return stored, described(record.images, sizes, boxes)


def _joined(pictures: Sequence[Picture], size: tuple[int, int], boxes: Sequence[Sequence[float]]) -> bytes:
    from PIL import Image

    canvas = Image.new("RGB", size, "white")
    for picture, (x0, y0, x1, y1) in zip(pictures, boxes, strict=True):
        place = round(x1 - x0), round(y1 - y0)
        image = picture.image.convert("RGB")
        canvas.paste(
            image if image.size == place else image.resize(place, Image.Resampling.LANCZOS), (round(x0), round(y0))
        )
    return as_png(Picture(canvas, ""))
