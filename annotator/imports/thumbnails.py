"""Small versions of the campaign's images, made when first asked for and kept in the home."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

from annotator.campaign.home import Home
from panelwise.domain.figure import Figure
from panelwise.runtime.atomic_write import write_whole
from panelwise.settings.campaign_toml import UNLIMITED

#: Folder of the home. It may be deleted at any time.
FOLDER = "thumbnails"
#: Longest side, in pixels.
SIDE = 240
_QUALITY = 80


def thumbnail(home: Home, figure: Figure) -> bytes:
    """A JPEG of the figure's image, at most SIDE pixels a side, never larger than the image.

    Made anew when the image's file changes. Threads and processes may ask at once. Raises AnnotatorError, one
    line, where the figure has no image or it cannot be read.
    """
    image = home.image_path(figure)
    kept = home.path / FOLDER / f"{image.name}-{SIDE}.jpg"
    # A thumbnail bears the time of its image: what was put in its place later, or restored, has another.
    changed = _changed(image)
    if changed is not None and _changed(kept) == changed:
        with suppress(OSError):  # Deleted just now: made anew.
            return kept.read_bytes()
    data = small_jpeg(image)
    if changed is not None:
        with suppress(OSError):  # A home that may not be written is shown all the same, only more slowly.
            write_whole(kept, data, changed=changed)
    return data


def _changed(file: Path) -> int | None:
    """When the file was last written, in nanoseconds; None where there is none."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None


def small_jpeg(image: Path) -> bytes:
    """A JPEG of an image's file, at most SIDE pixels a side. Raises FormatError where it cannot be read."""
    from PIL import Image

    from panelwise.images.decode import read_bytes, read_picture

    picture = read_picture(read_bytes(image, UNLIMITED), image, UNLIMITED).image
    small = picture.convert("L" if picture.mode in ("1", "L") else "RGB")
    small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()
