"""Captions and tokens that neighbouring lines repeat, taken out of the lines so that each is decoded once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.matching import Indices

_FIRST, _SECOND, _END = b'"caption":', b',"tokens":', b"]],"


class SharedText(NamedTuple):
    """A caption and its tokens as they are written, perhaps invalid; empty where a record has none."""

    caption: bytes
    tokens: bytes


class Shortened(NamedTuple):
    """L lines without the texts taken out of them.

    text: the shortened lines. numbers: (L,) index in `shared` of the text taken out of each line, -1 for none.
    """

    text: bytes
    numbers: Indices
    shared: list[SharedText]


def without_shared_texts(text: bytes, points: NDArray[np.uint8], starts: Indices, ends: Indices) -> Shortened:
    """Take `"caption":...,"tokens":...,` out of each line where it stands, whole, between other keys.

    What remains of a line is a valid object if and only if the line is, as long as neither key remains in it.
    points: the bytes of `text`. starts, ends: (L,) start of each line, and its newline.
    """
    find, same = text.find, text.startswith
    shared: list[SharedText] = []
    begins, numbers, sizes = [], [], [0]
    # Lines of one figure have them at the same place, mostly.
    segment, number, offset = b"\n", -1, 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        begin = start + offset
        if not same(segment, begin):
            begin = max(start, find(_FIRST, start, end))
            offset = begin - start
            if not same(segment, begin):
                # No string is in tokens: the next one is a key.
                middle = find(_SECOND, begin, end)
                stop = find(b'"', middle + len(_SECOND), end)
                segment, number = b"\n", -1
                if begin < middle < stop and text.endswith(_END, middle, stop):
                    segment, number = text[begin:stop], len(shared)
                    caption, tokens = text[begin + len(_FIRST) : middle], text[middle + len(_SECOND) : stop - 1]
                    shared.append(SharedText(caption, tokens))
                    sizes.append(len(segment))
        begins.append(begin)
        # A brace before it: it is within something else, or within a name.
        numbers.append(number if find(b"{", start + 1, begin) < 0 else -1)
    at: Indices = np.array(begins, dtype=np.int64)
    taken: Indices = np.array(numbers, dtype=np.int64)
    after = np.minimum(at + np.array(sizes, dtype=np.int64)[taken + 1], len(points) - 2)
    # Between two keys: before it a comma or the first brace, after it a key's first letter. So it is in no string.
    before, letter = points[at - 1], points[after + 1] | 32
    fine = (before == ord(",")) | ((before == ord("{")) & (at == starts + 1))
    fine &= (points[after] == ord('"')) & (letter >= ord("a")) & (letter <= ord("z"))
    fine &= (starts < at) & (at < ends)
    taken[~fine] = -1
    cuts = np.flatnonzero(taken >= 0)
    edges = zip([0, *after[cuts].tolist()], [*at[cuts].tolist(), len(text)], strict=True)
    return Shortened(b"".join([text[begin:end] for begin, end in edges]), taken, shared)
