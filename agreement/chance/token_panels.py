"""Panels matched across annotators, and the panels that annotators assigned each counted token to.

A matched panel is identified by its rank in reading order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.columns.corpus import ACCEPTED, Corpus
from agreement.columns.raw import Submitted
from agreement.columns.row_traits import traits_of
from agreement.consensus.candidates import merged, reading_order
from agreement.primitives.iou import Boxes, box_area
from agreement.primitives.matching import Indices, overlaps, ranges
from agreement.primitives.token_sets import Mask, TokenSets, starts_of
from agreement.score.subfigure_f1 import MIN_IOU
from panelwise.domain import Box, Subfigure

#: Most figures whose boxes are merged.
MOST_MERGED = 20_000
#: Sets of ranks, a bit each: int64, or objects where a figure has too many panels.
Bits = NDArray[Any]
#: Panels of a figure whose numbers fit the bits of a word, the sign left alone.
_BITS = 62
#: Sets of panels below this, those of the first twelve, are found without sorting.
_FEW = 1 << 12
#: Areas this close to a threshold are left to merging, which takes no roundabout way to an IoU.
_MARGIN = 1 + 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class MergedPanels:
    """Figures that two or more accepted, with their panels matched across annotators.

    work: annotations, group by group: a figure in one version. starts: (G + 1,) where each group starts. ranks:
    (P,) the matched panel of each panel, by reading order within its group. figures: number of figures.
    """

    work: Corpus
    starts: Indices
    ranks: Indices
    figures: int


@dataclass(frozen=True, slots=True)
class NotMerged:
    """The reason why no panels were matched. figures: number of figures that two or more accepted."""

    reason: str
    figures: int


def merge_panels(work: Iterable[Submitted]) -> MergedPanels | NotMerged:
    """Match the panels of all figures accepted by two or more on one caption and size.

    A figure accepted by several on each of two captions is two groups. work: at most one per annotator and figure,
    in any order. Raw values are not merged. Panels are those of `merge_candidates` with a quorum of one.
    """
    corpus = Corpus.of(work)
    raw, _ = traits_of(corpus.rows)
    rows, starts = groups_of(corpus, raw)
    shared = len(np.unique(corpus.figure[rows]))
    if shared > MOST_MERGED:
        return NotMerged(f"more than {MOST_MERGED} figures", shared)
    if not shared:
        why = "raw values are not merged" if raw.any() else "no figure that two accepted in the same version"
        return NotMerged(why, shared)
    own = corpus.take(rows)
    ranks, certain = _ranks_alike(own, starts)
    for group in np.flatnonzero(~certain).tolist():
        _merge(own, range(int(starts[group]), int(starts[group + 1])), ranks)
    return MergedPanels(own, starts, ranks, shared)


def groups_of(corpus: Corpus, raw: Mask) -> tuple[Indices, Indices]:
    """Group accepted work by figure content, for contents that two or more accepted; raw values are left out.

    A figure accepted by two on one caption and by two on another makes two groups. raw: (A,). Returns annotation
    numbers, group by group in order of figures, and (G + 1,) where each group starts.
    """
    rows = np.flatnonzero((corpus.status == ACCEPTED) & ~raw)
    rows = rows[np.lexsort((corpus.content[rows], corpus.figure[rows]))]
    heads = np.flatnonzero(np.diff(corpus.figure[rows], prepend=-1) | np.diff(corpus.content[rows], prepend=-1))
    sizes = np.diff(np.append(heads, len(rows)))
    taken = sizes > 1
    return rows[ranges(heads[taken], sizes[taken])], starts_of(sizes[taken])


def clusters_of(merged: MergedPanels, articles: Mapping[str, str]) -> list[str]:
    """Return the article of each group's figure, or the figure where it has none. articles: figure -> article."""
    names = [merged.work.figures[number] for number in merged.work.figure[merged.starts[:-1]].tolist()]
    # An article may be named as a figure of no article is.
    return [f"article {articles[name]}" if name in articles else f"figure {name}" for name in names]


def pairs_within(starts: Indices) -> tuple[Indices, Indices]:
    """Return all pairs of annotations of one group, the first before the second."""
    sizes = np.diff(starts)
    one = np.repeat(np.arange(starts[-1]), np.repeat(sizes, sizes))
    other = ranges(np.repeat(starts[:-1], sizes), np.repeat(sizes, sizes))
    return one[one < other], other[one < other]


