"""Pairs with their articles, and subsets of their figures: seeded ones, of a period, shared by two phases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from agreement.columns.raw import Submitted
from agreement.pairs.pairwise import PairScore, verdict
from agreement.primitives.matching import Indices


def by_article(pairs: Iterable[PairScore], articles: Mapping[str, str]) -> tuple[PairScore, ...]:
    """Return the pairs with the article of each figure, by which their intervals are resampled."""
    return tuple(replace(pair, articles=articles) for pair in pairs)


def articles_of(work: Iterable[Submitted]) -> dict[str, str]:
    """Return figure -> its article, of the figures that name one."""
    return {each.figure.id: each.figure.document for each in work if each.figure.document}


def within(pair: PairScore, figures: Collection[str]) -> PairScore:
    """Return the pair over those of its figures that are named; see `part_of`."""
    return part_of(pair, np.flatnonzero(pair.figures.among(figures)))


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
        both_seeded=pair.both_seeded[places],
        left_out={},
        passed={},
        score=score,
        reason=reason,
        details=None,
    )
