"""Krippendorff's alpha for unitizing (1995; Content Analysis, 2004, chapter 11): agreement on spans of a text.

A continuum is marked with units of one category; what lies between them are gaps. Two units that overlap differ
by the squares of the distances of their ends, a unit within a gap by the square of its length. Here the continuum
is a caption, in counted tokens, and the category a panel's label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agreement.chance.token_panels import MergedPanels, NotMerged, clusters_of
from agreement.primitives.rules import FEWER_RESAMPLES, RESAMPLES
from agreement.resampling.clusters import beyond_chance, ratios
from agreement.resampling.estimate import Estimate

#: Units of one annotator on a continuum: begin and end of each, ascending and apart.
Units = Sequence[tuple[int, int]]
_NO_SPAN = "no panel with text in the figures that two accepted"


@dataclass(frozen=True, slots=True)
class SpanAlpha:
    """Alpha of unitizing over captions, from the sums of the disagreements on each label of each caption.

    Of figures that two or more accepted on one caption and size. An annotator who did not accept it judged
    nothing; one who accepted it without a label marked no span of it. labels: how many were summed. spans: marked
    by anyone.
    """

    alpha: Estimate
    labels: int
    spans: int


def span_alpha(
    merged: MergedPanels | NotMerged,
    articles: Mapping[str, str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> SpanAlpha:
    """Return alpha on the spans of panel labels; see `merge_panels`. Intervals are of articles."""
    if isinstance(merged, NotMerged):
        return SpanAlpha(Estimate(None, merged.reason), 0, 0)
    work, starts = merged.work, merged.starts
    group_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    row_of = np.repeat(np.arange(len(work)), work.panels)
    panel, first, last = work.text.runs(work.counted[work.content[row_of]])
    marked: dict[tuple[int, int], dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    spans = zip(row_of[panel].tolist(), work.label[panel].tolist(), first.tolist(), last.tolist(), strict=True)
    for row, label, begin, end in spans:
        marked[int(group_of[row]), label][row].append((begin, end))
    people = np.diff(starts).tolist()
    lengths = work.counted[work.content[starts[:-1]]].tolist()
    sums = np.zeros((len(people), 2))
    for (group, _), by_row in marked.items():
        units = [_apart(own) for own in by_row.values()]
        units += [()] * (people[group] - len(units))
        sums[group] += unitizing_disagreement((0, lengths[group]), units)
    clusters = clusters_of(merged, articles)
    draws = min(resamples, FEWER_RESAMPLES)
    found = ratios(sums[:, :1], sums[:, 1:], clusters, resamples=draws, seed=seed, high=np.inf)
    return SpanAlpha(beyond_chance(found[0], _NO_SPAN), len(marked), len(panel))


def unitizing_disagreement(continuum: tuple[int, int], marked: Sequence[Units]) -> tuple[float, float]:
    """Return the observed and the expected disagreement of two or more annotators on one category.

    continuum: its begin and end. marked: each annotator's units in it. Both in squares of its length; alpha is
    1 - their ratio, of several categories or continua that of their sums.
    """
    length, people = continuum[1] - continuum[0], len(marked)
    gaps = [_gaps(continuum, units) for units in marked]
    observed = sum(
        _overlapping(marked[one], marked[other])
        + _inside(marked[one], gaps[other])
        + _inside(marked[other], gaps[one])
        for one, other in combinations(range(people), 2)
        if marked[one] != marked[other]
    )
    units = [end - begin for own in marked for begin, end in own]
    empty = [end - begin for own in gaps for begin, end in own]
    # Krippendorff 2004, p. 253: each unit in all places on another one, and in all gaps that have room for it.
    moved = (len(units) - 1) / 3 * sum(2 * unit**3 - 3 * unit**2 + unit for unit in units)
    moved += sum(unit**2 * sum(gap - unit + 1 for gap in empty if gap >= unit) for unit in units)
    whole = people * length
    places = whole * (whole - 1) - sum(unit * (unit - 1) for unit in units)
    expected = 2 * moved / (length * places) if places else 0.0
    return 2 * observed / (people * (people - 1) * length**2), expected


def _apart(spans: list[tuple[int, int]]) -> Units:
    """Return the spans of several panels of one label as units that neither overlap nor touch."""
    units: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if units and begin <= units[-1][1]:
            units[-1] = units[-1][0], max(end, units[-1][1])
        else:
            units.append((begin, end))
    return units


def _gaps(continuum: tuple[int, int], units: Units) -> Units:
    edges = [continuum[0], *(edge for unit in units for edge in unit), continuum[1]]
    return [(begin, end) for begin, end in zip(edges[::2], edges[1::2], strict=True) if begin < end]


def _overlapping(ours: Units, theirs: Units) -> int:
    return sum(
        (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 for a in ours for b in theirs if a[0] < b[1] and b[0] < a[1]
    )


def _inside(units: Units, gaps: Units) -> int:
    return sum((end - begin) ** 2 for begin, end in units for low, high in gaps if low <= begin and end <= high)
