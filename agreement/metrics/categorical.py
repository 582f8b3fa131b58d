"""Chance-corrected agreement on categories, of two judges or of many.

Where many judged: a unit is what they judged, given as its judgements, those that are missing left out; units with
fewer than two say nothing about agreement and are passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import combinations


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


def fleiss_kappa(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Fleiss' kappa (1971), also where not all judged all. None of no units, and of one category throughout."""
    counted = _counted(units)
    chance = _shares(counted)
    return _corrected(_observed(counted), sum(share**2 for share in chance.values()), len(chance))


def gwet_ac1(units: Iterable[Sequence[Hashable]], categories: Collection[Hashable] | None = None) -> float | None:
    """Gwet's AC1 (2008), which a skewed distribution of the categories does not pull down as it does kappa.

    categories: all there are, where some may not occur; by default those that do. None of no units, and where
    there is but one category.
    """
    counted = _counted(units)
    chance = _shares(counted)
    number = len(chance) if categories is None else len({*categories, *chance})
    if number < 2:
        return None
    expected = sum(share * (1 - share) for share in chance.values()) / (number - 1)
    return _corrected(_observed(counted), expected, number)


def krippendorff_alpha(
    units: Iterable[Sequence[Hashable]], distance: Callable[[Hashable, Hashable], float] | None = None
) -> float | None:
    """Krippendorff's alpha (2011), 1 - observed / expected disagreement.

    distance: of two values, 0 for equal ones and the same both ways round; by default 1 for others ("nominal").
    None of no units, and where no two values in all differ, so that nothing can be expected.
    """
    values: Counter[Hashable] = Counter()
    observed = 0.0
    for unit in units:
        if len(unit) < 2:
            continue
        if unit.count(unit[0]) == len(unit):
            values[unit[0]] += len(unit)
            continue
        counts = Counter(unit)
        values.update(counts)
        observed += 2 * _disagreement(counts, distance) / (len(unit) - 1)
    total = sum(values.values())
    expected = 2 * _disagreement(values, distance) / (total - 1) if total else 0.0
    return 1 - observed / expected if expected else None


def masi_distance(one: Hashable, other: Hashable) -> float:
    """1 - MASI of two sets (Passonneau 2006): Jaccard's index, weighted 1 for equal sets, 2/3 where one holds the
    other, 1/3 where they overlap, 0 where they do not.
    """
    if not (isinstance(one, frozenset) and isinstance(other, frozenset)):
        raise TypeError("MASI is of frozensets")
    if one == other:
        return 0.0
    shared = one & other
    if not shared:
        return 1.0
    weight = 2 / 3 if shared in (one, other) else 1 / 3
    return 1 - weight * len(shared) / len(one | other)


def _disagreement(counts: Counter[Hashable], distance: Callable[[Hashable, Hashable], float] | None) -> float:
    """Sum of the distances of all pairs of values, each pair once."""
    if distance is None:
        # In whole numbers: pairs in all, less those of equal values.
        total = sum(counts.values())
        return (total**2 - sum(count**2 for count in counts.values())) / 2
    pairs = combinations(counts.items(), 2)
    return sum(ours * theirs * distance(one, other) for (one, ours), (other, theirs) in pairs)


def _counted(units: Iterable[Sequence[Hashable]]) -> list[Counter[Hashable]]:
    return [Counter(unit) for unit in units if len(unit) > 1]


def _observed(counted: Sequence[Counter[Hashable]]) -> float | None:
    """Mean over units of the share of pairs of judges that agree."""
    shares = []
    for unit in counted:
        judges = unit.total()
        shares.append(sum(count * (count - 1) for count in unit.values()) / (judges * (judges - 1)))
    return sum(shares) / len(shares) if shares else None


def _shares(counted: Sequence[Counter[Hashable]]) -> dict[Hashable, float]:
    """Mean over units of each category's share of the judgements."""
    shares: dict[Hashable, float] = {}
    for unit in counted:
        for category, count in unit.items():
            shares[category] = shares.get(category, 0.0) + count / unit.total() / len(counted)
    return shares


def _corrected(observed: float | None, expected: float, categories: int) -> float | None:
    """(observed - expected) / (1 - expected); of one category alone that is 0 / 0, whatever rounding does."""
    return None if observed is None or categories < 2 else (observed - expected) / (1 - expected)
