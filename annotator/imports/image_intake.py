"""Store an image in a campaign home: checked, upright, in a format that browsers show."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from panelwise.domain import FormatError
from panelwise.images import Picture
from panelwise.runtime import write_whole
from panelwise.settings import UNLIMITED, ImageLimits

#: Extensions of stored images; formats that browsers don't show are stored as PNG.
_SUFFIXES = (".png", ".jpg", ".webp")


@dataclass(frozen=True, slots=True)
class StoredImage:
    """A stored image: its path relative to the home, its size in pixels, and the SHA-256 of its bytes.

    notes: what was changed or lost in the conversion, a line each; empty if the image was stored before.
    """

    path: str
    width: int
    height: int
    sha256: str
    notes: tuple[str, ...] = ()


def store_image(source: Path, home: Path, figure_id: str, limits: ImageLimits | None = None) -> StoredImage:
    """Copy `source` to `home`/images and return its place; equal bytes give equal paths.

    Any path that this user may read is accepted, including links and "..": file and records are the user's own.
    The stored image is that of `panelwise.images.decode`. Raises FormatError if the file is missing, not a regular
    file, not an image, truncated, or beyond the limits.
    """
    from panelwise.images import read_bytes

    return store_bytes(read_bytes(source, limits), source, home, figure_id, limits)


def store_bytes(
    data: bytes, where: object, home: Path, figure_id: str, limits: ImageLimits | None = None
) -> StoredImage:
    """Store an image from the bytes of its file; see `store_image`. where: its file or URL, for messages."""
    digest = hashlib.sha256(data).hexdigest()
    # The name depends on the original bytes, so that another version of Pillow changes no path.
    stem = _stem(figure_id, digest)
    there = _stored_before(home, stem, data, digest)
    if there is not None:
        return there
    picture, data = form_to_store(data, where, limits)
    path = stem + (picture.suffix or ".png")
    write_whole(home / path, data)
    return StoredImage(path, *picture.image.size, hashlib.sha256(data).hexdigest(), picture.notes)


def store_drawn(draw: Callable[[], bytes], key: str, home: Path, figure_id: str) -> StoredImage:
    """Store a PNG that is drawn here, under a name by its key, a hash; one that is there is not drawn again."""
    path = f"{_stem(figure_id, key)}.png"
    try:
        data = (home / path).read_bytes()
    except OSError:
        data = b""
    picture = _readable(data, home / path)
    if picture is None:
        data = draw()
        write_whole(home / path, data)
        picture = _readable(data, home / path)
    assert picture is not None
    return StoredImage(path, *picture.image.size, hashlib.sha256(data).hexdigest())


def _stem(figure_id: str, digest: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", figure_id).strip("._")[:80] or "figure"
    return f"images/{safe}-{digest[:12]}"


def form_to_store(data: bytes, where: object, limits: ImageLimits | None) -> tuple[Picture, bytes]:
    """Return the picture of a file's bytes, and the bytes that are stored of it: PNG where browsers show no other.

    Raises FormatError; see `store_image`.
    """
    from panelwise.images import as_png, read_picture

    picture = read_picture(data, where, limits)
    return picture, data if picture.suffix else as_png(picture)


def _stored_before(home: Path, stem: str, given: bytes, digest: str) -> StoredImage | None:
    """Return the stored image of the same bytes; None if there is none, or it is not what would be stored now."""
    from panelwise.images import read_bytes

    for suffix in _SUFFIXES:
        path = f"{stem}{suffix}"
        try:
            data = read_bytes(home / path, UNLIMITED)
        except FormatError:
            continue
        stored = hashlib.sha256(data).hexdigest()
        picture = _readable(data, home / path)
        if picture is None:
            continue
        if picture.suffix == suffix if stored == digest else suffix == ".png" and _same(picture, given):
            return StoredImage(path, *picture.image.size, stored)
    return None


def _same(stored: Picture, given: bytes) -> bool:
    """Return True if the given file's pixels are those stored: an earlier version may have read them wrongly."""
    from panelwise.images import read_picture

    try:
        now = read_picture(given, "", UNLIMITED).image
    except FormatError:
        return False
    return now.size == stored.image.size and now.convert("RGB").tobytes() == stored.image.convert("RGB").tobytes()


def _readable(data: bytes, where: Path) -> Picture | None:
    """Return the stored image; None if it is damaged and has to be stored again."""
    from panelwise.images import read_picture

    try:
        return read_picture(data, where, UNLIMITED)
    except FormatError:
        return None
