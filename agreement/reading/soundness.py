"""Whether columns that come from a file are a corpus: every number within its bounds, every length the right one.

Compiled loops look at no bounds; what is not sound must not come near them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import STATUSES, Column, Corpus
from agreement.primitives.matching import Indices
from agreement.primitives.token_sets import WORD, TokenSets, Words, below

#: More of anything no one caption, image or corpus has, and sums of such numbers stay exact.
_LARGEST = 2**31 - 1
#: The first and last moment that a datetime knows, in microseconds since 1970.
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


def sound(corpus: Corpus) -> bool:
    """Whether a corpus without rows is one; none of its columns need have been looked at before."""
    # One after the other: what comes later relies on what was found before.
    return all(_found(corpus))


def sound_rows(rows: Mapping[str, NDArray[Any]], number: int, size: int) -> bool:
    """Whether the columns of `FileRows` are of so many lines, in order, in a file of `size` bytes."""
    if any(column.shape != (number,) for column in rows.values()):
        return False
    offsets, lengths = rows["offsets"], rows["lengths"]
    return (
        _within(offsets, 0, size)
        and _within(lengths, 1, size)
        and bool((offsets[:-1] + lengths[:-1] <= offsets[1:]).all())
        and (not number or int(offsets[-1] + lengths[-1]) <= size)
        and _flags(rows["judged"])
    )


def _found(corpus: Corpus) -> Iterator[bool]:
    number = len(corpus.annotator) if corpus.annotator.ndim == 1 else -1
    every = (
        *(corpus.annotator, corpus.phase, corpus.figure, corpus.revision, corpus.status),
        *(corpus.seeded, corpus.saved_at, corpus.content),
    )
    yield all(column.shape == (number,) for column in every)
    for table, column in (
        (corpus.annotators, corpus.annotator),
        (corpus.phases, corpus.phase),
        (corpus.figures, corpus.figure),
    ):
        yield all(one < other for one, other in pairwise(table)) and _within(column, 0, len(table) - 1)
    yield _within(corpus.revision, 1, _LARGEST) and _within(corpus.status, 0, len(STATUSES) - 1)
    yield _flags(corpus.seeded) and _within(corpus.saved_at, _FIRST, _LAST)
    yield _sound_contents(corpus) and _within(corpus.content, 0, len(corpus.tokens) - 1)
    panels = len(corpus.boxes)
    yield corpus.boxes.shape == (panels, 4) and bool(np.isfinite(corpus.boxes).all())
    yield _starts(corpus.panel_starts, number, panels)
    of_panel = np.repeat(corpus.content, np.diff(corpus.panel_starts))
    form = _Form.of(corpus.tokens)
    yield form.has(corpus.text, of_panel)
    yield corpus.common is None or form.has(corpus.common, corpus.content)
    yield _sound_repeated(corpus.repeated_panels, corpus.repeated_places, corpus.tokens, of_panel)


def _sound_contents(corpus: Corpus) -> bool:
    number = len(corpus.tokens)
    return (
        corpus.digests.shape == (number, 2)
        and corpus.tokens.shape == corpus.counted.shape == (number,)
        and _within(corpus.tokens, 0, _LARGEST)
        and _within(corpus.counted, 0, _LARGEST)
        and bool((corpus.counted <= corpus.tokens).all())
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """What sets of tokens look like on each of C contents. widths: (C,) words; spare: (C,) bits of the last one
    that stand for no token.
    """

    widths: Indices
    spare: Words

    @classmethod
    def of(cls, tokens: Indices) -> _Form:
        widths = -(-tokens // WORD)
        return cls(widths, ~below(tokens - WORD * (widths - 1)))

    def has(self, sets: TokenSets, contents: Column) -> bool:
        """Whether these are sets on such contents. contents: (N,)."""
        widths = self.widths[contents]
        if sets.words.ndim != 1 or sets.starts.shape != (len(contents) + 1,) or int(sets.starts[0]) != 0:
            return False
        if int(sets.starts[-1]) != len(sets.words) or not np.array_equal(np.diff(sets.starts), widths):
            return False
        filled = slice(None) if widths.all() else np.flatnonzero(widths)
        last = sets.words[sets.starts[1:][filled] - 1]
        return not (last & self.spare[contents[filled]]).any()


def _sound_repeated(panels: Indices, places: Indices, tokens: Indices, of_panel: Column) -> bool:
    """tokens: (C,) of each content. of_panel: (P,) which one a panel is on."""
    return (
        panels.shape == places.shape == (len(panels),)
        and _within(panels, 0, len(of_panel) - 1)
        and bool((panels[:-1] <= panels[1:]).all())
        and _within(places, 0, _LARGEST)
        and bool((places < tokens[of_panel[panels]]).all())
    )


def _starts(starts: Indices, number: int, last: int) -> bool:
    """Whether these are the starts of so many rows that end at `last`."""
    return (
        starts.shape == (number + 1,)
        and int(starts[0]) == 0
        and int(starts[-1]) == last
        and bool((starts[:-1] <= starts[1:]).all())
    )


def _within(column: NDArray[Any], least: int, most: int) -> bool:
    return not column.size or (least <= int(column.min()) and int(column.max()) <= most)


def _flags(column: NDArray[np.bool_]) -> bool:
    """Other bytes than 0 and 1 count as true here and as a number there."""
    return _within(column.view(np.uint8), 0, 1)
