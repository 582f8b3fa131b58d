"""Agreement on judgements of figures and pairs: by kind, by tag, by number.

A unit is a figure's id, with a pair's id for pairs. Missing judgements (see `is_missing`) count as not given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from agreement.chance.categories import CategoryScore, category_score
from agreement.chance.coefficients import (
    Unit,
    fleiss_kappa,
    gwet_ac1,
    judged_by_both,
    judgements_made,
    kappa_of_table,
    observed_of_table,
    weighted_kappa,
)
from agreement.chance.dawid_skene import Reliability, reliabilities

NOTHING_SHARED = "nothing that two judged"
ONE_VERDICT = "both gave one verdict throughout"


@dataclass(frozen=True, slots=True)
class PairKappa:
    """Two annotators on the units both judged. observed: share; kappa: Cohen's; None if undefined.

    reason: why kappa is None, "" otherwise.
    """

    annotators: tuple[str, str]
    units: int
    observed: float | None
    kappa: float | None
    reason: str


def pair_kappa(annotators: tuple[str, str], table: Mapping[tuple[Hashable, Hashable], int]) -> PairKappa:
    """Build from the number of units by both verdicts."""
    table = judged_by_both(table)
    kappa = kappa_of_table(table)
    reason = "" if kappa is not None else ONE_VERDICT if table else "no figure in common"
    return PairKappa(annotators, sum(table.values()), observed_of_table(table), kappa, reason)


@dataclass(frozen=True, slots=True)
class JudgementScore:
    """One kind of judgement. all: of all annotators. light: Light's kappa, the mean of the defined pairs; None
    without any.

    pairs: each two annotators with common units; none for sets. reliability: likewise, of each annotator.
    """

    name: str
    all: CategoryScore
    light: float | None
    pairs: tuple[PairKappa, ...]
    reliability: tuple[Reliability, ...] = ()


@dataclass(frozen=True, slots=True)
class TagScore:
    """One figure type. given: its number of uses. units: figures with types from two or more annotators.

    observed: share of pairs of judges that both use it or both do not. positive: given that one uses it, how often
    the other does. Each None if undefined, and `reason` says why.
    """

    tag: str
    given: int
    units: int
    observed: float | None
    positive: float | None
    fleiss: float | None
    ac1: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class PairCount:
    """Two annotators' counts of the same figures. difference: mean absolute. linear, quadratic: kappas."""

    annotators: tuple[str, str]
    units: int
    difference: float
    linear: float | None
    quadratic: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class CountScore:
    """Numbers of subfigures. units: figures that two or more counted.

    difference: mean over these of the mean absolute difference of two judges. same: share of pairs of judges with
    equal numbers. linear, quadratic: mean of the pairs' defined weighted kappas. None if undefined, and `reason`
    says why.
    """

    units: int
    difference: float | None
    same: float | None
    linear: float | None
    quadratic: float | None
    pairs: tuple[PairCount, ...]
    reason: str


def judgement_score(
    name: str,
    judged: Mapping[Unit, Mapping[str, Hashable]],
    categories: Collection[Hashable] | None,
    distance: Callable[[Hashable, Hashable], float] | None = None,
) -> JudgementScore:
    """Return the agreement on one kind of judgement. judged: unit -> annotator -> judgement.

    categories: all possible ones; None for sets, whose alpha is by distance.
    """
    judged = judgements_made(judged)
    units = Counter(tuple(each.values()) for each in judged.values())
    # Sets are no categories: two that overlap would count as wholly different.
    pairs = () if categories is None else tuple(_pair_kappas(judged))
    number = None if categories is None else tuple(categories)
    return JudgementScore(
        name,
        category_score(name, units, number, distance),
        _mean(p.kappa for p in pairs),
        pairs,
        () if categories is None else reliabilities(judged),
    )


def tag_scores(judged: Mapping[Unit, Mapping[str, frozenset[str]]]) -> tuple[TagScore, ...]:
    """Return the agreement on each tag that occurs, commonest first. judged: figure -> annotator -> tags."""
    judged = judgements_made(judged)
    given = Counter(tag for each in judged.values() for tags in each.values() for tag in tags)
    shared = [tuple(each.values()) for each in judged.values() if len(each) > 1]
    return tuple(
        _tag(tag, times, shared) for tag, times in sorted(given.items(), key=lambda each: (-each[1], each[0]))
    )


