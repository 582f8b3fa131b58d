"""Parts of a pair's figures: the seeded ones, those of a period, those that two phases share."""

from __future__ import annotations

from dataclasses import replace

from agreement.metrics.matching import Indices
from agreement.metrics.pairwise import PairScore
from agreement.metrics.rules import Mode, nothing_to_count


def part_of(pair: PairScore, places: Indices, mode: Mode, figures: tuple[str, ...] | None = None) -> PairScore:
    """The pair over some of its figures, without details. places: (N,), where they stand in `pair.figures`.

    figures: their names, where these are known already.

    What the pair left out is told for all its figures, not for a part of them: both are empty here.
    """
    totals, counts = pair.totals[places], pair.counts[places]
    counted = int(counts.sum())
    reason = ""
    score: float | None = None
    if counted:
        score = float(totals.sum()) / counted
    elif len(places):
        score = nothing_to_count(mode)
        reason = "" if score is not None else "no gold subfigure with a counted token in the figures they share"
    else:
        reason = "no figure in common"
    if figures is None:
        figures = tuple([pair.figures[place] for place in places.tolist()])
    return replace(
        pair,
        figures=figures,
        totals=totals,
        counts=counts,
        seeded=pair.seeded[places],
        left_out={},
        passed={},
        score=score,
        reason=reason,
        mode=mode,
        details=None,
    )
