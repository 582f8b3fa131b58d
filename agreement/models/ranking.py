"""Rank several annotators or models against one gold, with paired confidence intervals of the differences.

They are ranked over the gold figures that all of them cover, so that leaving out hard figures gains nothing. The
difference of two is resampled over the figures that these two cover: both are scored on the same draw, which
removes the difficulty of figures (a paired bootstrap).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import erfc, sqrt
from statistics import NormalDist

import numpy as np

from agreement.pairs.figure_index import index_resampled
from agreement.pairs.pairwise import PairScore
from agreement.pairs.parts import within
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.rules import RESAMPLES
from agreement.resampling import bootstrap
from agreement.resampling.bootstrap import NEVER_DRAWN, NO_RESAMPLES, ONE_ARTICLE, ONE_FIGURE
from agreement.resampling.draws import Interval, cells_of, draws, percentiles, standard_error

#: What a 95% interval leaves out.
OUTSIDE = 0.05


class RankedBy(StrEnum):
    """The figures that the ranking is based on."""

    COMMON = "the figures that all cover"
    OWN = "the figures that each covers"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One entry of a ranking. rank: from 1, equal scores share one; None without a score.

    score, interval, counted: over the figures of the ranking. own_score, own_counted: over all gold figures it
    covers, `figures` of `of`; reason: why there is no score, "" if there is one.
    """

    rank: int | None
    name: str
    score: float | None
    interval: Interval | None
    counted: int
    own_score: float | None
    own_counted: int
    figures: int
    of: int
    reason: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The score of `first`, ranked higher, minus that of `second`, over the figures that both cover.

    interval: 95 % CI of this difference alone; joint: simultaneous 95 % CI over all differences of the ranking
    (Bonferroni). flipped: share of resamples in which `second` is ahead; tied: in which neither is. All None if
    undefined, and `reason` says why. figures, counted: of both.
    """

    first: str
    second: str
    difference: float | None
    interval: Interval | None
    joint: Interval | None
    flipped: float | None
    tied: float | None
    figures: int
    counted: int
    reason: str

    @property
    def certain(self) -> bool:
        """True if 0 lies outside the joint interval."""
        return self.joint is not None and not self.joint[0] <= 0.0 <= self.joint[1]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows best first; those without a score last, by name. figures: the common ones if `by` is COMMON.

    differences: of neighbours, and of the best and each other one. method: of the intervals, "bootstrap",
    "linearised" or "" without any. unit: what was resampled, "article" if figures share some.
    """

    rows: tuple[Ranked, ...]
    differences: tuple[Difference, ...]
    by: RankedBy
    figures: int
    method: str
    unit: str = "figure"


#: Of nothing.
NO_RANKING = Ranking((), (), RankedBy.OWN, 0, "")


def ranking(
    pairs: Sequence[PairScore], gold_figures: int, *, resamples: int = RESAMPLES, seed: int = 0
) -> Ranking:
    """Rank the predicted sides of `pairs`, which share one gold, in any order.

    gold_figures: number of figures in the gold. If no gold subfigure counts in the common figures, each is ranked
    by the figures it covers.
    """
    scored = [pair for pair in pairs if pair.score is not None]
    common = _covered_by_all(scored)
    shared = _table(scored, common, resamples, seed)
    by = RankedBy.COMMON if scored and shared.cells.counts.any() else RankedBy.OWN
    own = [shared if by is RankedBy.COMMON else _table([pair], pair.figures, resamples, seed) for pair in scored]
    rows = []
    for place, (pair, table) in enumerate(zip(scored, own, strict=True)):
        column = place if table is shared else 0
        rows.append(
            Ranked(
                rank=None,
                name=pair.predicted,
                score=table.score(column),
                interval=table.interval(column),
                counted=table.counted(column),
                own_score=pair.score,
                own_counted=pair.counted,
                figures=len(pair.figures),
                of=gold_figures,
                reason="",
            )
        )
    ordered = _placed(rows)
    chosen = {pair.predicted: pair for pair in scored}
    two = _compared([row.name for row in ordered])
    columns = {pair.predicted: column for column, pair in enumerate(scored)}
    differences = []
    for first, second in two:
        figures = _covered_by_all([chosen[first], chosen[second]])
        # Usually all cover the same figures, so that one set of draws suffices.
        table, places = shared, (columns[first], columns[second])
        if figures != common:
            table, places = _table([chosen[first], chosen[second]], figures, resamples, seed), (0, 1)
        differences.append(_difference(first, second, table, places, len(two)))
    without = sorted((pair for pair in pairs if pair.score is None), key=lambda pair: pair.predicted)
    return Ranking(
        rows=(*ordered, *(_unranked(pair, gold_figures) for pair in without)),
        differences=tuple(differences),
        by=by,
        figures=len(common),
        method=_method(max(map(len, own), default=0)) if any(row.interval is not None for row in rows) else "",
        unit="article" if any(table.articles for table in own) else "figure",
    )


