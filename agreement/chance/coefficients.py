"""Chance-corrected agreement on categories, of two judges or of many.

With many judges, a unit is its sequence of judgements; missing ones (see `is_missing`) are no category, and units
with fewer than two others are skipped. Of two judges, items that either did not judge are skipped. A mapping gives
units with their number of occurrences: a campaign has few different ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import TypeVar

#: Units, or different units with how often each occurs.
Units = Iterable[Sequence[Hashable]] | Mapping[tuple[Hashable, ...], int]
#: Number of items by the categories of two judges.
Table = Mapping[tuple[Hashable, Hashable], int]

#: Types of the objects by which pandas and numpy mark a missing value; neither library needs to be installed.
_MARKS_OF_MISSING = frozenset({"NAType", "MaskedConstant"})

Judgement = TypeVar("Judgement")
Unit = TypeVar("Unit", bound=Hashable)


def is_missing(judgement: object) -> bool:
    """Return whether a value means that there is no judgement.

    That is: None, NaN, NaT, pandas' NA, numpy's masked, blank text. An empty set is a judgement: that no element
    belongs to it.
    """
    if judgement is None or type(judgement).__name__ in _MARKS_OF_MISSING:
        return True
    if isinstance(judgement, str):
        return not judgement.strip()
    # Only NaN and NaT differ from themselves.
    return bool(judgement != judgement)


def without_missing(judgements: Iterable[Judgement]) -> tuple[Judgement, ...]:
    """Return the judgements without missing ones."""
    return tuple(judgement for judgement in judgements if not is_missing(judgement))


def judgements_made(judged: Mapping[Unit, Mapping[str, Judgement]]) -> dict[Unit, dict[str, Judgement]]:
    """Return unit -> annotator -> judgement, without missing ones."""
    return {
        unit: {name: judgement for name, judgement in own.items() if not is_missing(judgement)}
        for unit, own in judged.items()
    }


def judged_pairs(one: Sequence[Judgement], other: Sequence[Judgement]) -> list[tuple[Judgement, Judgement]]:
    """Return the judgements of two judges on the items that both judged.

    one, other: the same items in order; raises ValueError if the lengths differ.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} judgements against {len(other)}; give both on the same items")
    return [pair for pair in zip(one, other, strict=True) if len(without_missing(pair)) == 2]


