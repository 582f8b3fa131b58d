"""What a file's first bytes say of it, before anything of it is unpacked."""

from __future__ import annotations

#: Scans of a JPEG: each is a pass over the whole image, however few bytes it has. Cameras and tools write 20.
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
    """The format of images that the first bytes are of; "" where they are of none that is read."""
    return next((kind for at, magic, kind in _IMAGES if data[at : at + len(magic)] == magic), "")


def other_kind(data: bytes) -> str:
    """What a file that is no image of ours is instead, such as "PDF"; "" where that cannot be told."""
    for at, magic, kind in _OTHERS:
        if data[at : at + len(magic)] == magic:
            return kind
    head = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "a web page"
    return "SVG" if head.startswith(b"<") and b"<svg" in head else ""


def claimed_canvas(data: bytes) -> tuple[int, int] | None:
    """Width and height that an extended WebP claims, which Pillow sets memory aside for as it opens it."""
    if data[8:16] != b"WEBPVP8X" or len(data) < 30:
        return None
    return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")


def too_many_scans(data: bytes) -> bool:
    """Whether a JPEG has scans beyond MAX_SCANS; in what is coded, their mark does not occur."""
    return image_kind(data) == "JPEG" and data.count(b"\xff\xda") > MAX_SCANS


def png_depth(data: bytes) -> int:
    """Bits a sample by a PNG's head; 0 for other files."""
    return data[24] if image_kind(data) == "PNG" and data[12:16] == b"IHDR" and len(data) > 24 else 0
