"""The agreement over a part of the work, with its interval: one shape for all parts that a report sets apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore, mean_of_pairs, reasons_of
from agreement.resampling.bootstrap import Interval, Intervals

NO_FIGURE = "no figure was scored"


@dataclass(frozen=True, slots=True)
class PartScore:
    """The mean over the pairs, on the figures of a part. figures: scored by some pair.

    counted: gold subfigures that count, over all pairs. iaa: None if undefined, and `reason` says why; likewise
    interval, the 95 % CI, with `interval_reason`.
    """

    figures: int
    counted: int
    iaa: float | None
    reason: str
    interval: Interval | None
    interval_reason: str


def part_score(pairs: Sequence[PairScore], found: Intervals, nothing: str = NO_FIGURE) -> PartScore:
    """Return the agreement of pairs of a part. found: their intervals. nothing: why no figure is in the part."""
    iaa = mean_of_pairs(pairs)
    reason = "" if iaa is not None else reasons_of([pair for pair in pairs if pair.figures]) or nothing
    return PartScore(
        figures=len(index_figures(pairs).names),
        counted=sum(pair.counted for pair in pairs),
        iaa=iaa,
        reason=reason,
        interval=found.iaa,
        interval_reason=reason or found.reason,
    )