def count_score(judged: Mapping[Unit, Mapping[str, int]]) -> CountScore:
    """Return the agreement on numbers. judged: figure -> annotator -> number."""
    judged = judgements_made(judged)
    shared = [tuple(each.values()) for each in judged.values() if len(each) > 1]
    if not shared:
        return CountScore(0, None, None, None, None, (), NOTHING_SHARED)
    pairs = tuple(_pair_counts(judged))
    linear, quadratic = _mean(pair.linear for pair in pairs), _mean(pair.quadratic for pair in pairs)
    return CountScore(
        units=len(shared),
        difference=fsum(_over_pairs(unit, lambda one, other: abs(one - other)) for unit in shared) / len(shared),
        same=fsum(_over_pairs(unit, lambda one, other: one == other) for unit in shared) / len(shared),
        linear=linear,
        quadratic=quadratic,
        pairs=pairs,
        reason="" if linear is not None else ONE_VERDICT,
    )


def _tag(tag: str, given: int, shared: Sequence[tuple[frozenset[str], ...]]) -> TagScore:
    units = Counter(tuple(tag in tags for tags in unit) for unit in shared)
    both = either = 0.0
    for unit, times in units.items():
        yes, judges = sum(unit), len(unit)
        # Each unit weighs as one, however many judged it.
        both += times * yes * (yes - 1) / (judges - 1) / judges
        either += times * yes / judges
    return TagScore(
        tag=tag,
        given=given,
        units=len(shared),
        observed=fsum(times * _over_pairs(unit, lambda a, b: a == b) for unit, times in units.items())
        / len(shared)
        if shared
        else None,
        positive=both / either if either else None,
        fleiss=fleiss_kappa(units),
        ac1=gwet_ac1(units, (True, False)),
        reason=_why_no_kappa(either, len(shared)),
    )


def _why_no_kappa(gave: float, units: int) -> str:
    """gave: sum over the units of the share of judges who used the tag."""
    if not units:
        return NOTHING_SHARED
    return "" if 0 < gave < units else f"{'all' if gave else 'none'} of those that two judged have it"


def _over_pairs(unit: Sequence[int], value: Callable[[int, int], float]) -> float:
    """Return the mean over the pairs of judges of a unit."""
    values = [value(one, other) for one, other in combinations(unit, 2)]
    return fsum(values) / len(values)


def _pair_kappas(judged: Mapping[Unit, Mapping[str, Hashable]]) -> Iterator[PairKappa]:
    return (pair_kappa(pair, table) for pair, table in _tables(judged).items())


def _pair_counts(judged: Mapping[Unit, Mapping[str, int]]) -> Iterator[PairCount]:
    counts: dict[tuple[str, str], list[tuple[int, int]]] = {pair: [] for pair in _pairs(judged)}
    for each in judged.values():
        for one, other in combinations(sorted(each), 2):
            counts[one, other].append((each[one], each[other]))
    for pair, both in counts.items():
        ours, theirs = [one for one, _ in both], [other for _, other in both]
        linear = weighted_kappa(ours, theirs)
        yield PairCount(
            annotators=pair,
            units=len(both),
            difference=sum(abs(one - other) for one, other in both) / len(both),
            linear=linear,
            quadratic=weighted_kappa(ours, theirs, quadratic=True),
            reason="" if linear is not None else ONE_VERDICT,
        )


def _pairs(judged: Mapping[Unit, Mapping[str, Hashable]]) -> list[tuple[str, str]]:
    """Return each two annotators with common units, in order."""
    return sorted({pair for each in judged.values() for pair in combinations(sorted(each), 2)})


def _tables(
    judged: Mapping[Unit, Mapping[str, Hashable]],
) -> dict[tuple[str, str], Counter[tuple[Hashable, Hashable]]]:
    found: dict[tuple[str, str], Counter[tuple[Hashable, Hashable]]] = {pair: Counter() for pair in _pairs(judged)}
    for each in judged.values():
        for one, other in combinations(sorted(each), 2):
            found[one, other][each[one], each[other]] += 1
    return found


def _mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
