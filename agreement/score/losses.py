"""Losses of agreement: the difference of each gold subfigure's F1 to 1, by cause.

An unmatched box costs 1. In a matched one each token that only one side has costs 1 / (|g| + |p|), so the causes
add up to 1 - F1 exactly, and their means to 1 minus the score.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from agreement.columns.panels import Panels
from agreement.primitives.iou import Matrix
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.token_sets import WORD, Mask, TokenSets, Words, starts_of
from agreement.score.kernel import Lineup, Scores

#: Below this IoU no box counts as overlapping: TIDE's background threshold (Bolya et al. 2020, sec. 2).
BACKGROUND_IOU = 0.1
#: Longest run of words next to shared text that counts as a difference at the subcaption's boundary.
BOUNDARY_WORDS = 3


class Loss(StrEnum):
    """The cause of a loss in score.

    NO_BOX: no box overlaps (IoU below TIDE's background threshold). WRONG_BOX: one does, below the match
    threshold. OTHER_PANEL: tokens that the other side assigns to another panel. BOUNDARY: a few words at the edge
    of shared text. MISSING, SURPLUS: other tokens that only the gold has, or only the other side. REPEATED:
    repeated token ids, in official-code. NOTHING: of a whole pair: no subfigure counts, which scores 0 in
    official-code.
    """

    NO_BOX = "no box"
    WRONG_BOX = "wrong box"
    OTHER_PANEL = "another panel's text"
    BOUNDARY = "boundary of the text"
    MISSING = "missing text"
    SURPLUS = "surplus text"
    REPEATED = "repeated tokens"
    NOTHING = "nothing to count"

    @property
    def display(self) -> str:
        """The display name in text, reports and pages; files, addresses and the store have the value."""
        return _DISPLAY.get(self, self.value)


_DISPLAY = {
    Loss.NO_BOX: "missing box",
    Loss.OTHER_PANEL: "text of another panel",
    Loss.BOUNDARY: "boundary",
    Loss.SURPLUS: "extra text",
}


#: Those of subfigures, in the order of columns.
CAUSES: tuple[Loss, ...] = tuple(cause for cause in Loss if cause is not Loss.NOTHING)
_NO_BOX, _WRONG_BOX, _OTHER_PANEL, _BOUNDARY, _MISSING, _SURPLUS, _REPEATED = range(len(CAUSES))


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """The tokens covered by the panels of A annotations, one set each. once: by any panel; twice: by two or more.

    starts: (A + 1,), start of each set.
    """

    once: Words
    twice: Words
    starts: Indices

    @classmethod
    def by(cls, sets: TokenSets, starts: Indices) -> Covered:
        """Build from sets, one per panel, and starts: (A + 1,), where each annotation's panels start."""
        panels = np.diff(starts)
        widths = np.zeros(len(panels), dtype=np.int64)
        some = panels > 0
        widths[some] = sets.widths[starts[:-1][some]]
        own = starts_of(widths)
        once, twice = np.zeros((2, int(own[-1])), dtype=np.uint64)
        for place in range(int(panels.max(initial=0))):
            rows = np.flatnonzero(panels > place)
            words = sets.words[ranges(sets.starts[starts[rows] + place], widths[rows])]
            where = ranges(own[rows], widths[rows])
            twice[where] |= once[where] & words
            once[where] |= words
        return cls(once, twice, own)

    def elsewhere(self, rows: Indices, widths: Indices, own: Words) -> Words:
        """Return the tokens of an annotation's other panels. rows, widths: (N,). own: words of N of its panels."""
        where = ranges(self.starts[rows], widths)
        return (self.once[where] & ~own) | self.twice[where]


def split_losses(panels: Panels, scores: Scores, lineup: Lineup, gold: Covered, other: Covered) -> Matrix:
    """Return the losses of K pairs of annotations by cause: (K, len(CAUSES)), columns as in `CAUSES`.

    scores: the first of each pair against the second. gold, other: tokens covered by `panels.gold` and
    `panels.other`. A row sums to its number of counted subfigures minus the sum of their F1s.
    """
    return _split(panels, scores, lineup, gold, other, scores.owners, len(lineup))


def losses_of_each(panels: Panels, scores: Scores, lineup: Lineup) -> Matrix:
    """Return the losses of each gold subfigure: (N, len(CAUSES)); a row sums to 1 minus its F1, or to 0."""
    gold, other = (Covered.by(sets, panels.starts) for sets in (panels.gold, panels.other))
    number = len(scores.golds)
    return _split(panels, scores, lineup, gold, other, np.arange(number), number)


def _split(
    panels: Panels, scores: Scores, lineup: Lineup, gold: Covered, other: Covered, rows: Indices, number: int
) -> Matrix:
    """rows: (N,) output row of each gold subfigure, of `number`."""
    incomplete = np.flatnonzero(scores.counted & (scores.f1 < 1.0))
    missed = scores.matches[incomplete] < 0
    boxes, texts = incomplete[missed], incomplete[~missed]
    owners, causes = [rows[boxes]], [np.where(scores.iou[boxes] < BACKGROUND_IOU, _NO_BOX, _WRONG_BOX)]
    shares = [np.ones(len(boxes))]
    ours, theirs, pairs = scores.golds[texts], scores.matches[texts], scores.owners[texts]
    length = panels.gold_lengths[ours] + panels.other_lengths[theirs]
    if len(texts):
        mine, yours = panels.gold.take(ours), panels.other.take(theirs)
        widths = mine.widths
        found = _causes(
            mine,
            yours,
            gold.elsewhere(lineup.one[pairs], widths, mine.words),
            other.elsewhere(lineup.other[pairs], widths, yours.words),
        )
        found[_REPEATED] = length - mine.sizes() - yours.sizes()
        for cause, count in found.items():
            some = np.flatnonzero(count)
            owners.append(rows[texts][some])
            causes.append(np.full(len(some), cause))
            shares.append(count[some] / length[some])
    places = np.concatenate(owners) * len(CAUSES) + np.concatenate(causes)
    lost = np.bincount(places, weights=np.concatenate(shares), minlength=number * len(CAUSES)).astype(np.float64)
    return lost.reshape(number, len(CAUSES))


def _causes(
    gold: TokenSets, other: TokenSets, gold_elsewhere: Words, other_elsewhere: Words
) -> dict[int, Indices]:
    """Count, by cause, the tokens that only one of N sets and their matches has.

    *_elsewhere: words of the tokens that this side assigns to other panels of the figure.
    """
    begins = np.zeros(len(gold.words), dtype=np.bool_)
    begins[gold.starts[:-1]] = True
    both = gold.words & other.words
    missing, surplus = gold.words & ~both, other.words & ~both
    elsewhere = (missing & other_elsewhere) | (surplus & gold_elsewhere)
    missing, surplus = missing & ~other_elsewhere, surplus & ~gold_elsewhere
    edge = [_boundary(words, both, begins) for words in (missing, surplus)]

    def count(words: Words) -> Indices:
        return np.add.reduceat(np.bitwise_count(words), gold.starts[:-1], dtype=np.int64)

    return {
        _OTHER_PANEL: count(elsewhere),
        _BOUNDARY: count(edge[0] | edge[1]),
        _MISSING: count(missing & ~edge[0]),
        _SURPLUS: count(surplus & ~edge[1]),
    }


def _boundary(words: Words, shared: Words, begins: Mask) -> Words:
    """Return the tokens in runs of at most `BOUNDARY_WORDS` that touch a shared token.

    words, shared: disjoint parts of N sets. begins: whether a word starts a set. Adjacent bits are adjacent words,
    as tokens that do not count come last.
    """
    found = np.zeros_like(words)
    for near, back in ((_after, _before), (_before, _after)):
        step = words & near(shared, begins)
        run, reach = step, [step]
        for _ in range(BOUNDARY_WORDS):
            step = words & near(step, begins)
            reach.append(step)
        for step in reach[1:-1]:
            run = run | step
        # What goes on further is no matter of the boundary: taken back as far as it was followed.
        long = reach[-1]
        for _ in range(BOUNDARY_WORDS):
            long = back(long, begins)
            run = run & ~long
        found |= run
    return found


_ONE, _LAST = np.uint64(1), np.uint64(WORD - 1)


def _after(words: Words, begins: Mask) -> Words:
    """Return the places after those in the sets."""
    carried = np.roll(words, 1) >> _LAST
    carried[begins] = 0
    return (words << _ONE) | carried


def _before(words: Words, begins: Mask) -> Words:
    """Return the places before those in the sets."""
    carried = words << _LAST
    carried[begins] = 0
    return (words >> _ONE) | np.roll(carried, -1)
