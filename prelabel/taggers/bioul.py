"""Spans of a caption's tokens as BIOUL tags, and back: Begin, Inside, Outside, Last, Unit (a span of one)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

#: The tags, as numbers, and how many there are.
OUTSIDE, BEGIN, INSIDE, LAST, UNIT = range(5)
TAGS = 5

#: Half-open range of token ids, [first, stop), not empty.
TokenSpan = tuple[int, int]

#: What a sequence may begin and end with, (5,), and what may follow what, (5, 5), from row to column.
MAY_BEGIN = np.array([True, True, False, False, True])
MAY_END = np.array([True, False, False, True, True])
MAY_FOLLOW = np.array(
    [
        [True, True, False, False, True],
        [False, False, True, True, False],
        [False, False, True, True, False],
        [True, True, False, False, True],
        [True, True, False, False, True],
    ]
)


def runs(tokens: Iterable[int]) -> list[TokenSpan]:
    """The fewest spans that hold exactly these token ids, in order: one per run of consecutive ids."""
    found: list[TokenSpan] = []
    for token in sorted(set(tokens)):
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def tags_of(spans: Iterable[TokenSpan], count: int) -> list[int]:
    """The tags of a caption of `count` tokens with these spans, which may touch but not overlap.

    Raises ValueError for a span that is empty, leaves the caption or overlaps another.
    """
    tags = [OUTSIDE] * count
    for start, stop in spans:
        if not 0 <= start < stop <= count or any(tags[start:stop]):
            raise ValueError(f"span [{start}, {stop}) of {count} tokens is empty, outside or overlaps another")
        if stop - start == 1:
            tags[start] = UNIT
        else:
            tags[start:stop] = [BEGIN, *[INSIDE] * (stop - start - 2), LAST]
    return tags


def spans_of(tags: Sequence[int]) -> list[TokenSpan]:
    """The spans of tags that obey MAY_BEGIN, MAY_FOLLOW and MAY_END, in order."""
    found: list[TokenSpan] = []
    start = 0
    for place, tag in enumerate(tags):
        if tag in (BEGIN, UNIT):
            start = place
        if tag in (LAST, UNIT):
            found.append((start, place + 1))
    return found


def tokens_of(tags: Sequence[int]) -> frozenset[int]:
    """Ids of the tokens inside spans."""
    return frozenset(place for place, tag in enumerate(tags) if tag != OUTSIDE)
