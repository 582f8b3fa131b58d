"""The worked examples about time, repeats, and models against gold, computed by `agreement`."""

from __future__ import annotations

from collections.abc import Sequence

from agreement import PairScore, compare, pair_scores, report_on
from agreement.columns.scored import ScoredAnnotation
from agreement.models.average_precision import AveragePrecision, average_precision
from agreement.models.ranking import Ranking, ranking
from agreement.models.sweep import ConfidenceSweep, IouPoint, confidence_sweep, iou_sweep
from agreement.resampling.bootstrap import intervals
from agreement.score.subfigure_f1 import Common
from agreement.trends.drift import Drift, Grouping, drift
from agreement.trends.phases import PhaseDifference, PhaseWork, phase_difference
from agreement.trends.repeats import SelfAgreement, self_agreement
from agreement_pictures.canvas import known
from agreement_pictures.work import LONG, START, Edges, corpus, figure, panel, sharing, work
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box

# ---- by week ----------------------------------------------------------------------------------------

#: Words of ten that two share, on the figures of five weeks.
WEEKS = (
    (10, 10, 9, 9, 10, 9),
    (10, 9, 9, 9, 10, 9),
    (9, 9, 8, 9, 10, 9),
    (8, 7, 9, 6, 9, 9),
    (8, 8, 9, 6, 7, 9),
)


def weekly() -> Drift:
    """Agreement that falls from week to week."""
    submitted = [
        each
        for week, words in enumerate(WEEKS)
        for each in corpus(words, f"week{week}-", day=7.0 * week)  # one Monday after the other
    ]
    finished = {each.figure.id: each.saved_at for each in submitted}
    return drift(pair_scores(submitted), finished, Grouping.WEEK)


# ---- phase against phase ----------------------------------------------------------------------------

#: The same twelve figures in two phases.
BEFORE = (4, 5, 6, 7, 7, 8, 8, 9, 9, 9, 10, 10)
AFTER = (6, 6, 7, 8, 7, 9, 9, 10, 9, 10, 10, 10)


def phases() -> PhaseDifference:
    """Phase 2 against phase 1, same figures and annotators."""
    here, there = (
        PhaseWork(phase, ("ann", "ben"), pairs, intervals(pairs), "")
        for phase, words in (("2", AFTER), ("1", BEFORE))
        for pairs in (pair_scores(corpus(words, phase=phase)),)
    )
    return phase_difference(here, there)


# ---- repeats ----------------------------------------------------------------------------------------

#: Words of ten that one shares with themselves, and two with each other, on six figures.
REPEATED = {"ann": (10, 10, 9, 10, 9, 10), "ben": (9, 7, 8, 8, 6, 9)}
BETWEEN = (9, 7, 8, 9, 7, 8)


def repeats() -> list[SelfAgreement]:
    """Ann and ben against themselves, phase 2 against phase 1."""
    found = []
    for who, words in REPEATED.items():
        twice = [
            sharing(figure(f"f{number}", LONG), shared, who=(who, who)) for number, shared in enumerate(words)
        ]
        found.append(self_agreement([two for _, two in twice], [one for one, _ in twice], ("2", "1")))
    return found


def between() -> float:
    """The IAA of ann and ben on the same figures."""
    return known(report_on(corpus(BETWEEN)).iaa)


# ---- models against gold ----------------------------------------------------------------------------

#: Words of ten that each model shares with the gold, on sixteen figures: easy ones are easy for all.
MODELS = {
    "north": (10, 10, 10, 9, 9, 9, 8, 8, 8, 7, 7, 6, 6, 5, 5, 4),
    "south": (10, 9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 5, 6, 4, 4, 4),
    "west": (9, 9, 10, 8, 9, 7, 8, 8, 6, 7, 6, 6, 5, 4, 5, 3),
}


def _against(models: dict[str, Sequence[int]]) -> tuple[PairScore, ...]:
    gold, predicted = [], []
    for name, words in models.items():
        for number, shared in enumerate(words):
            one, other = sharing(figure(f"f{number:02}", LONG), shared, who=("gold", name))
            predicted.append(other)
            if name == next(iter(models)):
                gold.append(one)
    return compare(gold, predicted)


def ranked() -> Ranking:
    """The three models in order."""
    return ranking(_against(dict(MODELS)), len(MODELS["north"]))


#: How sure a model is of each of its boxes, and how much of a gold box each has; 0: none. Six gold boxes in all.
SURE = ((0.95, 92), (0.9, 84), (0.8, 0), (0.7, 72), (0.6, 63), (0.4, 56), (0.3, 0))
GOLD_BOXES = 6


def _gold_and_predicted() -> tuple[list[Annotation], list[ScoredAnnotation]]:
    """One gold panel a figure, and the model's box on it or beside it."""
    words = range(10)
    gold, predicted = [], []
    real = [each for each in SURE if each[1]]
    for number in range(GOLD_BOXES):
        one = figure(f"f{number}", LONG)
        gold.append(work("gold", one, panel((0, 0, 100, 100), words)))
        found: list[tuple[float, Edges]] = []
        if number < len(real):
            sure, high = real[number]
            found.append((sure, (0, 0, 100, float(high))))
        if number < len(SURE) - len(real):
            sure = [each for each, high in SURE if not high][number]
            found.append((sure, (200, 0, 300, 100)))
        parts = tuple(Subfigure("ABC"[place], Box(*box), frozenset(words)) for place, (_, box) in enumerate(found))
        sures = tuple(sure for sure, _ in found)
        predicted.append(ScoredAnnotation(one, "model", "1", Status.ACCEPTED, parts, START, scores=sures))
    return gold, predicted


def by_iou() -> tuple[IouPoint, ...]:
    """The score at each IoU threshold."""
    return iou_sweep(*_gold_and_predicted(), common=Common.NONE)


def by_confidence() -> ConfidenceSweep:
    """Return the effect of a threshold on the model's scores."""
    return confidence_sweep(*_gold_and_predicted(), common=Common.NONE)


def precision() -> AveragePrecision:
    """COCO's average precision of the same boxes."""
    return average_precision(*_gold_and_predicted())
