"""Thumbnails of the campaign's images, made on first use and cached in the home."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

from annotator.campaign.home import Home
from panelwise.domain import Figure
from panelwise.runtime import write_whole
from panelwise.settings import UNLIMITED

#: Folder of the home. It may be deleted at any time.
FOLDER = "thumbnails"
#: Longest side, in pixels.
SIDE = 240
_QUALITY = 80


def thumbnail(home: Home, figure: Figure) -> bytes:
    """Return a JPEG of the figure's image, at most SIDE pixels per side, never larger than the image.

    Made again when the image file changes. Safe for threads and processes. Raises AnnotatorError if the figure has
    no image or it can't be read.
    """
    image = home.image_path(figure)
    kept = home.path / FOLDER / f"{image.name}-{SIDE}.jpg"
    # A thumbnail has the time of its image, so a replaced or restored image is noticed.
    changed = _changed(image)
    if changed is not None and _changed(kept) == changed:
        with suppress(OSError):  # Deleted just now: made again.
            return kept.read_bytes()
    data = small_jpeg(image)
    if changed is not None:
        with suppress(OSError):  # A read-only home works too, only more slowly.
            write_whole(kept, data, changed=changed)
    return data


def _changed(file: Path) -> int | None:
    """Return the file's modification time in nanoseconds; None if there is no file."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


def small_jpeg(image: Path) -> bytes:
    """Return a JPEG of an image file, at most SIDE pixels per side. Raises FormatError if it can't be read."""
    from PIL import Image

    from panelwise.images import read_bytes, read_picture

    picture = read_picture(read_bytes(image, UNLIMITED), image, UNLIMITED).image
    small = picture.convert("L" if picture.mode in ("1", "L") else "RGB")
    small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()
