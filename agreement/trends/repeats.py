"""Self-agreement: an annotator's agreement with their own work on the same figures in another phase.

An annotation that supersedes an earlier one of its phase is a correction, not a repeat: its author saw the earlier
work.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agreement.columns.corpus import Corpus
from agreement.columns.raw import Submitted
from agreement.pairs.pairwise import PairScore, compare, mean_of_pairs
from agreement.pairs.parts import by_article
from agreement.primitives.rules import RESAMPLES
from agreement.resampling.bootstrap import Interval, intervals
from agreement.score.subfigure_f1 import MIN_IOU, Common, Mode


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """One annotator's work in one phase compared to their own on the same figures in another.

    phases: the reported one and the other; "" without another. score: mean of both directions; None if undefined,
    and `reason` says why. figures: those scored. counted: gold subfigures that count, of both directions. seeded:
    figures where either annotation began from a prediction. interval: 95 % CI; None if undefined, and
    `interval_reason` says why. method: "bootstrap", "linearised" or "".
    """

    annotator: str
    phases: tuple[str, str]
    figures: int
    counted: int
    seeded: int
    score: float | None
    reason: str
    interval: Interval | None
    interval_reason: str
    method: str


def self_agreement(
    one: Collection[Submitted] | Corpus,
    other: Collection[Submitted] | Corpus,
    phases: tuple[str, str],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    articles: Mapping[str, str] = MappingProxyType({}),
) -> SelfAgreement:
    """Compare one annotator's work in two phases. one, other: current work of each phase. articles: see
    `PairScore`.

    Raises ValueError if either side is empty or of another annotator.
    """
    sides = ((one, other), (other, one))
    forth, back = (
        by_article(compare(*each, min_iou=min_iou, mode=mode, common=common), articles) for each in sides
    )
    if len(forth) != 1 or forth[0].gold != forth[0].predicted:
        raise ValueError("self-agreement needs one annotator's work in two phases")
    return of_directions(forth[0], back[0], phases, resamples=resamples, seed=seed)


def of_directions(
    forth: PairScore, back: PairScore, phases: tuple[str, str], *, resamples: int = RESAMPLES, seed: int = 0
) -> SelfAgreement:
    """Return `self_agreement`, from the scores of both directions."""
    both = (forth, back)
    found = intervals(both, resamples=resamples, seed=seed)
    score = mean_of_pairs(both)
    reason = "" if score is not None else _why(forth, phases[1])
    return SelfAgreement(
        annotator=forth.gold,
        phases=phases,
        figures=len(forth.figures),
        counted=forth.counted + back.counted,
        seeded=int(forth.seeded.sum()),
        score=score,
        reason=reason,
        interval=found.iaa,
        interval_reason=found.reason if score is not None else reason,
        method=found.method,
    )


def _why(forth: PairScore, other: str) -> str:
    if forth.figures:
        return forth.reason
    if forth.passed:
        return "no figure that they accepted both times, with one caption and size"
    return f"no figure of theirs in phase {other} too"


def nothing_twice(annotator: str, phases: tuple[str, str], reason: str) -> SelfAgreement:
    """Return the entry of an annotator without repeated work. phases: "" without another."""
    return SelfAgreement(annotator, phases, 0, 0, 0, None, reason, None, reason, "")