class _Table:
    """Scores of pairs over the figures that all of them cover, and resamples: of articles if figures share one.

    cells: of the figures or articles. figures: number of figures.
    """

    def __init__(self, pairs: Sequence[PairScore], figures: int, resamples: int, seed: int) -> None:
        index = index_resampled(pairs)
        self.cells, self.articles, self.figures = cells_of(pairs, index), index.articles, figures
        # Summed by figure, so that one who covers just these figures has this score to the last bit.
        self._scores = [pair.score or 0.0 for pair in pairs]
        self._resamples, self._seed = resamples, seed
        self._drawn: Matrix | None = None
        self._moves: Matrix | None = None

    def __len__(self) -> int:
        """Return the number of what is resampled."""
        return len(self.cells.totals)

    @property
    def linearised(self) -> bool:
        return _method(len(self)) == "linearised"

    def why_not(self, *columns: int) -> str:
        """Return why these pairs cannot be resampled; "" if they can."""
        if self._resamples < 1:
            return NO_RESAMPLES
        alone = (self.cells.counts[:, columns] > 0.0).sum(axis=0).min() < 2
        return (ONE_ARTICLE if self.articles else ONE_FIGURE) if alone else ""

    def alike(self, one: int, other: int) -> bool:
        """Return True if two pairs are equal in all that is resampled, and so in every draw."""
        return all(
            np.array_equal(cells[:, one], cells[:, other])
            for cells in (self.cells.totals, self.cells.counts, self.cells.zeros)
        )

    def counted(self, column: int) -> int:
        return int(self.cells.counts[:, column].sum())

    def score(self, column: int) -> float:
        """Return a pair's micro mean; 0 if no subfigure counts, as in official-code, the only mode that scores
        then.
        """
        return self._scores[column]

    def drawn(self) -> Matrix:
        """Scores in each resample, (resamples, P), NaN if no subfigure counts; computed once."""
        if self._drawn is None:
            self._drawn = draws(self.cells, self._resamples, self._seed)
        return self._drawn

    def moves(self, column: int) -> Vector:
        """Return the influence of each figure or article on a score, (F,)."""
        if self._moves is None:
            self._moves = self.cells.moves()
        moves: Vector = self._moves[:, column]
        return moves

    def interval(self, column: int) -> Interval | None:
        """Return the 95 % CI of one score."""
        if self.why_not(column):
            return None
        if self.linearised:
            low, high = _spread(self.score(column), standard_error(self.moves(column)), OUTSIDE)
            return max(0.0, low), min(1.0, high)
        return percentiles(self.drawn()[:, column])


def _table(pairs: Sequence[PairScore], figures: Sequence[str], resamples: int, seed: int) -> _Table:
    return _Table([within(pair, figures) for pair in pairs], len(figures), resamples, seed)


def _method(figures: int) -> str:
    return "linearised" if figures > bootstrap.MAX_BOOTSTRAP_FIGURES else "bootstrap"


def _covered_by_all(pairs: Sequence[PairScore]) -> tuple[str, ...]:
    every = [set(pair.figures) for pair in pairs]
    return tuple(sorted(set.intersection(*every))) if every else ()


def _placed(rows: Sequence[Ranked]) -> list[Ranked]:
    """Return the rows best first with their ranks; equal scores are sorted by name and share a rank."""
    ordered = sorted(rows, key=lambda row: (-(row.score or 0.0), row.name))
    placed: list[Ranked] = []
    for place, row in enumerate(ordered, start=1):
        tied = placed and placed[-1].score == row.score
        placed.append(replace(row, rank=placed[-1].rank if tied else place))
    return placed


def _unranked(pair: PairScore, gold_figures: int) -> Ranked:
    return Ranked(
        None, pair.predicted, None, None, 0, None, pair.counted, len(pair.figures), gold_figures, pair.reason
    )


def _compared(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return each two neighbours, then the best and each other one; each two once."""
    return [*pairwise(names), *((names[0], other) for other in names[2:])]


def _difference(first: str, second: str, table: _Table, columns: tuple[int, int], number: int) -> Difference:
    """table: over the figures that both cover; columns: theirs in it. number: of differences made altogether."""
    one, other = columns
    found = Difference(
        first=first,
        second=second,
        difference=None,
        interval=None,
        joint=None,
        flipped=None,
        tied=None,
        figures=table.figures,
        counted=table.counted(one),
        reason="",
    )
    if not found.figures:
        return replace(found, reason="no figure that both cover")
    if not all(table.counted(column) for column in columns):
        return replace(found, reason="no gold subfigure counts in the figures that both cover")
    difference = table.score(one) - table.score(other)
    found = replace(found, difference=difference)
    why_not = table.why_not(*columns)
    if why_not:
        return replace(found, reason=why_not)
    if table.alike(one, other):
        return replace(found, interval=(0.0, 0.0), joint=(0.0, 0.0), flipped=0.0, tied=1.0)
    if table.linearised:
        error = standard_error(table.moves(one) - table.moves(other))
        return replace(
            found,
            interval=_spread(difference, error, OUTSIDE),
            joint=_spread(difference, error, OUTSIDE / number),
            flipped=0.5 * erfc(difference / error / sqrt(2.0)) if error else float(difference < 0.0),
            tied=0.0 if error else float(difference == 0.0),
        )
    apart = table.drawn()[:, one] - table.drawn()[:, other]
    apart = apart[~np.isnan(apart)]
    if not len(apart):
        return replace(found, reason=NEVER_DRAWN)
    return replace(
        found,
        interval=percentiles(apart),
        joint=percentiles(apart, outside=OUTSIDE / number),
        flipped=float((apart < 0.0).mean()),
        tied=float((apart == 0.0).mean()),
    )


def _spread(value: float, error: float, outside: float) -> Interval:
    reach = NormalDist().inv_cdf(1.0 - outside / 2.0) * error
    return value - reach, value + reach
