"""Reliability of scores: the share of right subfigures at each score, and whether low scores find the errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from agreement.primitives import Vector
from prelabel.evaluation.cases import Case

#: The ranges of scores that are compared with the share that is right.
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

#: A subfigure's text is right from this token F1 on.
MIN_F1 = 0.5


@dataclass(frozen=True, slots=True)
class Range:
    """The subfigures with a score from `low` to below `high`: their mean score, and the share that is right."""

    low: float
    high: float
    count: int
    score: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """The calibration of scores.

    error: expected calibration error, the mean distance of score and share right over the ranges, weighed by their
    counts. brier: mean squared distance of each score to 1 (right) or 0.
    """

    ranges: tuple[Range, ...]
    count: int
    error: float
    brier: float

    @classmethod
    def of(cls, scores: Sequence[float], right: Sequence[bool]) -> Reliability | None:
        """That of scores in [0, 1] and whether each subfigure is right, in one order; None of none."""
        score, hit = np.array(scores, dtype=np.float64), np.array(right, dtype=np.float64)
        if not len(score):
            return None
        ranges = []
        for low, high in pairwise(EDGES):
            inside = (score >= low) & ((score < high) | (high == EDGES[-1]))
            if inside.any():
                mean, share = float(score[inside].mean()), float(hit[inside].mean())
                ranges.append(Range(low, high, int(inside.sum()), mean, share))
        error = sum(abs(each.score - each.right) * each.count for each in ranges) / len(score)
        return cls(tuple(ranges), len(score), error, float(((score - hit) ** 2).mean()))


@dataclass(frozen=True, slots=True)
class LeastCertainFirst:
    """Looking at figures from the least certain on: how soon are those found that need edits?

    area: under the curve of the share found over the share looked at; random order has .5, the best order `best`.
    """

    figures: int
    wrong: int
    area: float
    best: float

    @classmethod
    def of(cls, certainty: Sequence[float], wrong: Sequence[bool]) -> LeastCertainFirst | None:
        """That of each figure's score and whether it needs edits, in one order; None if none or all do."""
        missed = np.array(wrong, dtype=bool)
        figures, number = len(missed), int(missed.sum())
        if number in (0, figures):
            return None
        # Figures of one score come in any order: each at their mean place.
        _, groups, counts = np.unique(np.array(certainty), return_inverse=True, return_counts=True)
        places: Vector = (counts.cumsum() - (counts - 1) / 2.0)[groups][missed]
        area = float(np.mean(1.0 - (places - 0.5) / figures))
        return cls(figures, number, area, 1.0 - number / (2.0 * figures))


def judged(cases: Sequence[Case]) -> tuple[list[float], list[bool]]:
    """The score of each predicted subfigure, and whether its box and most of its text are right.

    Right is a match with a gold box, each matched once, and a token F1 of at least .5 with its words; no words on
    both sides are right. Cases without scores are left out.
    """
    scores: list[float] = []
    right: list[bool] = []
    for case in cases:
        if case.scores is None:
            continue
        counted = case.gold.figure.caption.counted
        answers = {other: case.gold.subfigures[mine] for mine, other in case.answers()}
        for place, (score, found) in enumerate(zip(case.scores, case.predicted, strict=True)):
            truth = answers.get(place)
            scores.append(score)
            if truth is None:
                right.append(False)
                continue
            one, other = found.subcaption & counted, truth.subcaption & counted
            right.append(2 * len(one & other) >= MIN_F1 * (len(one) + len(other)))
    return scores, right
