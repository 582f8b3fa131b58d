"""Sets of tokens as bits: many sets in one array, each of as many 64-bit words as its caption needs.

A token's bit follows from its position in the caption: counted tokens first, in order, then the others
(punctuation). So the counted part of a set is its first bits, neighbouring counted tokens are neighbouring bits,
and a run of tokens is one run of bits or two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.primitives.matching import Indices, ranges

#: (N,) uint64.
Words = NDArray[np.uint64]
#: (N,) bool.
Mask = NDArray[np.bool_]

#: Bits per word.
WORD = 64
#: Bits laid out as bytes at a time when sets are made from lists: bounds memory at some 64 MB.
BITS_AT_ONCE = 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class TokenSets:
    """N sets. words: (W,), bit b of a set's word w is place 64 w + b. starts: (N + 1,)."""

    words: Words
    starts: Indices

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def widths(self) -> Indices:
        """Words of each set, (N,); 0 for a caption without tokens."""
        return np.diff(self.starts)

    def sizes(self) -> Indices:
        """Number of tokens of each set, (N,)."""
        return sums(np.bitwise_count(self.words).astype(np.int64), self.starts)

    def members(self) -> tuple[Indices, Indices]:
        """Return the set and the place of each token of the sets, (M,), in order of sets, then places."""
        bits = np.flatnonzero(np.unpackbits(self.words.astype("<u8").view(np.uint8), bitorder="little"))
        sets = np.repeat(np.arange(len(self)), self.widths)[bits // WORD]
        return sets, bits - self.starts[sets] * WORD

    def runs(self, limits: Indices) -> tuple[Indices, Indices, Indices]:
        """Return the runs of neighbouring places below a limit: set, first place, last exclusive; (R,) each.

        limits: (N,).
        """
        sets, places = self.members()
        below_limit = places < limits[sets]
        sets, places = sets[below_limit], places[below_limit]
        heads = np.flatnonzero((np.diff(sets, prepend=-1) != 0) | (np.diff(places, prepend=-1) != 1))
        lasts = np.append(heads[1:], len(places))[: len(heads)] - 1
        return sets[heads], places[heads], places[lasts] + 1

    def take(self, sets: Indices) -> TokenSets:
        """Return the sets with these numbers, in this order. sets: (M,)."""
        begin = self.starts[sets]
        widths = self.starts[sets + 1] - begin
        return TokenSets(self.words[ranges(begin, widths)], starts_of(widths))

    def part(self, begin: int, end: int) -> TokenSets:
        """Return the sets `begin` to `end`, exclusive."""
        first, last = self.starts[begin], self.starts[end]
        return TokenSets(self.words[first:last], self.starts[begin : end + 1] - first)


def starts_of(sizes: Indices) -> Indices:
    """Return where each of N concatenated rows of these sizes starts, and the end of the last: (N + 1,)."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def sums(values: Indices, starts: Indices) -> Indices:
    """Return the sums of N concatenated rows, (N,); 0 for an empty row. starts: (N + 1,)."""
    running = starts_of(values)
    return running[starts[1:]] - running[starts[:-1]]


@dataclass(frozen=True, slots=True, eq=False)
class TokenPlaces:
    """The bits of the tokens of C captions. Made by `of`.

    starts: (C + 1,), where each caption's tokens start among all T. counted_before: (T + 1,), number of earlier
    tokens that count.
    """

    starts: Indices
    counted_before: Indices

    @classmethod
    def of(cls, counted: Mask, starts: Indices) -> TokenPlaces:
        """Build from counted: (T,) whether each token counts, concatenated by caption; starts: (C + 1,)."""
        return cls(starts, starts_of(counted.astype(np.int64)))

    @property
    def tokens(self) -> Indices:
        """Number of tokens of each caption, (C,)."""
        return np.diff(self.starts)

    @property
    def counted(self) -> Indices:
        """Number of tokens that count of each caption, (C,)."""
        return np.diff(self.counted_before[self.starts])

    @property
    def widths(self) -> Indices:
        """Words per set of each caption's tokens, (C,)."""
        return -(-self.tokens // WORD)

    def places(self, captions: Indices, tokens: Indices) -> Indices:
        """Return the bits of tokens, (L,). captions, tokens: (L,), tokens by their position in the caption."""
        at = self.starts[captions] + tokens
        before = self.counted_before[at] - self.counted_before[self.starts[captions]]
        counts = self.counted_before[at + 1] > self.counted_before[at]
        return np.where(counts, before, self.counted[captions] + tokens - before)

    def sets_of_lists(self, captions: Indices, tokens: Indices, list_starts: Indices) -> TokenSets:
        """Make sets of N lists of tokens; repeated tokens count once.

        captions: (N,) caption of each list. tokens: (L,), the lists concatenated. list_starts: (N + 1,).
        """
        lengths = np.diff(list_starts)
        return _sets_of_lists(
            self.places(np.repeat(captions, lengths), tokens), list_starts, self.widths[captions]
        )

    def sets_of_ranges(self, captions: Indices, owners: Indices, first: Indices, last: Indices) -> TokenSets:
        """Make N sets of R ranges of tokens, [first, last) each; they may overlap or be empty.

        captions: (N,) caption of each set. owners: (R,) set of each range, in any order.
        """
        whole = self.starts[captions[owners]]
        begin = self.counted_before[whole + first] - self.counted_before[whole]
        end = self.counted_before[whole + last] - self.counted_before[whole]
        beyond = self.counted[captions[owners]]
        return _sets_of_ranges(
            np.concatenate([owners, owners]),
            np.concatenate([begin, beyond + first - begin]),
            np.concatenate([end, beyond + last - end]),
            self.widths[captions],
        )


def _sets_of_lists(places: Indices, list_starts: Indices, widths: Indices) -> TokenSets:
    """places: (L,), one list after the other. list_starts: (N + 1,). widths: (N,) words of each set."""
    starts = starts_of(widths)
    words = np.zeros(int(starts[-1]), dtype=np.uint64)
    begin = 0
    while begin < len(widths):
        limit = int(starts[begin]) + BITS_AT_ONCE // WORD
        end = max(begin + 1, int(np.searchsorted(starts, limit, side="right")) - 1)
        first, last = int(starts[begin]), int(starts[end])
        own = slice(int(list_starts[begin]), int(list_starts[end]))
        bits = np.zeros((last - first) * WORD, dtype=np.bool_)
        lengths = np.diff(list_starts[begin : end + 1])
        bits[places[own] + np.repeat((starts[begin:end] - first) * WORD, lengths)] = True
        words[first:last] = np.packbits(bits, bitorder="little").view("<u8")
        begin = end
    return TokenSets(words, starts)


def _sets_of_ranges(owners: Indices, first: Indices, last: Indices, widths: Indices) -> TokenSets:
    """owners, first, last: (R,) rows of places. widths: (N,) words of each set."""
    starts = starts_of(widths)
    words = np.zeros(int(starts[-1]), dtype=np.uint64)
    filled = first < last
    owners, first, last = owners[filled], first[filled], last[filled]
    begin = first // WORD
    spread = (last - 1) // WORD - begin + 1
    word = ranges(begin, spread)
    bits = below(np.repeat(last, spread) - word * WORD) & ~below(np.repeat(first, spread) - word * WORD)
    where = word + np.repeat(starts[owners], spread)
    order = np.argsort(where, kind="stable")
    where, bits = where[order], bits[order]
    heads = np.flatnonzero(np.diff(where, prepend=-1))
    if len(heads):
        words[where[heads]] = np.bitwise_or.reduceat(bits, heads)
    return TokenSets(words, starts)


def below(bits: Indices) -> Words:
    """Return words whose lowest `bits` bits are set, (N,): none below 1, all from 64 on."""
    # A shift by the whole word is undefined, so it is made in two halves.
    inside = np.clip(bits, 0, WORD).astype(np.uint64)
    half = inside // np.uint64(2)
    ones = (np.uint64(1) << half) - np.uint64(1)
    rest = (np.uint64(1) << (inside - half)) - np.uint64(1)
    return ones | (rest << half)
