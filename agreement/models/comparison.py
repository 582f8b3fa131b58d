"""Annotators' or models' work compared to one gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from agreement.columns.corpus import places_of
from agreement.columns.raw import Submitted
from agreement.models.average_precision import AveragePrecision, average_precision
from agreement.models.ceiling import Ceiling, human_ceiling
from agreement.models.ranking import NO_RANKING, Ranking, ranking
from agreement.models.sweep import ConfidenceSweep, IouPoint, confidence_sweep, iou_sweep
from agreement.pairs.figure_index import macro
from agreement.pairs.figure_scores import FigureMean, figure_means
from agreement.pairs.pairwise import (
    PairScore,
    Passed,
    compare,
    detailed,
    latest,
    left_out_of,
    mean_of_pairs,
    pair_scores,
    passed_of,
    pooled,
    pooled_losses,
    reasons_of,
)
from agreement.pairs.parts import by_article
from agreement.pairs.worst import WorstFigure, worst_figures
from agreement.primitives.settings import DEFAULTS, EPOCH, Settings
from agreement.resampling.bootstrap import Interval, Intervals, intervals
from agreement.score.detection import Detection, together
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import LeftOut

#: Above this many gold figures the curves take minutes.
MAX_CURVE_FIGURES = 20_000


@dataclass(frozen=True, slots=True)
class Curves:
    """One pair at other thresholds, and the average precision of its boxes."""

    iou: tuple[IouPoint, ...]
    confidence: ConfidenceSweep
    precision: AveragePrecision


@dataclass(frozen=True, slots=True)
class Comparison:
    """Annotators or models compared to one gold.

    score: micro mean over all gold subfigures that count, of all pairs; None if undefined, `reason` says why.
    losses: difference of the score to 1, by cause. missing: gold figures without work in `pairs`. surplus:
    submitted figures without gold. figures: every scored figure, by id. worst: as many as requested, for display.
    newest: time of the last saved work of either side, None if unknown. ceiling: None unless people's work was
    given.
    """

    settings: Settings
    pairs: tuple[PairScore, ...]
    score: float | None
    reason: str
    macro: float | None
    losses: Mapping[Loss, float] | None
    intervals: Intervals
    gold_figures: int
    superseded: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    figures: Sequence[FigureMean] = ()
    worst: tuple[WorstFigure, ...] = ()
    ranking: Ranking = NO_RANKING
    curves: tuple[Curves, ...] = ()
    newest: datetime | None = None
    ceiling: Ceiling | None = None

    @property
    def counted(self) -> int:
        """Number of gold subfigures that count, over all pairs."""
        return sum(pair.counted for pair in self.pairs)

    @property
    def boxes(self) -> Detection:
        """Boxes of all pairs, matched one to one with the gold's."""
        return together(detailed(pair).detection for pair in self.pairs)

    @property
    def left_out(self) -> Mapping[LeftOut, int]:
        """Gold subfigures without a score, over all pairs, by reason."""
        return left_out_of(self.pairs)

    @property
    def passed(self) -> dict[Passed, tuple[str, ...]]:
        """Figures left out of any pair, by reason."""
        return {why: tuple(names) for why, names in passed_of(self.pairs).items()}

    @property
    def interval(self) -> Interval | None:
        """95 % CI of the score; None if several are compared: see each pair's."""
        return self.intervals.iaa if len(self.pairs) == 1 else None

    @property
    def interval_reason(self) -> str:
        """Return the reason why there is no interval; "" if there is one."""
        return self.intervals.reason if len(self.pairs) < 2 else "several are compared; see the interval of each"


def comparison(
    gold: Iterable[Submitted],
    predicted: Iterable[Submitted],
    settings: Settings = DEFAULTS,
    *,
    people: Iterable[Submitted] | None = None,
    worst: int = 0,
    curves: bool = True,
    articles: Mapping[str, str] = MappingProxyType({}),
) -> Comparison:
    """Compare `predicted` to `gold`, the work of one annotator; superseded annotations are left out on both sides.

    Each annotator of `predicted` is compared. people: annotators whose agreement with each other is the ceiling.
    worst: number of worst figures to return. curves: compute other thresholds and average precision, which takes
    longer than the scores. articles: figure -> its article; intervals resample articles where figures share one.
    Raises ValueError if `gold` has several annotators.
    """
    (ours, replaced), (theirs, also_replaced) = latest(gold), latest(predicted)
    pairs = by_article(
        compare(ours, theirs, min_iou=settings.min_iou, mode=settings.mode, common=settings.common, details=True),
        articles,
    )
    figures = figure_means(pairs)
    known, submitted = {each.figure.id for each in ours}, {each.figure.id for each in theirs}
    score = pooled(pairs)
    if score is None:
        # No subfigure counts: 0 in the authors' code, undefined in the paper.
        score = mean_of_pairs(pairs)
    reason = (
        "" if score is not None else reasons_of(pairs) or ("no gold" if not ours else "nothing to compare with it")
    )
    return Comparison(
        settings=settings,
        pairs=pairs,
        score=score,
        reason=reason,
        macro=macro(pairs),
        losses=pooled_losses(pairs),
        intervals=intervals(pairs, resamples=settings.resamples, seed=settings.seed),
        gold_figures=len(known),
        superseded=places_of(replaced + also_replaced),
        missing=tuple(sorted(known - submitted)),
        surplus=tuple(sorted(submitted - known)),
        figures=figures,
        worst=worst_figures(
            ours,
            theirs,
            pairs,
            figures,
            number=worst,
            min_iou=settings.min_iou,
            mode=settings.mode,
            common=settings.common_used,
        ),
        ranking=ranking(pairs, len(known), resamples=settings.resamples, seed=settings.seed),
        curves=_curves(ours, theirs, pairs, settings) if curves else (),
        newest=max((each.saved_at for each in (*ours, *theirs) if each.saved_at != EPOCH), default=None),
        ceiling=None if people is None else _ceiling(people, pairs, settings),
    )


def _ceiling(people: Iterable[Submitted], models: Sequence[PairScore], settings: Settings) -> Ceiling:
    work, _ = latest(people)
    pairs = pair_scores(work, min_iou=settings.min_iou, mode=settings.mode, common=settings.common)
    return human_ceiling(pairs, models, resamples=settings.resamples, seed=settings.seed)


def _curves(
    gold: Iterable[Submitted], predicted: Iterable[Submitted], pairs: Iterable[PairScore], settings: Settings
) -> tuple[Curves, ...]:
    mode, common = settings.mode, settings.common_used
    ours = {each.figure.id: each for each in gold}
    theirs: dict[str, dict[str, Submitted]] = {}
    for each in predicted:
        theirs.setdefault(each.annotator, {})[each.figure.id] = each
    found = []
    for pair in pairs:
        drawn = [ours[figure] for figure in pair.figures]
        answers = [theirs[pair.predicted][figure] for figure in pair.figures]
        found.append(
            Curves(
                iou_sweep(drawn, answers, mode=mode, common=common),
                confidence_sweep(drawn, answers, min_iou=settings.min_iou, mode=mode, common=common),
                average_precision(drawn, answers),
            )
        )
    return tuple(found)
