"""All values of an agreement report, unrounded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType

import numpy as np

from agreement.chance.annotator_habits import Habits, annotator_habits
from agreement.chance.box_threshold import BoxThreshold, box_threshold
from agreement.chance.categories import CategoryScore, TokenAlpha, category_scores, token_alpha
from agreement.chance.dawid_skene import Reliability, reliabilities
from agreement.chance.joint_panels import JointAgreement, joint_agreement
from agreement.chance.panel_agreement import PanelAgreement, panel_agreement, panel_units
from agreement.chance.spans_alpha import SpanAlpha, span_alpha
from agreement.chance.token_panels import MOST_MERGED, MergedPanels, merge_panels
from agreement.columns.corpus import (
    ACCEPTED,
    IGNORED,
    STATUSES,
    Corpus,
    places_of,
    split_partly_read,
    split_superseded,
)
from agreement.columns.figure_names import FigureNames
from agreement.columns.people import in_common, people
from agreement.columns.raw import Submitted
from agreement.models.sweep import IouPoint, iaa_sweep
from agreement.pairs.figure_index import agreement_by_figure, index_figures, macro
from agreement.pairs.figure_scores import FigureMean, figure_means
from agreement.pairs.pairwise import (
    PairScore,
    Passed,
    boxes_of_pairs,
    detailed,
    left_out_of,
    mean_losses,
    mean_of_pairs,
    pair_scores,
    passed_of,
    pooled,
    reasons_of,
)
from agreement.pairs.parts import by_article
from agreement.pairs.worst import WorstFigure, worst_figures
from agreement.primitives.rules import MIN_IOU
from agreement.primitives.settings import DEFAULTS, EPOCH, Settings
from agreement.questions.items import ItemReport
from agreement.questions.judgements import PairKappa, pair_kappa
from agreement.resampling.bootstrap import Intervals, intervals
from agreement.resampling.estimate import Estimate
from agreement.score.detection import Detection
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import LeftOut
from agreement.trends.acquainted import Acquainted
from agreement.trends.corrected import Corrected
from agreement.trends.drift import Drift
from agreement.trends.phases import PhaseDifference
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import Seeded, seeded_apart
from panelwise.domain import Attention

#: Up to this many ordered pairs a report lists pairs without a figure in common, and text and page list each pair.
MOST_LISTED = 2_000
#: Why a report does not say what was looked at.
NOT_RECORDED = "recorded only for work on Panelwise's own screen"
#: What the shares of attention are of.
ATTENTION_NOTE = (
    "shares of the figures submitted on Panelwise's own screen: predictions submitted unchanged; subfigures and "
    f"items never looked at; figures done in under {Attention.FASTEST:g} s for each of these"
)
_FEW_OTHERS = "no two others whose panels differ"
_NO_MATCH = "no box matches another one's from IoU 0.5 on"
_NOTHING_SHARED = "no figure in common"


@dataclass(frozen=True, slots=True)
class PersonScore:
    """One annotator's means. as_gold, as_predicted: unweighted mean of the pairs with their work on that side.

    without: the IAA of the other annotators. spread: standard deviation of the figures' scores in these pairs, for
    how evenly one agrees. alpha_without: alpha on panels of the others. Each None if undefined, and its reason
    says why. median_iou: median IoU of the boxes that match others' from IoU 0.5 on, for how exactly one draws.
    """

    name: str
    figures: int
    accepted: int
    subfigures: int
    as_gold: float | None
    as_predicted: float | None
    without: float | None
    as_gold_reason: str
    as_predicted_reason: str
    without_reason: str
    spread: float | None
    spread_reason: str
    alpha_without: float | None
    alpha_without_reason: str
    median_iou: Estimate


@dataclass(frozen=True, slots=True)
class PersonAttention:
    """Shares of one annotator's work on Panelwise's own screen. counts: None if it is not recorded."""

    annotator: str
    counts: Attention | None = None

    @property
    def figures(self) -> int:
        """Return the number of figures that recorded what was looked at."""
        return 0 if self.counts is None else self.counts.figures

    @property
    def unchanged(self) -> Estimate:
        """Return the share of figures that were submitted as predicted."""
        return self._share(lambda counts: counts.unchanged_share, "no figure")

    @property
    def unseen(self) -> Estimate:
        """Return the share of subfigures and items that were never looked at."""
        return self._share(lambda counts: counts.unseen_share, "no subfigure or item")

    @property
    def fast(self) -> Estimate:
        """Return the share of figures that were done faster than the floor."""
        return self._share(lambda counts: counts.fast_share, "no time recorded")

    def _share(self, of: Callable[[Attention], float | None], why: str) -> Estimate:
        return Estimate(None, NOT_RECORDED) if self.counts is None else Estimate.alone(of(self.counts), why)


@dataclass(frozen=True, slots=True)
class Counts:
    """figures: submitted by anyone. shared: submitted by two or more. scored: part of a pair's score.

    subfigures: drawn in accepted annotations. left_out: gold subfigures without a score, over all pairs, by
    reason. passed: figures left out of some pair, by reason. superseded: (figure, annotator) of superseded
    annotations. unlisted: ordered pairs without a figure in common that a report of more than `MOST_LISTED`
    ordered pairs leaves out. partly_read: annotations left out because some of them could not be read.
    """

    annotations: int
    figures: int
    shared: int
    scored: int
    subfigures: int
    left_out: Mapping[LeftOut, int]
    passed: Mapping[Passed, FigureNames]
    superseded: tuple[tuple[str, str], ...]
    unlisted: int = 0
    partly_read: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Agreement among annotators. iaa: None if undefined, and `reason` says why.

    losses: difference of the IAA to 1, by cause; None if the IAA is. boxes: of each two annotators once. figures:
    every scored figure, by id. sweep: the IAA at other box match thresholds; `sweep_reason` says why there is
    none. habits: of each annotator in figures that two or more accepted. reliability: of accepting and rejecting.
    drift, other_phase: None unless requested. repeats: repeated work, if there is a second phase. newest: time of
    the last saved work, None if unknown. worst: as many figures as requested, for display. items: judgements
    besides subfigures, None without any or if not requested. acquainted: None unless an annotator had worked on
    figures of this phase in another one before, or knew others' work on them. corrected: None if the history of
    the work is unknown, as that of files. attention: of each annotator.
    """

    settings: Settings
    phase: str | None
    annotators: tuple[PersonScore, ...]
    pairs: tuple[PairScore, ...]
    iaa: float | None
    reason: str
    intervals: Intervals
    pooled: float | None
    macro: float | None
    losses: Mapping[Loss, float] | None
    boxes: Detection
    counts: Counts
    seeded: Seeded
    statuses: tuple[PairKappa, ...]
    categories: tuple[CategoryScore, ...]
    tokens: TokenAlpha
    panels: PanelAgreement
    joint: JointAgreement
    spans: SpanAlpha
    threshold: BoxThreshold
    figures: Sequence[FigureMean]
    sweep: tuple[IouPoint, ...] = ()
    sweep_reason: str = ""
    habits: tuple[Habits, ...] = ()
    reliability: tuple[Reliability, ...] = ()
    drift: Drift | None = None
    other_phase: PhaseDifference | None = None
    repeats: tuple[SelfAgreement, ...] = ()
    newest: datetime | None = None
    worst: tuple[WorstFigure, ...] = ()
    items: ItemReport | None = None
    acquainted: Acquainted | None = None
    corrected: Corrected | None = None
    attention: tuple[PersonAttention, ...] = ()

    @property
    def attentive(self) -> bool:
        """Return whether it is recorded of any annotator what was looked at."""
        return any(each.counts is not None for each in self.attention)

    @property
    def listed(self) -> bool:
        """Return whether text, page and LaTeX list each pair: nobody reads thousands."""
        return len(self.pairs) <= MOST_LISTED


