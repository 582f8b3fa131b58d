"""Parts of a pair's figures: the seeded ones, those of a period, those that two phases share."""

from __future__ import annotations

from dataclasses import replace

from agreement.pairs.pairwise import PairScore, verdict
from agreement.primitives.matching import Indices


def part_of(pair: PairScore, places: Indices) -> PairScore:
    """The pair over some of its figures, without details. places: (N,), where they stand in `pair.figures`.

    What the pair left out is told for all its figures, not for a part of them: both are empty here.
    """
    totals, counts = pair.totals[places], pair.counts[places]
    score, reason = verdict(totals, counts, pair.mode)
    return replace(
        pair,
        figures=pair.figures.take(places),
        totals=totals,
        counts=counts,
        seeded=pair.seeded[places],
        left_out={},
        passed={},
        score=score,
        reason=reason,
        details=None,
    )