def token_units(merged: MergedPanels) -> Mapping[tuple[Hashable, ...], int]:
    """Return, for each counted token, the sets of panel ranks that its annotators assigned it to.

    Tokens with the same sets, in any order of annotators, are one entry with their number as value.
    """
    work, starts = merged.work, merged.starts
    given = _panel_bits(work, merged.ranks)
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


def _ranks_alike(work: Corpus, starts: Indices) -> tuple[Indices, Mask]:
    """Return (P,) the rank of each panel, and (G,) whether merging would give the same; ranks are 0 otherwise."""
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows = np.repeat(np.arange(len(work)), work.panels)
    firsts = _answered(work.boxes, groups[rows], rows - starts[groups[rows]])
    roots, matched, sizes = np.unique(firsts, return_inverse=True, return_counts=True)
    order, begins = np.argsort(matched, kind="stable"), starts_of(sizes)
    low, high, medians = np.zeros((3, len(roots), 4))
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        edges = np.sort(work.boxes[order[begins[own][:, None] + np.arange(size)]], axis=1)
        low[own], high[own] = edges[:, 0], edges[:, -1]
        medians[own] = (edges[:, (size - 1) // 2] + edges[:, size // 2]) / 2
    drawn = np.bincount(groups[rows[roots]], minlength=len(starts) - 1)
    certain = _one_outcome(low, high, medians, drawn)
    # No two panels of one annotator are merged.
    twice = (np.diff(matched[order]) == 0) & (np.diff(rows[order]) == 0)
    certain[groups[rows[order[1:][twice]]]] = False
    return np.where(certain[groups[rows]], _read_as(medians, groups[rows[roots]])[matched], 0), certain


def _read_as(boxes: Boxes, groups: Indices) -> Indices:
    """Return each box's rank in the `reading_order` of its group, for boxes of different top left corners.

    groups: (N,) ascending.
    """
    x0, y0, _, y1 = boxes.T
    rows, row = np.zeros(len(boxes), dtype=np.int64), 0
    left = np.lexsort((x0, y0, groups))
    while len(left):
        top = np.flatnonzero(np.diff(groups[left], prepend=-1))
        edges = np.repeat(y1[left[top]], np.diff(np.append(top, len(left))))
        inside = (y0[left] + y1[left]) / 2 < edges
        inside[top] = True
        rows[left[inside]], row = row, row + 1
        left = left[~inside]
    ranks = np.empty(len(boxes), dtype=np.int64)
    ranks[np.lexsort((y0, x0, rows, groups))] = np.arange(len(boxes))
    return ranks - np.searchsorted(groups, groups)


def _answered(boxes: Boxes, groups: Indices, turns: Indices) -> Indices:
    """Return, for each panel, the one at the threshold by the first annotator in its group who drew it, or itself.

    groups: (P,) ascending. turns: (P,) annotator within the group.
    """
    found = np.full(len(boxes), -1)
    number = int(groups.max(initial=-1)) + 1
    for turn in range(int(turns.max(initial=-1)) + 1):
        first, later = (np.flatnonzero(each & (found < 0)) for each in (turns == turn, turns > turn))
        found[first] = first
        sizes = [np.bincount(groups[each], minlength=number) for each in (later, first)]
        met = overlaps(boxes[later], sizes[0], boxes[first], sizes[1])
        near = met.iou >= MIN_IOU
        found[later[met.one[near]]] = first[met.other[near]]
    return found


def _one_outcome(low: Boxes, high: Boxes, medians: Boxes, drawn: Indices) -> Mask:
    """(G,) whether merging makes these panels of a group's boxes, and they have one reading order, in any case.

    low, high: (N, 4) least and greatest edges of the boxes of a panel, of different annotators. drawn: (G,) how
    many panels of each group.
    A box within a panel, and any median of some, lies between what all have in common (inner) and what holds all
    (outer). So where the inner is half the outer or more, no join fails; and where two outers share less than a
    third of both inners together, no box of the one is near one of the other. Rounding is given a margin.
    """
    inner = np.concatenate([high[:, :2], low[:, 2:]], axis=1)
    inner[:, 2:] = np.maximum(inner[:, :2], inner[:, 2:])
    outer = np.concatenate([low[:, :2], high[:, 2:]], axis=1)
    inside = box_area(inner)
    doubtful = inside < MIN_IOU * box_area(outer) * _MARGIN
    groups = np.repeat(np.arange(len(drawn)), drawn)
    one = np.repeat(np.arange(len(groups)), drawn[groups])
    other = ranges(starts_of(drawn)[groups], drawn[groups])
    one, other = one[one < other], other[one < other]
    width = np.minimum(outer[one, 2], outer[other, 2]) - np.maximum(outer[one, 0], outer[other, 0])
    height = np.minimum(outer[one, 3], outer[other, 3]) - np.maximum(outer[one, 1], outer[other, 1])
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    apart = shared * (1 + MIN_IOU) * _MARGIN < MIN_IOU * (inside[one] + inside[other])
    # The reading order of panels with the same top left corner is arbitrary.
    apart &= (medians[one, :2] != medians[other, :2]).any(axis=1)
    doubtful[one[~apart]] = True
    sure = np.ones(len(drawn), dtype=np.bool_)
    sure[groups[doubtful]] = False
    return sure


def _merge(work: Corpus, rows: range, ranks: Indices) -> None:
    """Write the ranks of a group's panels by merging them."""
    begins = {
        work.annotators[work.annotator[row]]: range(*work.panel_starts[row : row + 2].tolist()) for row in rows
    }
    every = range(*work.panel_starts[[rows.start, rows.stop]].tolist())
    tokens, boxes = _tokens(work.text, every), work.boxes[every.start : every.stop].tolist()
    parts = {
        (name, place): Subfigure(
            work.labels[work.label[panel]], Box(*boxes[panel - every.start]), tokens[panel - every.start]
        )
        for name, panels in sorted(begins.items())
        for place, panel in enumerate(panels)
    }
    groups = [group for _, group in merged(parts, MIN_IOU)]
    for rank, place_of in enumerate(reading_order([group.box for group in groups])):
        for name, place in groups[place_of].members:
            ranks[begins[name][place]] = rank


def _tokens(text: TokenSets, panels: range) -> list[frozenset[int]]:
    """Return the places of the tokens of each of these panels, which are on one caption."""
    words = text.words[text.starts[panels.start] : text.starts[panels.stop]].astype("<u8")
    if not len(words):
        return [frozenset()] * len(panels)
    bits = np.unpackbits(words.view(np.uint8).reshape(len(panels), -1), axis=1, bitorder="little")
    owners, places = np.nonzero(bits)
    ends = np.searchsorted(owners, np.arange(len(panels) + 1)).tolist()
    listed = places.tolist()
    return [frozenset(listed[begin:end]) for begin, end in pairwise(ends)]


def _panel_bits(work: Corpus, ranks: Indices) -> Bits:
    """The panels that each counted token was given to, bit by bit: of each annotation one after the other."""
    wide = len(ranks) and int(ranks.max()) >= _BITS
    begins = starts_of(work.counted[work.content])
    given: Bits = np.zeros(int(begins[-1]), dtype=np.object_ if wide else np.int64)
    panel, place = work.text.members()
    row = np.repeat(np.arange(len(work)), work.panels)[panel]
    counts = place < work.counted[work.content[row]]
    at, rank = (begins[row] + place)[counts], ranks[panel[counts]]
    marks = np.array([1 << each for each in rank.tolist()], dtype=given.dtype) if wide else np.left_shift(1, rank)
    # No annotator draws a panel twice, so that no bit is added to itself.
    np.add.at(given, at, marks)
    return given


def _different(units: Bits) -> list[tuple[list[int], int]]:
    """Return the different rows of (T, N), ignoring the order of values, with their number of occurrences."""
    beyond = units >= _FEW
    there = np.zeros(_FEW, dtype=np.bool_)
    there[units[~beyond].astype(np.int64)] = True
    values = np.concatenate([np.flatnonzero(there), np.unique(units[beyond])])
    numbers = np.sort(np.searchsorted(values, units), axis=1)
    if len(values) ** units.shape[1] < 2**62:
        keys = numbers @ (len(values) ** np.arange(units.shape[1]))
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        rows = numbers[first]
    else:
        rows, times = np.unique(numbers, axis=0, return_counts=True)
    return list(zip(values[rows].tolist(), times.tolist(), strict=True))


def _set(bits: int) -> frozenset[int]:
    return frozenset(rank for rank in range(bits.bit_length()) if bits >> rank & 1)
