"""The score of many annotations against many, in arrays: with NumPy, some thousands of pairs at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.columns.panels import REASONS, Panels
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices, Overlaps, best_matches, overlaps, ranges
from agreement.primitives.token_sets import Mask, TokenSets


@dataclass(frozen=True, slots=True, eq=False)
class Lineup:
    """The annotations to compare: K pairs, of G pairs of annotators.

    one, other: (K,) annotation numbers. group: (K,) the pair of annotators. groups: G.
    """

    one: Indices
    other: Indices
    group: Indices
    groups: int

    def __len__(self) -> int:
        return len(self.one)

    def __getitem__(self, part: slice | Indices) -> Lineup:
        return Lineup(self.one[part], self.other[part], self.group[part], self.groups)

    def turned(self) -> Lineup:
        """Return the same pairs with their sides swapped."""
        return Lineup(self.other, self.one, self.group, self.groups)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums for K pairs of annotations in W directions: the first of each as gold, then the second if requested.

    totals, counts: (W, K) sum of the F1s of the gold subfigures that count, and their number. left_out: (W, G,
    reasons) gold subfigures without a score, columns as in `REASONS`. losses: (W, K, causes) score lost, columns
    as in `Loss`; K is 0 without details.
    """

    totals: Matrix
    counts: NDArray[np.int64]
    left_out: NDArray[np.int64]
    losses: NDArray[np.float64]

    @classmethod
    def empty(cls, ways: int, pairs: int, groups: int, causes: int, details: bool) -> Tally:
        """Make a tally to fill in."""
        return cls(
            np.zeros((ways, pairs)),
            np.zeros((ways, pairs), dtype=np.int64),
            np.zeros((ways, groups, len(REASONS)), dtype=np.int64),
            np.zeros((ways, pairs if details else 0, causes)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of the N gold subfigures of some pairs of annotations, concatenated by pair.

    golds: (N,) panel numbers; owners: (N,) pair of each. matches: (N,) numbers of the matched panels, -1 if no box
    reaches the threshold. iou: (N,), the largest. f1: (N,), 0 if not counted. counted: (N,) whether there is a
    score.
    """

    golds: Indices
    owners: Indices
    matches: Indices
    iou: Vector
    f1: Vector
    counted: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """The boxes of K pairs of annotations. ones, others: panel numbers; *_sizes: (K,) per pair.

    found: the boxes that overlap, as indices in `ones` and `others`.
    """

    ones: Indices
    one_sizes: Indices
    others: Indices
    other_sizes: Indices
    found: Overlaps


def meet(panels: Panels, lineup: Lineup) -> Meeting:
    """Find the overlapping boxes of each pair of annotations."""
    starts, ends = panels.starts[:-1], panels.starts[1:]
    one_sizes, other_sizes = (ends[rows] - starts[rows] for rows in (lineup.one, lineup.other))
    ones = ranges(starts[lineup.one], one_sizes)
    others = ranges(starts[lineup.other], other_sizes)
    found = overlaps(panels.boxes[ones], one_sizes, panels.boxes[others], other_sizes)
    return Meeting(ones, one_sizes, others, other_sizes, found)


def turned(meeting: Meeting) -> Meeting:
    """Return the meeting with its sides swapped; the overlaps keep their order."""
    found = Overlaps(meeting.found.other, meeting.found.one, meeting.found.iou)
    return Meeting(meeting.others, meeting.other_sizes, meeting.ones, meeting.one_sizes, found)


def score(panels: Panels, meeting: Meeting, min_iou: float) -> Scores:
    """Score the first of each pair, as gold, against the second."""
    found = meeting.found
    answers, iou = best_matches(found.one, found.other, found.iou, len(meeting.ones))
    matches = np.where(
        (answers >= 0) & (iou >= min_iou), meeting.others[answers] if len(meeting.others) else -1, -1
    )
    golds = meeting.ones
    scored = panels.left_out[golds] < 0
    missed = matches < 0
    f1 = np.zeros(len(golds))
    both = np.flatnonzero(scored & ~missed)
    ours, theirs = golds[both], matches[both]
    # A gold subfigure that is scored has tokens, so the denominator is above 0.
    f1[both] = (
        2
        * shared(panels.gold, ours, panels.other, theirs)
        / (panels.gold_lengths[ours] + panels.other_lengths[theirs])
    )
    counted = scored | (missed & panels.zero_if_missed[golds])
    owners = np.repeat(np.arange(len(meeting.one_sizes)), meeting.one_sizes)
    return Scores(golds, owners, matches, iou, f1, counted)


def shared(one: TokenSets, ours: Indices, other: TokenSets, theirs: Indices) -> Indices:
    """Return how many tokens set `ours` of `one` and set `theirs` of `other` share, (N,); both of one caption."""
    found = np.zeros(len(ours), dtype=np.int64)
    if not len(ours):
        return found
    begin, there = one.starts[ours], other.starts[theirs]
    widths = one.starts[ours + 1] - begin
    # Word by word: few captions need more than one or two.
    for word in range(int(widths.max())):
        wide = slice(None) if word == 0 and widths.min() > 0 else np.flatnonzero(widths > word)
        found[wide] += np.bitwise_count(one.words[begin[wide] + word] & other.words[there[wide] + word])
    return found


def tally(found: Tally, way: int, part: slice, panels: Panels, scores: Scores, lineup: Lineup) -> None:
    """Add up the scores by pair of annotations, in order of the gold subfigures.

    lineup: the pairs scored. part: their slice of `found`.
    """
    counted, number = scores.counted, len(lineup)
    out = np.flatnonzero(~counted)
    reasons = panels.left_out[scores.golds[out]] + len(REASONS) * lineup.group[scores.owners[out]]
    left_out = found.left_out[way]
    found.totals[way, part] = np.bincount(scores.owners, weights=scores.f1, minlength=number)
    found.counts[way, part] = np.bincount(scores.owners[counted], minlength=number)
    left_out += np.bincount(reasons, minlength=left_out.size).reshape(left_out.shape)
