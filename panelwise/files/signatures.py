"""Recognise a file by its first bytes, before decoding it."""

from __future__ import annotations

import re

#: Scans of a JPEG: each is a pass over the whole image, even with few bytes. Cameras and tools write 20.
MAX_SCANS = 1000

#: Formats of images that are read, by Pillow's names. Its others include some that start other programs (EPS).
IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "PPM")
#: The head of a grey or coloured picture of Netpbm, with its largest value.
_PPM = re.compile(rb"P[2356](?:(?:\s|#[^\n]*\n)+(\d{1,9})){3}\s")
#: Codings of a JPEG other than the usual ones, by the marker of its frame.
_FRAMES = {
    0xC3: "lossless coding",
    **dict.fromkeys((0xC5, 0xC6, 0xC7), "hierarchical coding"),
    **dict.fromkeys((0xC9, 0xCA), "arithmetic coding"),
    0xCB: "lossless arithmetic coding",
    **dict.fromkeys((0xCD, 0xCE, 0xCF), "hierarchical arithmetic coding"),
    0xF7: "JPEG-LS",
}
_IMAGES = (
    (0, b"\x89PNG", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"GIF8", "GIF"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"II+\0", "TIFF"),
    (0, b"MM\0+", "TIFF"),
    (0, b"BM", "BMP"),
    (8, b"WEBP", "WebP"),
)
_OTHERS = (
    (0, b"%PDF-", "PDF"),
    (0, b"%!PS", "PostScript"),
    (4, b"ftyphei", "HEIC"),
    (4, b"ftypmif1", "HEIC"),
    (4, b"ftypheix", "HEIC"),
    (4, b"ftyphev", "HEIC"),
    (4, b"ftypmsf1", "HEIC"),
    (4, b"ftypavi", "AVIF"),
    (4, b"jP  ", "JPEG 2000"),
    (0, b"\xff\x4f\xff\x51", "JPEG 2000"),
    (0, b"\xff\x0a", "JPEG XL"),
    (4, b"JXL ", "JPEG XL"),
    (0, b"II\xbc", "JPEG XR"),
    (0, b"\0\0\1\0", "an icon"),
    (128, b"DICM", "DICOM"),
    (0, b"P7\n", "PAM"),
    (0, b"PF\n", "PFM"),
    (0, b"SIMPLE  =", "FITS"),
    (0, b"\x76\x2f\x31\x01", "OpenEXR"),
    (0, b"#?RADIANCE", "Radiance HDR"),
    (0, b"8BPS", "a Photoshop file"),
    (0, b"\x1f\x8b", "packed with gzip"),
    (0, b"PK\3\4", "a ZIP archive"),
    (0, b"\xd0\xcf\x11\xe0", "an old file of Microsoft Office, such as an Excel workbook"),
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


def ppm_head(data: bytes) -> tuple[int, int]:
    """Return the largest value that the head of a PGM or PPM states, and the byte after the head; else 0, 0."""
    head = _PPM.match(data)
    return (int(head[1]), head.end()) if head else (0, 0)


def unusual_jpeg(data: bytes) -> str:
    """Describe a JPEG that browsers don't show: other than Huffman-coded DCT of 8 bits; "" for all other files."""
    at = 2
    while image_kind(data) == "JPEG" and at + 9 < len(data):
        marker = data[at + 1]
        if data[at] != 0xFF or marker == 0xDA:
            return ""
        if marker == 0xFF:  # A fill byte.
            at += 1
        elif marker in _FRAMES or 0xC0 <= marker <= 0xC2:
            parts = [_FRAMES.get(marker, ""), f"{data[at + 4]} bits a sample" if data[at + 4] != 8 else ""]
            parts.append(f"{data[at + 9]} colours" if data[at + 9] not in (1, 3, 4) else "")
            return ", ".join(filter(None, parts))
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return ""
