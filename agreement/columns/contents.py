"""Contents of figures: caption, tokens and image size, as numbers that are equal for equal contents."""

from __future__ import annotations

import hashlib
import struct
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.matching import Indices
from panelwise.domain import Figure


def content_digest(text: str, bounds: Iterable[int], width: int, height: int) -> tuple[int, int]:
    """Return 128 bits that identify a figure's content: equal for equal caption, tokens and image size.

    bounds: start and end of each token, concatenated.
    """
    whole = _content_bytes(text, array("i", bounds).tobytes(), width, height)
    return int.from_bytes(whole[:8], "little"), int.from_bytes(whole[8:], "little")


def content_digests(
    texts: Sequence[str], bounds: NDArray[np.int64], starts: Indices, sizes: Iterable[tuple[int, int]]
) -> NDArray[np.uint64]:
    """Return `content_digest` of C contents, (C, 2). bounds: (T, 2) of all tokens; starts: (C + 1,). sizes: width
    and height of each.
    """
    data, places = memoryview(bounds.astype(np.int32).tobytes()), (8 * starts).tolist()
    digests = [
        _content_bytes(text, data[begin:end], *size)
        for text, begin, end, size in zip(texts, places[:-1], places[1:], sizes, strict=True)
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2).astype(np.uint64)


def distinct(digests: NDArray[np.uint64]) -> tuple[NDArray[np.int32], Indices]:
    """Return a number for each of N digests, (N,), equal ones the same, and the first of each number."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    new = np.ones(len(digests), dtype=np.bool_)
    new[1:] = (np.diff(digests[order], axis=0) != 0).any(axis=1)
    numbers = np.empty(len(digests), dtype=np.int32)
    numbers[order] = np.cumsum(new) - 1
    return numbers, order[new]


def _content_bytes(text: str, bounds: bytes | memoryview, width: int, height: int) -> bytes:
    """Return the 16 bytes of `content_digest`. bounds: int32."""
    # Processors have instructions for SHA-256; it takes half as long as others.
    parts = text.encode("utf-8", "surrogatepass"), struct.pack("=3q", width, height, len(text)), bounds
    return hashlib.sha256(b"".join(parts), usedforsecurity=False).digest()[:16]


class Contents:
    """Numbers the distinct contents of figures in order of occurrence."""

    def __init__(self) -> None:
        self.digests: list[tuple[int, int]] = []
        self.flags: list[list[bool]] = []
        self.sizes: list[tuple[int, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self._known: dict[int, tuple[Figure, int]] = {}

    def number(self, figure: Figure) -> int:
        """Return the number of the figure's content."""
        # Annotations of one figure mostly share its object; while it is referenced here, its id is not reused.
        known = self._known.get(id(figure))
        if known is not None:
            return known[1]
        caption = figure.caption
        digest = content_digest(caption.text, chain.from_iterable(caption.ranges), figure.width, figure.height)
        number = self._numbers.setdefault(digest, len(self.digests))
        if number == len(self.digests):
            self.digests.append(digest)
            self.flags.append([word.isalnum() for word in caption.words])
            self.sizes.append((figure.width, figure.height))
        self._known[id(figure)] = (figure, number)
        return number
