"""TIFF files of any layout, written value by value: what a reader must find in them is known beforehand."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_LONG, _SHORT = 4, 3
_FORMATS = {"u": 1, "i": 2, "f": 3}


def tiff(
    values: NDArray[np.generic],
    photometric: int,
    *,
    order: str = "<",
    apart: bool = False,
    deflate: bool = False,
    predictor: int = 1,
    tile: int = 0,
    extra: Sequence[int] = (),
    bits: int = 0,
    more: dict[int, Sequence[int]] | None = None,
) -> bytes:
    """A TIFF of `values`, (height, width) or (height, width, samples).

    order: "<" or ">". apart: each sample's values in a plane of their own. predictor: as the tag; 3 is for floats.
    tile: side of square tiles, 0 for strips of 7 rows. extra: ExtraSamples. bits: 12 packs two values in three
    bytes. more: further tags of 16-bit numbers, which replace those written here.
    """
    cube = values if values.ndim == 3 else values[:, :, None]
    height, width, samples = cube.shape
    planes = [cube[:, :, [each]] for each in range(samples)] if apart else [cube]
    step, across = (tile, tile) if tile else (7, width)
    blocks = [
        _coded(block, order, predictor, bits, deflate=deflate)
        for plane in planes
        for block in _blocks(plane, step, across, pad=bool(tile))
    ]
    depth = bits or values.dtype.itemsize * 8
    tags: dict[int, tuple[int, Sequence[int]]] = {
        256: (_LONG, [width]),
        257: (_LONG, [height]),
        258: (_SHORT, [depth] * samples),
        259: (_SHORT, [8 if deflate else 1]),
        262: (_SHORT, [photometric]),
        277: (_SHORT, [samples]),
        284: (_SHORT, [2 if apart else 1]),
        317: (_SHORT, [predictor]),
        339: (_SHORT, [_FORMATS[values.dtype.kind]] * samples),
    }
    if extra:
        tags[338] = (_SHORT, extra)
    if tile:
        tags[322], tags[323] = (_SHORT, [tile]), (_SHORT, [tile])
    else:
        tags[278] = (_LONG, [step])
    tags.update({number: (_SHORT, held) for number, held in (more or {}).items()})
    return _file(order, tags, blocks, (324, 325) if tile else (273, 279))


def _file(
    order: str, tags: dict[int, tuple[int, Sequence[int]]], blocks: list[bytes], places: tuple[int, int]
) -> bytes:
    starts = np.cumsum([8, *map(len, blocks)])
    tags[places[0]] = (_LONG, [int(each) for each in starts[:-1]])
    tags[places[1]] = (_LONG, [len(each) for each in blocks])
    start = int(starts[-1]) + int(starts[-1]) % 2
    body = b"".join(blocks).ljust(start - 8, b"\0")
    after = start + 2 + 12 * len(tags) + 4
    entries, beside = b"", b""
    for number, (kind, held) in sorted(tags.items()):
        packed = struct.pack(f"{order}{len(held)}{'H' if kind == _SHORT else 'I'}", *held)
        if len(packed) > 4:
            place = after + len(beside)
            beside += packed + b"\0" * (len(packed) % 2)
            packed = struct.pack(f"{order}I", place)
        entries += struct.pack(f"{order}HHI", number, kind, len(held)) + packed.ljust(4, b"\0")
    head = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, start)
    return head + body + struct.pack(f"{order}H", len(tags)) + entries + bytes(4) + beside


def _blocks(plane: NDArray[np.generic], step: int, across: int, *, pad: bool) -> Iterator[NDArray[np.generic]]:
    for y in range(0, plane.shape[0], step):
        for x in range(0, plane.shape[1], across):
            block = plane[y : y + step, x : x + across]
            if pad:
                block = np.pad(block, ((0, step - block.shape[0]), (0, across - block.shape[1]), (0, 0)))
            yield block


def _coded(block: NDArray[np.generic], order: str, predictor: int, bits: int, *, deflate: bool) -> bytes:
    ordered = block.astype(block.dtype.newbyteorder(order))
    if predictor == 2:
        whole = block.view(f"u{block.dtype.itemsize}")
        whole = np.diff(whole, axis=1, prepend=np.zeros_like(whole[:, :1]))
        ordered = whole.astype(whole.dtype.newbyteorder(order))
    data = ordered.tobytes()
    if predictor == 3:  # The bytes of a row's values by their weight, each less the one before it.
        rows = block.astype(block.dtype.newbyteorder(">")).view(np.uint8)
        rows = (
            rows.reshape(block.shape[0], -1, block.dtype.itemsize).transpose(0, 2, 1).reshape(block.shape[0], -1)
        )
        shift = block.shape[2]
        data = np.concatenate([rows[:, :shift], rows[:, shift:] - rows[:, :-shift]], axis=1).tobytes()
    if bits == 12:
        rows16 = block.reshape(block.shape[0], -1).astype(np.uint32)
        pairs = rows16.reshape(block.shape[0], -1, 2)
        joined = (pairs[:, :, 0] << 12) | pairs[:, :, 1]
        data = np.stack([joined >> 16, joined >> 8, joined], axis=-1).astype(np.uint8).tobytes()
    return zlib.compress(data) if deflate else data
