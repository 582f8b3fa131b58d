"""Where agreement is lost: what each gold subfigure lacks to an F1 of 1, told by cause.

A box that does not answer costs 1. Where it does, each token that only one side has costs 1 / (|g| + |p|), so the
causes add up to 1 - F1 exactly, and their means to 1 minus the score.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache

import numpy as np

from agreement.metrics.iou import Matrix
from agreement.metrics.subfigure_f1 import Panels, Scores

#: Below this IoU the best box is none that was meant: TIDE's threshold for background (Bolya et al. 2020, sec. 2).
BACKGROUND_IOU = 0.1
#: So many words in a row beside text that both have are a matter of where the subcaption begins or ends.
BOUNDARY_WORDS = 3


class Loss(StrEnum):
    """What a gold subfigure lost part of its score to.

    NO_BOX: no box overlaps it to speak of. WRONG_BOX: one does, below the threshold. OTHER_PANEL: words that the
    other side gives to another panel. BOUNDARY: a few words at the edge of text that both have. MISSING, SURPLUS:
    other words that only the gold has, or only the other side. REPEATED: token ids listed twice, in official-code.
    """

    NO_BOX = "no box"
    WRONG_BOX = "wrong box"
    OTHER_PANEL = "another panel's text"
    BOUNDARY = "boundary of the text"
    MISSING = "missing text"
    SURPLUS = "surplus text"
    REPEATED = "repeated tokens"


_PLACE = {loss: place for place, loss in enumerate(Loss)}


def split_losses(gold: Panels, other: Panels, scores: Scores, counted: Sequence[frozenset[int]]) -> Matrix:
    """What the gold subfigures of each of F figures lost: (F, len(Loss)), columns in the order of `Loss`.

    scores: of `gold` against `other`. counted: F sets of the ids of a caption's counted tokens, which tell what is
    next to what. A row sums to the number of its figure's subfigures that count minus the sum of their F1s.
    """
    lost = np.zeros((len(gold.sizes), len(Loss)))
    figures = np.repeat(np.arange(len(gold.sizes)), gold.sizes)
    gold_starts = np.cumsum(gold.sizes) - gold.sizes
    other_starts = np.cumsum(other.sizes) - other.sizes
    incomplete = np.flatnonzero(np.nan_to_num(scores.f1, nan=1.0) < 1.0)
    for place, figure, match in zip(
        incomplete.tolist(), figures[incomplete].tolist(), scores.matches[incomplete].tolist(), strict=True
    ):
        if match < 0:
            cause = Loss.NO_BOX if scores.iou[place] < BACKGROUND_IOU else Loss.WRONG_BOX
            lost[figure, _PLACE[cause]] += 1.0
            continue
        ours, theirs = gold.tokens[place], other.tokens[match]
        for cause, count in causes(
            frozenset(ours),
            frozenset(theirs),
            _others(gold.tokens, int(gold_starts[figure]), int(gold.sizes[figure]), place),
            _others(other.tokens, int(other_starts[figure]), int(other.sizes[figure]), match),
            counted[figure],
        ).items():
            lost[figure, _PLACE[cause]] += count / (len(ours) + len(theirs))
        repeated = len(ours) + len(theirs) - len(frozenset(ours)) - len(frozenset(theirs))
        if repeated:
            lost[figure, _PLACE[Loss.REPEATED]] += repeated / (len(ours) + len(theirs))
    return lost


def causes(
    gold: frozenset[int],
    other: frozenset[int],
    gold_elsewhere: frozenset[int],
    other_elsewhere: frozenset[int],
    counted: frozenset[int],
) -> Mapping[Loss, int]:
    """How many of the tokens that only one side has are lost to which cause.

    *_elsewhere: tokens that this side gives to other panels of the figure. counted: ids of the caption's counted
    tokens.
    """
    missing, surplus = gold - other, other - gold
    elsewhere = (missing & other_elsewhere) | (surplus & gold_elsewhere)
    found = {Loss.OTHER_PANEL: len(elsewhere)} if elsewhere else {}
    ranks = _ranks(counted)
    shared = {ranks[token] for token in gold & other}
    for cause, tokens in ((Loss.MISSING, missing - elsewhere), (Loss.SURPLUS, surplus - elsewhere)):
        for first, last in _runs(ranks[token] for token in tokens):
            length = last - first + 1
            at_edge = length <= BOUNDARY_WORDS and (first - 1 in shared or last + 1 in shared)
            why = Loss.BOUNDARY if at_edge else cause
            found[why] = found.get(why, 0) + length
    return found


@lru_cache(maxsize=1024)
def _ranks(counted: frozenset[int]) -> Mapping[int, int]:
    """Each token's place among them; many subfigures of one caption ask."""
    return {token: rank for rank, token in enumerate(sorted(counted))}


def _others(tokens: Sequence[Collection[int]], start: int, size: int, place: int) -> frozenset[int]:
    """All tokens of a figure's panels but one."""
    return frozenset().union(*(tokens[each] for each in range(start, start + size) if each != place))


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of consecutive numbers."""
    first = last = None
    for number in sorted(numbers):
        if last is not None and first is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = number
    if first is not None and last is not None:
        yield first, last
