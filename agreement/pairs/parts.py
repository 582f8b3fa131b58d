"""Subsets of a pair's figures: seeded ones, those of a period, those that two phases share."""

from __future__ import annotations

from dataclasses import replace

from agreement.pairs.pairwise import PairScore, verdict
from agreement.primitives.matching import Indices


def part_of(pair: PairScore, places: Indices) -> PairScore:
    """Return the pair over some of its figures, without details. places: (N,), indices in `pair.figures`.

    left_out and passed are known for all figures only, so both are empty here.
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
