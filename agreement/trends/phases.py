"""Compare two phases: both IAAs, and their difference with its interval.

Phases differ in figures and in people, so three scopes are compared, from the loosest to the strictest: all work
of each; each phase's annotators on the figures that both phases scored; and the same ordered pairs of annotators
on the same figures. A figure is the same if it has one content: caption, tokens and size. The second scope
includes a pair's work on a content that any pair was scored on in the other phase, the third only work on a
content that the same pair was scored on in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agreement.pairs.figure_index import index_figures
from agreement.pairs.pairwise import PairScore, mean_of_pairs, reasons_of
from agreement.pairs.parts import within
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Interval, Intervals, difference_interval, intervals
from agreement.resampling.part_scores import PartScore
from agreement.trends.phase_contents import Changes, Contents, changes


class Scope(StrEnum):
    """The part of two phases to compare."""

    ALL = "all work"
    FIGURES = "the same figures"
    FIGURES_AND_ANNOTATORS = "the same figures and annotators"


@dataclass(frozen=True, slots=True)
class PhaseWork:
    """One phase as scored. annotators: all who submitted in it. reason: why its IAA is undefined, or "".

    contents: of accepted work, for figures that the two phases have on several contents; may omit others.
    """

    phase: str
    annotators: tuple[str, ...]
    pairs: tuple[PairScore, ...]
    intervals: Intervals
    reason: str
    contents: Contents = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PhaseSide(PartScore):
    """One phase within a scope. annotators: those in its pairs."""

    phase: str
    annotators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhaseContrast:
    """Two phases within one scope. difference: the reported phase's IAA minus the other's; None if undefined.

    interval: 95 % CI, from resampling figures, those of both phases together; None if undefined. reason,
    interval_reason: why. method: "bootstrap", "linearised" or "".
    """

    scope: Scope
    here: PhaseSide
    there: PhaseSide
    difference: float | None
    reason: str
    interval: Interval | None
    interval_reason: str
    method: str


@dataclass(frozen=True, slots=True)
class PhaseDifference:
    """The reported phase (`here`) compared to another (`there`). contrasts: one per scope, in order of `Scope`.

    shared: figures scored in both. changed: those scored on different captions, tokens or sizes by any pair; the
    pairs concerned leave them out of all scopes but the first. annotators: who submitted in both; only_here,
    only_there: in one.
    """

    here: str
    there: str
    contrasts: tuple[PhaseContrast, ...]
    shared: int
    changed: tuple[str, ...]
    annotators: tuple[str, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]


def phase_difference(
    here: PhaseWork,
    there: PhaseWork,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> PhaseDifference:
    """Return `here` minus `there`, in each scope.

    Intervals resample figures: a figure brings its work in both phases, so that its difficulty does not count as a
    difference between phases.
    """
    scored = set(index_figures(here.pairs).names) & set(index_figures(there.pairs).names)
    different = changes(here.pairs, there.pairs, here.contents, there.contents)
    common = scored - different.wholly
    in_both = tuple(sorted(set(here.annotators) & set(there.annotators)))
    made = _Made(resamples, seed)
    none_common = "" if common else "no figure was scored in both phases"
    if scored and not common:
        none_common += " on one caption and size"
    ours, theirs, none_alike = _same_pairs(here, there, different)
    return PhaseDifference(
        here=here.phase,
        there=there.phase,
        contrasts=(
            made.whole(here, there),
            made.contrast(
                Scope.FIGURES,
                (here.phase, [within(pair, common - different.here[_names(pair)]) for pair in here.pairs]),
                (
                    there.phase,
                    [within(pair, common - different.there[_names(pair)]) for pair in there.pairs],
                ),
                none_common,
            ),
            made.contrast(
                Scope.FIGURES_AND_ANNOTATORS, ours, theirs, none_common or _too_few(in_both) or none_alike
            ),
        ),
        shared=len(scored),
        changed=tuple(sorted(different.figures)),
        annotators=in_both,
        only_here=tuple(sorted(set(here.annotators) - set(there.annotators))),
        only_there=tuple(sorted(set(there.annotators) - set(here.annotators))),
    )


#: A phase's name and its pairs within a scope.
_Part = tuple[str, Sequence[PairScore]]


def _names(pair: PairScore) -> tuple[str, str]:
    return pair.gold, pair.predicted


def _same_pairs(here: PhaseWork, there: PhaseWork, different: Changes) -> tuple[_Part, _Part, str]:
    """Return the ordered pairs defined in both phases, each on shared figures of one content, and why none are."""
    others = {_names(pair): pair for pair in there.pairs}
    ours, theirs = [], []
    met = changed = False
    for pair in here.pairs:
        other = others.get(_names(pair))
        if other is None:
            continue
        left_out = different.pairs[_names(pair)]
        figures = set(pair.figures).intersection(other.figures) - left_out
        met, changed = met or bool(figures), changed or bool(left_out)
        one, two = within(pair, figures), within(other, figures)
        # Where only one phase has something to count, its mean would be over other pairs than the other's.
        if one.score is not None and two.score is not None:
            ours.append(one)
            theirs.append(two)
    reason = (
        "no pair of annotators was scored in both phases on one caption and size" if changed and not met else ""
    )
    return (here.phase, ours), (there.phase, theirs), reason


def _too_few(annotators: Sequence[str]) -> str:
    if not annotators:
        return "no annotator worked in both phases"
    return f"only {annotators[0]} worked in both phases; a pair needs two" if len(annotators) == 1 else ""


class _Made:
    """Computes contrasts."""

    def __init__(self, resamples: int, seed: int) -> None:
        self._resamples = resamples
        self._seed = seed

    def whole(self, here: PhaseWork, there: PhaseWork) -> PhaseContrast:
        """Contrast all work of both phases, each with the interval of its own report."""
        sides = [
            _side(work.phase, work.pairs, work.intervals, work.reason, work.annotators) for work in (here, there)
        ]
        return self._between(Scope.ALL, sides, (here.pairs, there.pairs))

    def contrast(self, scope: Scope, here: _Part, there: _Part, reason: str) -> PhaseContrast:
        """Contrast a part of both phases. reason: why it is empty, if known."""
        sides = []
        for phase, pairs in (here, there):
            found = intervals(pairs, resamples=self._resamples, seed=self._seed)
            sides.append(_side(phase, pairs, found, reason or _why(pairs), None))
        return self._between(scope, sides, (here[1], there[1]))

    def _between(
        self, scope: Scope, sides: Sequence[PhaseSide], pairs: tuple[Sequence[PairScore], Sequence[PairScore]]
    ) -> PhaseContrast:
        here, there = sides
        if here.iaa is None or there.iaa is None:
            reasons = {side.reason: side.phase for side in sides if side.iaa is None}
            one = len({side.reason for side in sides}) == 1
            reason = here.reason if one else "; ".join(f"phase {name}: {why}" for why, name in reasons.items())
            return PhaseContrast(scope, here, there, None, reason, None, reason, "")
        difference = here.iaa - there.iaa
        interval, why_not, method = difference_interval(*pairs, resamples=self._resamples, seed=self._seed)
        return PhaseContrast(scope, here, there, difference, "", interval, why_not, method)


def _side(
    phase: str, pairs: Sequence[PairScore], found: Intervals, reason: str, annotators: tuple[str, ...] | None
) -> PhaseSide:
    iaa = mean_of_pairs(pairs)
    reason = "" if iaa is not None else reason
    drawn = {name for pair in pairs if pair.figures for name in (pair.gold, pair.predicted)}
    return PhaseSide(
        phase=phase,
        annotators=tuple(sorted(drawn)) if annotators is None else annotators,
        figures=len(index_figures(pairs).names),
        counted=sum(pair.counted for pair in pairs),
        iaa=iaa,
        reason=reason,
        interval=found.iaa,
        interval_reason=reason or found.reason,
    )


def _why(pairs: Sequence[PairScore]) -> str:
    if not pairs:
        return "no pair of annotators with something to count in both phases"
    return reasons_of([pair for pair in pairs if pair.figures])
