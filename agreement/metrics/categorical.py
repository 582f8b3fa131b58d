"""Chance-corrected agreement on categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def observed_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Share of items on which two judges agree. one, other: the same items in order. None of no items."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} judgements against {len(other)}; give both on the same items")
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one) if one else None


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's kappa, in [-1, 1]. None of no items, and where both judges gave one category throughout (0 / 0)."""
    observed = observed_agreement(one, other)
    if observed is None:
        return None
    ours, theirs = Counter(one), Counter(other)
    # In whole numbers, so that 0 / 0 is told from a small difference.
    expected = sum(ours[category] * theirs[category] for category in ours)
    square = len(one) ** 2
    if expected == square:
        return None
    return (observed - expected / square) / (1 - expected / square)
