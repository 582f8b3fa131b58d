"""Recognise a file by its first bytes, before decoding it."""

from __future__ import annotations

#: Scans of a JPEG: each is a pass over the whole image, even with few bytes. Cameras and tools write 20.
MAX_SCANS = 1000

_IMAGES = (
    (0, b"\x89PNG", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"GIF8", "GIF"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (8, b"WEBP", "WebP"),
)
_OTHERS = (
    (0, b"%PDF-", "PDF"),
    (0, b"%!PS", "PostScript"),
    (4, b"ftyphei", "HEIC"),
    (4, b"ftypmif1", "HEIC"),
    (4, b"ftypavif", "AVIF"),
    (4, b"jP  ", "JPEG 2000"),
    (0, b"8BPS", "a Photoshop file"),
    (0, b"\x1f\x8b", "packed with gzip"),
    (0, b"PK\3\4", "a ZIP archive"),
    (0, b"version https://git-lfs", "a pointer of Git LFS, not the file itself"),
)


def image_kind(data: bytes) -> str:
    """Return the image format of the first bytes; "" if it is not supported."""
    return next((kind for at, magic, kind in _IMAGES if data[at : at + len(magic)] == magic), "")


def other_kind(data: bytes) -> str:
    """Return the kind of a file that is no supported image, such as "PDF"; "" if unknown."""
    for at, magic, kind in _OTHERS:
        if data[at : at + len(magic)] == magic:
            return kind
    head = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return "SVG" if head.startswith(b"<") and b"<svg" in head else ""


def is_office_file(data: bytes) -> bool:
    """Return True for the first bytes of a file of Excel or another office program, old or new."""
    names = (b"[Content_Types].xml", b"xl/", b"opendocument.")
    return data.startswith(b"\xd0\xcf\x11\xe0") or (
        data.startswith(b"PK\3\4") and any(name in data[:200] for name in names)
    )


def claimed_canvas(data: bytes) -> tuple[int, int] | None:
    """Return width and height claimed by an extended WebP, for which Pillow allocates memory on opening."""
    if data[8:16] != b"WEBPVP8X" or len(data) < 30:
        return None
    return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")


def too_many_scans(data: bytes) -> bool:
    """Return True for a JPEG with more than MAX_SCANS scans; their marker does not occur in coded data."""
    return image_kind(data) == "JPEG" and data.count(b"\xff\xda") > MAX_SCANS


def png_depth(data: bytes) -> int:
    """Return bits per sample from a PNG's header; 0 for other files."""
    return data[24] if image_kind(data) == "PNG" and data[12:16] == b"IHDR" and len(data) > 24 else 0
