"""Bringing an image into a campaign's home: checked whole, upright, in a form that browsers show."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from panelwise.domain.errors import FormatError
from panelwise.runtime.atomic_write import write_whole
from panelwise.settings.campaign_toml import UNLIMITED, ImageLimits

if TYPE_CHECKING:
    from panelwise.images.decode import Picture

#: Endings of stored images; all that browsers do not show as it came is stored as PNG.
_SUFFIXES = (".png", ".jpg", ".webp")


@dataclass(frozen=True, slots=True)
class StoredImage:
    """Where an image now lies (relative to the home), its pixels, and the SHA-256 of the stored bytes.

    notes: what of the given file is not in the stored one, or not as it was, a line each; none where the image
    was stored before.
    """

    path: str
    width: int
    height: int
    sha256: str
    notes: tuple[str, ...] = ()


def store_image(source: Path, home: Path, figure_id: str, limits: ImageLimits | None = None) -> StoredImage:
    """Copy `source` into `home`/images and return where it lies; the same bytes give the same path.

    Any path that this user may read is taken, links and ".." included: file and records are the user's own.
    The stored image is as `panelwise.images.decode` has it. Raises FormatError where the file is missing, no
    ordinary file, no image, cut off, or beyond the limits.
    """
    from panelwise.images.decode import read_bytes

    return store_bytes(read_bytes(source, limits), source, home, figure_id, limits)


def store_bytes(
    data: bytes, where: object, home: Path, figure_id: str, limits: ImageLimits | None = None
) -> StoredImage:
    """Store an image given as the bytes of its file; see `store_image`. where: its file or URL, for messages."""
    from panelwise.images.decode import as_png, read_picture

    digest = hashlib.sha256(data).hexdigest()
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", figure_id).strip("._")[:80] or "figure"
    # The name follows the bytes that were given, so that another version of Pillow changes no path.
    stem = f"images/{safe}-{digest[:12]}"
    there = _stored_before(home, stem, digest)
    if there is not None:
        return there
    picture = read_picture(data, where, limits)
    if not picture.suffix:
        data = as_png(picture)
        digest = hashlib.sha256(data).hexdigest()
    path = stem + (picture.suffix or ".png")
    write_whole(home / path, data)
    return StoredImage(path, *picture.image.size, digest, picture.notes)


def _stored_before(home: Path, stem: str, digest: str) -> StoredImage | None:
    """The image of the same bytes as it was stored before; None where there is none, or not whole."""
    from panelwise.images.decode import read_bytes

    for suffix in _SUFFIXES:
        path = f"{stem}{suffix}"
        try:
            data = read_bytes(home / path, UNLIMITED)
        except FormatError:
            continue
        stored = hashlib.sha256(data).hexdigest()
        picture = _readable(data, home / path)
        if picture is not None and (stored == digest or suffix == ".png"):
            return StoredImage(path, *picture.image.size, stored)
    return None


def _readable(data: bytes, where: Path) -> Picture | None:
    """The stored image; None where it is damaged, so that it is stored anew."""
    from panelwise.images.decode import read_picture

    try:
        return read_picture(data, where, UNLIMITED)
    except FormatError:
        return None
