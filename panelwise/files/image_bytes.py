"""Read what the bytes of a file say before decoding it: its kind, damage, and scans."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from panelwise.domain.errors import FormatError

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


_PNG_HEAD, _INFLATED_AT_ONCE = 8, 1 << 20
_PNG_PALETTE = 3
#: Samples a pixel by colour type.
_PNG_SAMPLES = {2: 3, 4: 2, 6: 4}
#: Interlaced passes: first column and row, and the steps between.
_PNG_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
#: Chunks that decide what is shown, in the only order that all browsers read.
_CHUNK_ORDER = re.compile(r"IHDR (PLTE )?(tRNS )?(IDAT )+(IEND )?")
_PALETTE_ORDER = re.compile(r"IHDR PLTE (tRNS )?(IDAT )+(IEND )?")


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A chunk: its kind, its byte in the file, where its data lie, and whether its checksum is right."""

    kind: str
    at: int
    data: memoryview
    sound: bool

    @property
    def decides(self) -> bool:
        """Return True if no reader may pass over it, and for transparency, which all readers use."""
        return not ord(self.kind[0]) & 0x20 or self.kind == "tRNS"


def check_png(data: bytes, where: str) -> str:
    """Return what is wrong with a PNG whose pixels are whole all the same; "" if it is sound.

    Raises FormatError where the pixels may be wrong: chunks are out of order, or a checksum of the pixels is wrong
    and so is the one within them.
    """
    chunks = list(_chunks(data))
    deciding = [chunk for chunk in chunks if chunk.decides]
    names = "".join(f"{chunk.kind} " for chunk in deciding)
    pattern = _PALETTE_ORDER if data[25:26] == bytes([_PNG_PALETTE]) else _CHUNK_ORDER
    if pattern.fullmatch(names) is None or not _side_by_side(chunks):
        known = [
            name for name in dict.fromkeys(names.split()) if name not in ("IHDR", "PLTE", "tRNS", "IDAT", "IEND")
        ]
        what = f"a chunk {known[0]!a} that no browser knows" if known else "chunks out of order"
        raise FormatError(f"{where}: the image is damaged ({what}); get a whole copy")
    wrong = next((chunk for chunk in chunks if not chunk.sound), None)
    if wrong is None:
        return "" if names.endswith("IEND ") else "its end is missing"
    fault = f"wrong checksum of {wrong.kind} at byte {wrong.at:,}"
    if wrong.decides and (wrong.kind != "IDAT" or not _inflates(deciding, data)):
        raise FormatError(f"{where}: the image is damaged ({fault}); get a whole copy")
    return fault


def _chunks(data: bytes) -> Iterator[_Chunk]:
    """Yield the chunks up to IEND; a chunk that is cut off ends them."""
    whole, at = memoryview(data), _PNG_HEAD
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(whole[at : at + 4], "big")
        if end > len(data):
            return
        kind = data[at + 4 : at + 8].decode("latin-1")
        sound = zlib.crc32(whole[at + 4 : end - 4]) == int.from_bytes(whole[end - 4 : end], "big")
        yield _Chunk(kind, at, whole[at + 8 : end - 4], sound)
        if kind == "IEND":
            return
        at = end


def _side_by_side(chunks: list[_Chunk]) -> bool:
    """Return True if no other chunk lies between those of the pixels."""
    places = [number for number, chunk in enumerate(chunks) if chunk.kind == "IDAT"]
    return not places or places[-1] - places[0] == len(places) - 1


def is_short(data: bytes) -> bool:
    """Return True if a PNG unpacks to fewer bytes than its rows take, which decoders fill with zeros."""
    width, height = _png_size(data)
    bits = data[24] * _PNG_SAMPLES.get(data[25], 1)
    passes = _PNG_PASSES if data[28] else [(0, 0, 1, 1)]
    needed = 0
    for left, top, across, down in passes:
        columns, rows = -(-max(width - left, 0) // across), -(-max(height - top, 0) // down)
        needed += rows * (1 + -(-columns * bits // 8)) if columns else 0
    try:
        return _unpacked_pixels([chunk for chunk in _chunks(data) if chunk.kind == "IDAT"], data)[0] < needed
    except zlib.error:  # A wrong checksum at the end: all before it was unpacked.
        return False


def _png_size(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _inflates(chunks: list[_Chunk], data: bytes) -> bool:
    """Return True if the pixels unpack to the end and their own checksum is right."""
    try:
        return _unpacked_pixels(chunks, data)[1]
    except zlib.error:
        return False


def _unpacked_pixels(chunks: list[_Chunk], data: bytes) -> tuple[int, bool]:
    """Return how many bytes the pixels unpack to, and whether they end there. Raises zlib.error for damage."""
    width, height = _png_size(data)
    # At most 8 bytes a pixel and one a row, interlaced ones twice: no more is unpacked.
    most = (8 * width + 2) * (height + 8)
    unpacked, inflate = 0, zlib.decompressobj()
    for chunk in chunks:
        rest = bytes(chunk.data) if chunk.kind == "IDAT" else b""
        while rest and not inflate.eof and unpacked < most:
            unpacked += len(inflate.decompress(rest, _INFLATED_AT_ONCE))
            rest = inflate.unconsumed_tail
    return unpacked, inflate.eof


#: A marker amid coded data: neither a stuffed zero, nor a restart, nor a fill byte.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
_SCAN, _END = 0xDA, 0xD9
_PROGRESSIVE = 0xC2
_DCT_FRAMES = (0xC0, 0xC1, _PROGRESSIVE)
_COEFFICIENTS = 64
#: Put behind the last scan's data: a decoder that has all of it passes over these bytes.
_PADDING = b"\x5a\xa5" * 64


@dataclass(slots=True)
class JpegScans:
    """The scans of a JPEG's first picture.

    count: number of scans. end: byte behind the last one's data, 0 without any. _left: of each component, the
    lowest bit sent of each coefficient, -1 if none was.
    """

    progressive: bool = False
    components: int = 0
    count: int = 0
    end: int = 0
    _left: dict[int, list[int]] = field(default_factory=lambda: defaultdict(lambda: [-1] * _COEFFICIENTS))

    @property
    def is_incomplete(self) -> bool:
        """Return True for a progressive JPEG that was not sent to its last bit."""
        if not self.progressive:
            return False
        return len(self._left) < self.components or any(bit != 0 for bits in self._left.values() for bit in bits)

    def add(self, head: bytes) -> None:
        """Count a scan from the bytes of its head, behind the length."""
        number = head[0] if head else 0
        if len(head) < 2 * number + 4:
            return
        self.count += 1
        first, last, bits = head[2 * number + 1 : 2 * number + 4]
        for component in head[1 : 2 * number : 2]:
            for place in range(first, min(last, _COEFFICIENTS - 1) + 1):
                self._left[component][place] = bits & 15


def scans_of(data: bytes) -> JpegScans:
    """Return the scans of a JPEG up to its end marker."""
    scans, at = JpegScans(), 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # A fill byte.
            at += 1
            continue
        if marker == _END:
            break
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        head, at = data[at + 4 : at + 2 + size], at + 2 + size
        if marker in _DCT_FRAMES and len(head) > 5:
            scans.progressive, scans.components = marker == _PROGRESSIVE, head[5]
        elif marker == _SCAN:
            scans.add(head)
            behind = _MARKER.search(data, at)
            at = scans.end = behind.start() if behind else len(data)
    return scans


def padded(data: bytes, scans: JpegScans) -> bytes:
    """Return the JPEG with bytes behind its last scan, which change the picture only if the scan ends early."""
    return data[: scans.end] + _PADDING + data[scans.end :]