def observed_agreement(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Return the share of items on which two judges agree; None without items. one, other: the same items in
    order.
    """
    return observed_of_table(Counter(judged_pairs(one, other)))


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Cohen's kappa, in [-1, 1]. None of no items, and where both judges gave one category throughout (0 / 0).

    >>> cohen_kappa(["yes", "yes", "yes", "no"], ["yes", "yes", "no", "no"])
    0.5
    """
    return kappa_of_table(Counter(judged_pairs(one, other)))


def observed_of_table(table: Table) -> float | None:
    """Return `observed_agreement`. table: number of items by the two judges' categories."""
    table = judged_by_both(table)
    items = sum(table.values())
    return sum(times for (one, other), times in table.items() if one == other) / items if items else None


def kappa_of_table(table: Table) -> float | None:
    """Return `cohen_kappa`. table: number of items by the two judges' categories."""
    table = judged_by_both(table)
    observed = observed_of_table(table)
    if observed is None:
        return None
    ours: Counter[Hashable] = Counter()
    theirs: Counter[Hashable] = Counter()
    for (one, other), times in table.items():
        ours[one] += times
        theirs[other] += times
    # In integers, to distinguish 0 / 0 from a small difference.
    expected = sum(ours[category] * theirs[category] for category in ours)
    square = ours.total() ** 2
    if expected == square:
        return None
    return (observed - expected / square) / (1 - expected / square)


def judged_by_both(table: Table) -> Table:
    """Return the items that neither judge left out. table: number of items by the two judges' categories."""
    return {pair: times for pair, times in table.items() if len(without_missing(pair)) == 2}


def weighted_kappa(one: Sequence[int], other: Sequence[int], *, quadratic: bool = False) -> float | None:
    """Cohen's weighted kappa (1968) of numbers: a small difference is a small disagreement. In [-1, 1].

    quadratic: whether a difference weighs by its square. None of no items, and where both judges gave one number
    throughout (0 / 0).

    >>> weighted_kappa([1, 2, 3, 4], [1, 2, 3, 3])
    0.7777777777777778
    """
    pairs = judged_pairs(one, other)
    ours, theirs = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    expected = sum(
        times * often * _weight(first, second, quadratic)
        for first, times in ours.items()
        for second, often in theirs.items()
    )
    observed = sum(_weight(first, second, quadratic) for first, second in pairs)
    return 1 - len(pairs) * observed / expected if expected else None


def _weight(one: int, other: int, quadratic: bool) -> int:
    difference = abs(one - other)
    return difference * difference if quadratic else difference


def fleiss_kappa(units: Units) -> float | None:
    """Fleiss' kappa (1971), also where not all judged all. None of no units, and of one category throughout.

    Each unit weighs the same, however many judged it: the agreement expected by chance comes from the mean over
    units of each category's share.

    >>> round(fleiss_kappa([("yes", "yes", "yes"), ("yes", "yes", "no"), ("no", "no", "no")]), 6)
    0.55
    """
    counted = _counted(units)
    chance = _shares(counted)
    return _corrected(_observed(counted), sum(share**2 for share in chance.values()), len(chance))


def gwet_ac1(units: Units, categories: Collection[Hashable] | None = None) -> float | None:
    """Gwet's AC1 (2008), which a skewed distribution of the categories does not pull down as it does kappa.

    categories: all there are, where some may not occur; by default those that do. None of no units, and where
    there is but one category.
    """
    counted = _counted(units)
    chance = _shares(counted)
    number = len(chance) if categories is None else len({*without_missing(categories), *chance})
    if number < 2:
        return None
    expected = sum(share * (1 - share) for share in chance.values()) / (number - 1)
    return _corrected(_observed(counted), expected, number)


def krippendorff_alpha(
    units: Units, distance: Callable[[Hashable, Hashable], float] | None = None
) -> float | None:
    """Krippendorff's alpha (2011), 1 - observed / expected disagreement.

    distance: of two values, 0 for equal ones and the same both ways round; by default 1 for others ("nominal").
    None of no units, and where no two values in all differ, so that nothing can be expected.

    >>> krippendorff_alpha([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no",)])
    0.4444444444444444
    >>> judged = [(frozenset({1, 2}), frozenset({1})), (frozenset({3}), frozenset({3}))]
    >>> round(krippendorff_alpha(judged, masi_distance), 6)
    0.571429
    """
    values: Counter[Hashable] = Counter()
    observed = []
    for unit, times in _tallied(units):
        if unit.count(unit[0]) == len(unit):
            values[unit[0]] += times * len(unit)
            continue
        counts = Counter(unit)
        for value, count in counts.items():
            values[value] += times * count
        observed.append(times * (2 * _disagreement(counts, distance) / (len(unit) - 1)))
    total = sum(values.values())
    expected = 2 * _disagreement(values, distance) / (total - 1) if total else 0.0
    return 1 - fsum(observed) / expected if expected else None


def masi_distance(one: Hashable, other: Hashable) -> float:
    """1 - MASI of two sets (Passonneau 2006): Jaccard's index, weighted 1 for equal sets, 2/3 where one holds the
    other, 1/3 where they overlap, 0 if they do not.
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
        # In integers: all pairs, less those of equal values.
        total = sum(counts.values())
        return (total**2 - sum(count**2 for count in counts.values())) / 2
    pairs = combinations(counts.items(), 2)
    return sum(ours * theirs * distance(one, other) for (one, ours), (other, theirs) in pairs)


def _tallied(units: Units) -> Iterator[tuple[Sequence[Hashable], int]]:
    """Yield units of two or more judgements, with their number of occurrences."""
    pairs = units.items() if isinstance(units, Mapping) else ((unit, 1) for unit in units)
    judged = ((without_missing(unit), times) for unit, times in pairs)
    return ((unit, times) for unit, times in judged if len(unit) > 1)


def _counted(units: Units) -> list[tuple[Counter[Hashable], int]]:
    return [(Counter(unit), times) for unit, times in _tallied(units)]


def _observed(counted: Sequence[tuple[Counter[Hashable], int]]) -> float | None:
    """Return the mean over units of the share of pairs of judges that agree."""
    shares = []
    for unit, times in counted:
        judges = unit.total()
        shares.append(times * (sum(count * (count - 1) for count in unit.values()) / (judges * (judges - 1))))
    return fsum(shares) / sum(times for _, times in counted) if shares else None


def _shares(counted: Sequence[tuple[Counter[Hashable], int]]) -> dict[Hashable, float]:
    """Return the mean over units of each category's share of the judgements."""
    shares: dict[Hashable, list[float]] = {}
    number = sum(times for _, times in counted)
    for unit, times in counted:
        for category, count in unit.items():
            shares.setdefault(category, []).append(times * (count / unit.total()))
    return {category: fsum(own) / number for category, own in shares.items()}


def _corrected(observed: float | None, expected: float, categories: int) -> float | None:
    """Return (observed - expected) / (1 - expected); for a single category that is 0 / 0 despite rounding."""
    return None if observed is None or categories < 2 else (observed - expected) / (1 - expected)
