"""Cutting many captions at once: the default tokens of `annotator.domain.caption`, all texts together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# What a code point is to the tokenizer.
_SPACE, _WORD, _OTHER, _UNKNOWN = 0, 1, 2, 255
_CODE_POINTS = 0x110000
#: Texts are put one behind the other with this between them: a space belongs to no token.
_BETWEEN = " "


def token_texts(texts: Sequence[str]) -> list[str]:
    """The default tokens of each text as compact JSON, "[[0,3],[4,5]]".

    The same as cutting and writing one by one, without an object for each token: worth it from some ten texts on.
    """
    if not texts:
        return []
    kinds = _kinds(_BETWEEN.join(texts))
    word, other = kinds == _WORD, kinds == _OTHER
    before, after = np.zeros_like(word), np.zeros_like(word)
    before[1:], after[:-1] = word[:-1], word[1:]
    starts = np.flatnonzero(other | (word & ~before))
    ends = np.flatnonzero(other | (word & ~after)) + 1
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + len(_BETWEEN)
    offsets = np.cumsum(lengths) - lengths
    firsts = np.searchsorted(starts, offsets)
    counts = np.diff(firsts, append=len(starts))
    owners = np.repeat(offsets, counts)
    written, sizes = _pairs_text(starts - owners, ends - owners)
    # Where each text's pairs end in what was written; between two pairs stands a comma.
    until = np.concatenate(([0], np.cumsum(sizes)))[np.cumsum(counts)].tolist()
    since = [0, *until[:-1]]
    return [
        f"[{written[start : end - 1]}]" if end > start else "[]" for start, end in zip(since, until, strict=True)
    ]


def _pairs_text(starts: Array, ends: Array) -> tuple[str, Array]:
    """ "[0,3],[4,5]," for the pairs, and how long each one's text is, comma included."""
    if not len(starts):
        return "", np.zeros(0, np.int64)
    most = int(ends.max())
    if most > _LONGEST:
        written = [f"[{start},{end}]," for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        return "".join(written), np.fromiter(map(len, written), np.int64, len(written))
    opening, closing, digits = _numbers(1 << most.bit_length())
    cells = np.empty((len(starts), 2), "S8")
    cells[:, 0], cells[:, 1] = opening[starts], closing[ends]
    return cells.tobytes().translate(None, b"\0").decode("ascii"), digits[starts] + digits[ends] + len("[,],")


#: Longest text of which the numbers fit into the eight bytes of `_numbers`.
_LONGEST = 999_999


@cache
def _numbers(most: int) -> tuple[Array, Array, Array]:
    """Of the numbers 0 to `most`: "[n,", "n],", and how many digits; each text filled up with NUL, (most + 1,)."""
    numbers = range(most + 1)
    return (
        np.array([f"[{number}," for number in numbers], "S8"),
        np.array([f"{number}]," for number in numbers], "S8"),
        np.array([len(str(number)) for number in numbers], np.int64),
    )


def _kinds(text: str) -> Array:
    """Each code point's kind, (N,)."""
    table = _table()
    if text.isascii():
        return table[np.frombuffer(text.encode("ascii"), np.uint8)]
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds: Array = table[codes]
    if (kinds == _UNKNOWN).any():
        for code in np.unique(codes[kinds == _UNKNOWN]).tolist():
            table[code] = _kind(chr(code))
        kinds = table[codes]
    return kinds


@cache
def _table() -> Array:
    """The kind of each code point, (0x110000,); those beyond ASCII are filled in as they are met."""
    table = np.full(_CODE_POINTS, _UNKNOWN, np.uint8)
    for code in range(128):
        table[code] = _kind(chr(code))
    return table


def _kind(character: str) -> int:
    if character.isalnum() or character == "_":
        return _WORD
    return _SPACE if character.isspace() else _OTHER
