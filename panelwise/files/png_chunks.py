"""Check a PNG's chunks, which decoders pass over and browsers do not: order, checksums, end."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from panelwise.domain.errors import FormatError

_HEAD, _PIECE = 8, 1 << 20
_PALETTE = 3
#: Samples a pixel by colour type.
_SAMPLES = {2: 3, 4: 2, 6: 4}
#: Interlaced passes: first column and row, and the steps between.
_PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
#: Chunks that decide what is shown, in the only order that all browsers read.
_ORDER = re.compile(r"IHDR (PLTE )?(tRNS )?(IDAT )+(IEND )?")
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
    pattern = _PALETTE_ORDER if data[25:26] == bytes([_PALETTE]) else _ORDER
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
    whole, at = memoryview(data), _HEAD
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
    width, height = _size(data)
    bits = data[24] * _SAMPLES.get(data[25], 1)
    passes = _PASSES if data[28] else [(0, 0, 1, 1)]
    needed = 0
    for left, top, across, down in passes:
        columns, rows = -(-max(width - left, 0) // across), -(-max(height - top, 0) // down)
        needed += rows * (1 + -(-columns * bits // 8)) if columns else 0
    try:
        return _unpacked([chunk for chunk in _chunks(data) if chunk.kind == "IDAT"], data)[0] < needed
    except zlib.error:  # A wrong checksum at the end: all before it was unpacked.
        return False


def _size(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _inflates(chunks: list[_Chunk], data: bytes) -> bool:
    """Return True if the pixels unpack to the end and their own checksum is right."""
    try:
        return _unpacked(chunks, data)[1]
    except zlib.error:
        return False


def _unpacked(chunks: list[_Chunk], data: bytes) -> tuple[int, bool]:
    """Return how many bytes the pixels unpack to, and whether they end there. Raises zlib.error for damage."""
    width, height = _size(data)
    # At most 8 bytes a pixel and one a row, interlaced ones twice: no more is unpacked.
    most = (8 * width + 2) * (height + 8)
    unpacked, inflate = 0, zlib.decompressobj()
    for chunk in chunks:
        rest = bytes(chunk.data) if chunk.kind == "IDAT" else b""
        while rest and not inflate.eof and unpacked < most:
            unpacked += len(inflate.decompress(rest, _PIECE))
            rest = inflate.unconsumed_tail
    return unpacked, inflate.eof
