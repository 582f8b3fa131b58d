"""The score of many annotations against many, in arrays: with NumPy, some thousands of pairs at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.columns.panels import REASONS, Panels
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices, Overlaps, best_answers, overlaps, ranges
from agreement.primitives.token_sets import Mask, TokenSets


@dataclass(frozen=True, slots=True, eq=False)
class Lineup:
    """Which annotations are held against which: K pairs, of G pairs of people.

    one, other: (K,) numbers of annotations. group: (K,) which pair of people they belong to. groups: G.
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
        """The same pairs with their sides changed."""
        return Lineup(self.other, self.one, self.group, self.groups)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What came of K pairs of annotations in W ways: the first of each as gold, then the other if wanted.

    totals, counts: (W, K) sum of the F1s of the gold subfigures that count, and how many count.
    left_out: (W, G, reasons) gold subfigures without a score, by pair of people and place in `REASONS`.
    losses: (W, K, causes) what was lost, by place in `Loss`; K is 0 where that is not wanted.
    """

    totals: Matrix
    counts: NDArray[np.int64]
    left_out: NDArray[np.int64]
    losses: NDArray[np.float64]

    @classmethod
    def empty(cls, ways: int, pairs: int, groups: int, causes: int, details: bool) -> Tally:
        """One to be filled in."""
        return cls(
            np.zeros((ways, pairs)),
            np.zeros((ways, pairs), dtype=np.int64),
            np.zeros((ways, groups, len(REASONS)), dtype=np.int64),
            np.zeros((ways, pairs if details else 0, causes)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of the N gold subfigures of some pairs of annotations, one pair after the other.

    golds: (N,) their numbers among the panels; owners: (N,) the pair each is of. matches: (N,) numbers of the
    panels that answer, -1 where no box reaches the threshold. iou: (N,), the largest. f1: (N,), 0 where not
    counted. counted: (N,) whether there is a score.
    """

    golds: Indices
    owners: Indices
    matches: Indices
    iou: Vector
    f1: Vector
    counted: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """The boxes of some pairs of annotations. ones, others: numbers of their panels; *_sizes: (K,) of each pair.

    found: places in `ones` and `others` of the boxes that overlap.
    """

    ones: Indices
    one_sizes: Indices
    others: Indices
    other_sizes: Indices
    found: Overlaps


def meet(panels: Panels, lineup: Lineup) -> Meeting:
    """Hold the boxes of each pair of annotations against each other."""
    starts, ends = panels.starts[:-1], panels.starts[1:]
    one_sizes, other_sizes = (ends[rows] - starts[rows] for rows in (lineup.one, lineup.other))
    ones = ranges(starts[lineup.one], one_sizes)
    others = ranges(starts[lineup.other], other_sizes)
    found = overlaps(panels.boxes[ones], one_sizes, panels.boxes[others], other_sizes)
    return Meeting(ones, one_sizes, others, other_sizes, found)


def turned(meeting: Meeting) -> Meeting:
    """The same with the sides changed; the overlaps' order stays."""
    found = Overlaps(meeting.found.other, meeting.found.one, meeting.found.iou)
    return Meeting(meeting.others, meeting.other_sizes, meeting.ones, meeting.one_sizes, found)


def score(panels: Panels, meeting: Meeting, min_iou: float) -> Scores:
    """Score the first of each pair, as gold, against the other."""
    found = meeting.found
    answers, iou = best_answers(found.one, found.other, found.iou, len(meeting.ones))
    matches = np.where(
        (answers >= 0) & (iou >= min_iou), meeting.others[answers] if len(meeting.others) else -1, -1
    )
    golds = meeting.ones
    scored = panels.left_out[golds] < 0
    missed = matches < 0
    f1 = np.zeros(len(golds))
    both = np.flatnonzero(scored & ~missed)
    ours, theirs = golds[both], matches[both]
    # A gold that is scored has tokens, so there is something to divide by.
    f1[both] = (
        2
        * shared(panels.gold, ours, panels.other, theirs)
        / (panels.gold_lengths[ours] + panels.other_lengths[theirs])
    )
    counted = scored | (missed & panels.zero_if_missed[golds])
    owners = np.repeat(np.arange(len(meeting.one_sizes)), meeting.one_sizes)
    return Scores(golds, owners, matches, iou, f1, counted)


def shared(one: TokenSets, ours: Indices, other: TokenSets, theirs: Indices) -> Indices:
    """(N,) how many tokens set `ours` of `one` and set `theirs` of `other` have in common, both of one caption."""
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
    """Sum the scores by pair of annotations, in order of the gold subfigures.

    lineup: the pairs scored. part: where they stand in `found`.
    """
    counted, number = scores.counted, len(lineup)
    out = np.flatnonzero(~counted)
    reasons = panels.left_out[scores.golds[out]] + len(REASONS) * lineup.group[scores.owners[out]]
    left_out = found.left_out[way]
    found.totals[way, part] = np.bincount(scores.owners, weights=scores.f1, minlength=number)
    found.counts[way, part] = np.bincount(scores.owners[counted], minlength=number)
    left_out += np.bincount(reasons, minlength=left_out.size).reshape(left_out.shape)
