"""Which panels each counted token was given to by everybody who accepted a figure: what alpha on tokens needs.

Panels are matched across annotators and known by their rank, their place as one reads.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.metrics.consensus import merge_candidates, reading_order
from agreement.metrics.corpus import ACCEPTED, Corpus
from agreement.metrics.iou import aligned_iou
from agreement.metrics.matching import Indices, ranges
from agreement.metrics.subfigure_f1 import MIN_IOU
from agreement.metrics.token_sets import WORD, Mask, starts_of
from annotator.domain.annotation import Annotation
from annotator.domain.geometry import Box

#: Sets of ranks, a bit each: int64, or objects where a figure has too many panels.
Bits = NDArray[Any]
#: Panels of a figure whose numbers fit the bits of a word, the sign left alone.
_BITS = 62


def groups_of(corpus: Corpus, raw: Mask) -> tuple[Indices, Indices]:
    """Work on the figures that two or more accepted on one content, raw values left out.

    raw: (A,). Returns the numbers of the annotations, figure by figure in order of ids, and (G + 1,) where each
    figure's begin.
    """
    rows = np.flatnonzero((corpus.status == ACCEPTED) & ~raw)
    rows = rows[np.argsort(corpus.figure[rows], kind="stable")]
    figures = corpus.figure[rows]
    heads = np.flatnonzero(np.diff(figures, prepend=-1))
    sizes = np.diff(np.append(heads, len(rows)))
    content = corpus.content[rows]
    alike = np.ones(len(heads), dtype=np.bool_)
    if len(heads):
        alike = np.minimum.reduceat(content, heads) == np.maximum.reduceat(content, heads)
    taken = (sizes > 1) & alike
    return rows[ranges(heads[taken], sizes[taken])], starts_of(sizes[taken])


def token_units(corpus: Corpus, rows: Indices, starts: Indices) -> Mapping[tuple[Hashable, ...], int]:
    """For each counted token of these groups the panels that its annotators gave it to, as sets of ranks.

    Tokens with the same sets, by whomever, are one entry; its value is how many they are.

    rows, starts: see `groups_of`.
    """
    work = corpus.take(rows)
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    ranks, certain = _ranks_alike(work, groups, starts)
    for group in np.flatnonzero(~certain).tolist():
        _merge(work, range(int(starts[group]), int(starts[group + 1])), ranks)
    given = _given(work, ranks)
    begins = starts_of(work.counted[work.content])
    counted = work.counted[work.content[starts[:-1]]]
    found: dict[tuple[Hashable, ...], int] = {}
    sizes = np.diff(starts)
    for size in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        columns = [given[ranges(begins[starts[:-1][chosen] + place], counted[chosen])] for place in range(size)]
        for unit, times in _different(np.stack(columns, axis=1)):
            found[tuple(_set(each) for each in unit)] = times
    return found


def _ranks_alike(work: Corpus, groups: Indices, starts: Indices) -> tuple[Indices, Mask]:
    """(P,) the rank of each panel, and (G,) whether it is beyond doubt: all drew the same panels.

    That is where each box of the first has one of every other at the threshold, and one only: mostly so.
    """
    panels, begins = work.panels, work.panel_starts
    first = starts[:-1]
    ranks = np.zeros(len(work.boxes), dtype=np.int64)
    for row in first.tolist():
        begin, end = int(begins[row]), int(begins[row + 1])
        order = reading_order([Box(*box) for box in work.boxes[begin:end].tolist()])
        ranks[begin:end][order] = np.arange(len(order))
    others = np.setdiff1d(np.arange(len(groups)), first, assume_unique=True)
    firsts = first[groups[others]]
    as_many = panels[others] == panels[firsts]
    certain = np.ones(len(starts) - 1, dtype=np.bool_)
    certain[groups[others[~as_many]]] = False
    others, firsts = others[as_many], firsts[as_many]
    # Every box of the other beside every box of the first.
    number = panels[others]
    own = np.repeat(ranges(begins[others], number), np.repeat(number, number))
    theirs = ranges(np.repeat(begins[firsts], number), np.repeat(number, number))
    answers = aligned_iou(work.boxes[own], work.boxes[theirs]) >= MIN_IOU
    pair = np.repeat(np.arange(len(others)), number * number)
    for panel, offset in ((own, begins[others]), (theirs, begins[firsts])):
        place = starts_of(number)[:-1][pair] + panel - offset[pair]
        answered = np.bincount(place[answers], minlength=int(number.sum()))
        certain[groups[others[np.repeat(np.arange(len(others)), number)[answered != 1]]]] = False
    sure = answers & certain[groups[others[pair]]]
    ranks[own[sure]] = ranks[theirs[sure]]
    return ranks, certain


def _merge(work: Corpus, rows: range, ranks: Indices) -> None:
    """Write the ranks of a group's panels where not all drew the same ones: by merging what they drew."""
    group = [each for row in rows if isinstance(each := work.rows[row], Annotation)]
    candidates = merge_candidates(group, quorum=1)
    begins = {each.annotator: int(work.panel_starts[row]) for each, row in zip(group, rows, strict=True)}
    for rank, place in enumerate(reading_order([candidate.box for candidate in candidates])):
        for name, own in candidates[place].members.items():
            ranks[begins[name] + own] = rank


def _given(work: Corpus, ranks: Indices) -> Bits:
    """The panels that each counted token was given to, bit by bit: of each annotation one after the other."""
    wide = len(ranks) and int(ranks.max()) >= _BITS
    begins = starts_of(work.counted[work.content])
    given: Bits = np.zeros(int(begins[-1]), dtype=np.object_ if wide else np.int64)
    bits = np.unpackbits(work.text.words.astype("<u8").view(np.uint8), bitorder="little")
    places = np.flatnonzero(bits)
    panel = np.repeat(np.arange(len(work.text)), work.text.widths)[places // WORD]
    place = places - work.text.starts[panel] * WORD
    row = np.repeat(np.arange(len(work)), work.panels)[panel]
    counts = place < work.counted[work.content[row]]
    at, rank = (begins[row] + place)[counts], ranks[panel[counts]]
    marks = np.array([1 << each for each in rank.tolist()], dtype=given.dtype) if wide else np.left_shift(1, rank)
    np.bitwise_or.at(given, at, marks)
    return given


def _different(units: Bits) -> list[tuple[list[int], int]]:
    """The different rows of (T, N), in whatever order of their values, with how often each occurs."""
    values, numbers = np.unique(units, return_inverse=True)
    numbers = np.sort(numbers.reshape(units.shape), axis=1)
    if len(values) ** units.shape[1] < 2**62:
        keys = numbers @ (len(values) ** np.arange(units.shape[1]))
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        rows = numbers[first]
    else:
        rows, times = np.unique(numbers, axis=0, return_counts=True)
    return list(zip(values[rows].tolist(), times.tolist(), strict=True))


def _set(bits: int) -> frozenset[int]:
    return frozenset(rank for rank in range(bits.bit_length()) if bits >> rank & 1)