def report_on(
    annotations: Iterable[Submitted],
    settings: Settings = DEFAULTS,
    *,
    phase: str | None = None,
    worst: int = 0,
    articles: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """Report the agreement among all annotators. annotations: of one phase; superseded ones, and those
    read in part, are left out and counted.

    worst: number of worst figures to return. articles: figure -> its article; intervals resample articles where
    figures share one.
    """
    holding, superseded = split_superseded(Corpus.of(annotations))
    holding, partly_read = split_partly_read(holding)
    names = [holding.annotators[place] for place in np.unique(holding.annotator).tolist()]
    every = len(names) * (len(names) - 1)
    strangers = every <= MOST_LISTED
    pairs = by_article(
        pair_scores(
            holding,
            min_iou=settings.min_iou,
            mode=settings.mode,
            common=settings.common,
            details=True,
            strangers=strangers,
        ),
        articles,
    )
    iaa, figures = mean_of_pairs(pairs), figure_means(pairs)
    found = intervals(pairs, resamples=settings.resamples, seed=settings.seed)
    merged = merge_panels(holding)
    units = panel_units(merged) if isinstance(merged, MergedPanels) else None
    panels = panel_agreement(merged, units)
    few = len(index_figures(pairs).names) <= MOST_MERGED
    by_person = _by_person(pairs)
    reason = "" if iaa is not None else why_no_iaa(names, pairs)
    return Report(
        settings=settings,
        phase=phase,
        annotators=tuple(_person(name, holding, pairs, by_person[name], panels) for name in names),
        pairs=pairs,
        iaa=iaa,
        reason=reason,
        intervals=found,
        pooled=pooled(pairs),
        macro=macro(pairs),
        losses=mean_losses(pairs),
        boxes=boxes_of_pairs(pairs),
        counts=replace(
            _counts(holding, pairs, places_of(superseded)),
            unlisted=every - len(pairs),
            partly_read=len(partly_read),
        ),
        seeded=seeded_apart(
            pairs,
            int(holding.seeded.sum()),
            len(holding),
            whole=found,
            resamples=settings.resamples,
            seed=settings.seed,
        ),
        statuses=tuple(_statuses(holding, pairs)),
        categories=category_scores(holding),
        tokens=token_alpha(merged),
        panels=panels,
        joint=joint_agreement(merged, articles, resamples=settings.resamples, seed=settings.seed),
        spans=span_alpha(merged, articles, resamples=settings.resamples, seed=settings.seed),
        threshold=box_threshold(merged),
        figures=figures,
        sweep=iaa_sweep(holding, mode=settings.mode, common=settings.common_used, strangers=strangers)
        if few
        else (),
        sweep_reason=reason if few else f"more than {MOST_MERGED} figures",
        habits=annotator_habits(merged, units, articles),
        reliability=_reliability(holding) if few else (),
        newest=_newest(holding),
        attention=tuple(map(PersonAttention, names)),
        worst=worst_figures(
            holding,
            holding,
            pairs,
            figures,
            number=worst,
            min_iou=settings.min_iou,
            mode=settings.mode,
            common=settings.common_used,
        ),
    )


def _newest(corpus: Corpus) -> datetime | None:
    """Return the time of the last saved work; a time of 1970 means unknown."""
    known = corpus.saved_at[corpus.saved_at != 0]
    return EPOCH + timedelta(microseconds=int(known.max())) if len(known) else None


def why_no_iaa(names: Sequence[str], pairs: Sequence[PairScore]) -> str:
    """Return why the annotators of these names have no IAA, in one line."""
    if not names:
        return "no annotations"
    if len(names) == 1:
        return f"one annotator only ({names[0]}); agreement needs two"
    return reasons_of(pairs) or _NOTHING_SHARED


def _by_person(pairs: Iterable[PairScore]) -> Mapping[str, tuple[list[PairScore], list[PairScore]]]:
    """Return each annotator's pairs as gold and as predicted."""
    found: dict[str, tuple[list[PairScore], list[PairScore]]] = defaultdict(lambda: ([], []))
    for pair in pairs:
        found[pair.gold][0].append(pair)
        found[pair.predicted][1].append(pair)
    return found


def _person(
    name: str,
    holding: Corpus,
    pairs: Sequence[PairScore],
    own_pairs: tuple[list[PairScore], list[PairScore]],
    panels: PanelAgreement,
) -> PersonScore:
    own = holding.annotator == holding.annotators.index(name)
    accepted = own & (holding.status == ACCEPTED)
    as_gold, as_predicted = own_pairs
    without = [pair for pair in pairs if name not in (pair.gold, pair.predicted)]
    scores, _ = agreement_by_figure([*as_gold, *as_predicted])
    scores = scores[~np.isnan(scores)]
    alpha = panels.without.get(name)
    return PersonScore(
        name=name,
        figures=int(own.sum()),
        accepted=int(accepted.sum()),
        subfigures=int(holding.panels[accepted].sum()),
        as_gold=mean_of_pairs(as_gold),
        as_predicted=mean_of_pairs(as_predicted),
        without=mean_of_pairs(without),
        as_gold_reason=_why_no_mean(as_gold),
        as_predicted_reason=_why_no_mean(as_predicted),
        without_reason=_why_no_mean(without),
        spread=float(scores.std(ddof=1)) if len(scores) > 1 else None,
        spread_reason="" if len(scores) > 1 else "no two figures with a score",
        alpha_without=alpha,
        alpha_without_reason="" if alpha is not None else panels.detection_reason or _FEW_OTHERS,
        median_iou=_median_iou(as_gold),
    )


def _median_iou(as_gold: Sequence[PairScore]) -> Estimate:
    """Return the median IoU of one's boxes with those that they match; each two annotators count once."""
    ious = [detailed(pair).detection.ious for pair in as_gold]
    matched = np.concatenate([np.zeros(0), *(each[each >= MIN_IOU] for each in ious)])
    return Estimate(float(np.median(matched))) if len(matched) else Estimate(None, _NO_MATCH)


def _why_no_mean(pairs: Sequence[PairScore]) -> str:
    """Return why the mean over these pairs is undefined; "" if it is not."""
    if any(pair.score is not None for pair in pairs):
        return ""
    return reasons_of(pairs) or "no such pair of annotators"


def _statuses(holding: Corpus, pairs: Iterable[PairScore]) -> Iterator[PairKappa]:
    """Yield each two annotators' agreement on accepting a figure; an ignored one is not judged."""
    persons = people(holding)
    for pair in pairs:
        if pair.gold > pair.predicted:
            continue
        both = np.stack(
            [holding.status[each.rows] for each in in_common(persons[pair.gold], persons[pair.predicted])]
        )
        both = both[:, (both != IGNORED).all(axis=0)].astype(np.int64)
        different, times = np.unique(both[0] * len(STATUSES) + both[1], return_counts=True)
        table = {
            divmod(verdict, len(STATUSES)): number
            for verdict, number in zip(different.tolist(), times.tolist(), strict=True)
        }
        yield pair_kappa((pair.gold, pair.predicted), table)


def _reliability(holding: Corpus) -> tuple[Reliability, ...]:
    judged: dict[int, dict[str, Hashable]] = {}
    rows = zip(holding.figure.tolist(), holding.annotator.tolist(), holding.status.tolist(), strict=True)
    for figure, annotator, status in rows:
        if status != IGNORED:
            judged.setdefault(figure, {})[holding.annotators[annotator]] = status
    return reliabilities(judged)


def _counts(holding: Corpus, pairs: Sequence[PairScore], superseded: tuple[tuple[str, str], ...]) -> Counts:
    submitted = np.bincount(holding.figure, minlength=1)
    return Counts(
        annotations=len(holding),
        figures=int((submitted > 0).sum()),
        shared=int((submitted > 1).sum()),
        scored=len(index_figures(pairs).names),
        subfigures=int(holding.panels[holding.status == ACCEPTED].sum()),
        left_out=left_out_of(pairs),
        passed=passed_of(pairs),
        superseded=superseded,
    )
