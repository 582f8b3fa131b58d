"""Cutting many captions at once: the default tokens of `panelwise.domain.caption`, all texts together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.reading.texts import Characters

Array = np.ndarray[Any, Any]

#: Texts are put one behind the other with this between them: a space belongs to no token.
_BETWEEN = " "


def token_texts(texts: Sequence[str]) -> list[str]:
    """The default tokens of each text as compact JSON, "[[0,3],[4,5]]".

    The same as cutting and writing one by one, without an object for each token: worth it from some ten texts on.
    """
    if not texts:
        return []
    characters = Characters([_BETWEEN.join(texts)])
    word, begins = characters.word, ~characters.word & ~characters.space
    ends = begins.copy()
    # A run of word characters begins where the one before is none, and ends where the one after is none.
    begins[1:] |= word[1:] > word[:-1]
    ends[:-1] |= word[:-1] > word[1:]
    if len(word):
        begins[0] |= word[0]
        ends[-1] |= word[-1]
    starts, stops = np.flatnonzero(begins), np.flatnonzero(ends)
    stops += 1
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + len(_BETWEEN)
    offsets = np.cumsum(lengths) - lengths
    counts = np.diff(np.searchsorted(starts, offsets), append=len(starts))
    owners = np.repeat(offsets, counts)
    starts -= owners
    stops -= owners
    with_tokens = np.flatnonzero(counts)
    written = [_NO_TOKENS] * len(texts)
    for place, pairs in zip(
        with_tokens.tolist(), _pairs(starts, stops, np.cumsum(counts)[with_tokens]), strict=True
    ):
        written[place] = f"[{pairs}]"
    return written


def _pairs(starts: Array, stops: Array, until: Array) -> list[str]:
    """ "[0,3],[4,5]" for the pairs up to each of `until`, which ascends and ends with how many there are."""
    if not len(starts):
        return []
    if (most := int(stops.max())) > _LONGEST:
        every = [f"[{start},{stop}]" for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        return [",".join(every[since:end]) for since, end in pairwise([0, *until.tolist()])]
    opening, closing = _numbers(1 << most.bit_length())
    cells = np.empty((len(starts), 2), np.uint64)
    cells[:, 0], cells[:, 1] = opening.take(starts), closing.take(stops)
    cells[until - 1, 1] = np.array([f"{stop}]\n" for stop in stops[until - 1].tolist()], _CELL).view(np.uint64)
    return cells.tobytes().translate(None, b"\0").decode("ascii").split("\n")[:-1]


_NO_TOKENS = "[]"
#: Longest text whose numbers fit into a cell with their surroundings.
_LONGEST = 999_999
_CELL = "S8"


@cache
def _numbers(most: int) -> tuple[Array, Array]:
    """Of the numbers 0 to `most`: "[n," and "n],", each a cell, NUL behind, (most + 1,)."""
    numbers = range(most + 1)
    return (
        np.array([f"[{number}," for number in numbers], _CELL).view(np.uint64),
        np.array([f"{number}]," for number in numbers], _CELL).view(np.uint64),
    )
