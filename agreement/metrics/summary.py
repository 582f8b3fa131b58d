"""All that a report on agreement says, as values: nothing here is rounded or printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from agreement.metrics.bootstrap import Interval, Intervals, intervals
from agreement.metrics.categorical import cohen_kappa, observed_agreement
from agreement.metrics.categories import CategoryScore, TokenAlpha, category_scores, token_alpha
from agreement.metrics.detection import Detection, together
from agreement.metrics.figure_scores import FigureMean, figure_means
from agreement.metrics.losses import Loss
from agreement.metrics.pairwise import (
    PairScore,
    Passed,
    boxes_of_pairs,
    compare,
    detailed,
    latest,
    macro,
    mean_losses,
    mean_of_pairs,
    pair_scores,
    pooled,
    pooled_losses,
    restricted,
)
from agreement.metrics.raw import Submitted
from agreement.metrics.subfigure_f1 import MIN_IOU, Common, LeftOut, Mode
from annotator.domain.annotation import Status


@dataclass(frozen=True, slots=True)
class Settings:
    """What a score was made with. common: None takes the mode's default."""

    mode: Mode = Mode.PAPER
    common: Common | None = None
    min_iou: float = MIN_IOU
    resamples: int = 10_000
    seed: int = 0

    @property
    def common_used(self) -> Common:
        """The set of common tokens that was taken away."""
        return Common.default(self.mode) if self.common is None else self.common


#: The metric as the paper tells it, with the interval that an expert expects.
DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class PersonScore:
    """One annotator's means. as_gold: the unweighted mean of the pairs with their work as gold; as_predicted: with
    it as the other side. without: the IAA of the rest. Each None where undefined.
    """

    name: str
    figures: int
    accepted: int
    subfigures: int
    as_gold: float | None
    as_predicted: float | None
    without: float | None


@dataclass(frozen=True, slots=True)
class StatusScore:
    """Whether two annotators accept and reject alike. observed: share; kappa: Cohen's; None where undefined.

    figures: those that both judged (ignored ones were not). reason: why kappa is None, "" where it is not.
    """

    annotators: tuple[str, str]
    figures: int
    observed: float | None
    kappa: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Seeded:
    """Work that began from a prediction, which inflates agreement.

    annotations, of: how many of how many began from one. figures, unseeded_figures: scored figures with at least
    one such annotation, and those with none. iaa, unseeded_iaa: over these figures alone.
    """

    annotations: int
    of: int
    figures: int
    unseeded_figures: int
    iaa: float | None
    unseeded_iaa: float | None


@dataclass(frozen=True, slots=True)
class Counts:
    """figures: submitted by anyone. shared: submitted by two or more. scored: part of a pair's score.

    subfigures: drawn in accepted annotations. left_out: gold subfigures without a score, all pairs together, by
    reason. passed: figures left out of some pair, by reason. superseded: (figure, annotator) of replaced ones.
    """

    annotations: int
    figures: int
    shared: int
    scored: int
    subfigures: int
    left_out: Mapping[LeftOut, int]
    passed: Mapping[Passed, tuple[str, ...]]
    superseded: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Agreement among annotators. iaa: None where undefined, and `reason` says why.

    losses: what is missing to an IAA of 1, by cause; None where the IAA is. boxes: of each two annotators once.
    figures: every figure that was scored, by id.
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
    statuses: tuple[StatusScore, ...]
    categories: tuple[CategoryScore, ...]
    tokens: TokenAlpha
    figures: tuple[FigureMean, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Annotators or models against one gold.

    score: micro mean over all gold subfigures that count, of all of them; None where undefined, `reason` says why.
    losses: what is missing to a score of 1, by cause. missing: gold figures that nobody in `pairs` submitted.
    surplus: submitted figures of which there is no gold.
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

    @property
    def counted(self) -> int:
        """Gold subfigures that count, over all pairs."""
        return sum(pair.counted for pair in self.pairs)

    @property
    def boxes(self) -> Detection:
        """The boxes of all pairs, one to one with the gold's."""
        return together(detailed(pair).detection for pair in self.pairs)

    @property
    def left_out(self) -> Mapping[LeftOut, int]:
        """Gold subfigures without a score, over all pairs, by reason."""
        return _left_out(self.pairs)

    @property
    def interval(self) -> Interval | None:
        """The 95% interval of the score; None where several are compared: see each pair's then."""
        return self.intervals.iaa if len(self.pairs) == 1 else None

    @property
    def interval_reason(self) -> str:
        """Why there is no interval; "" where there is one."""
        return self.intervals.reason if len(self.pairs) < 2 else "several are compared; see the interval of each"


def report_on(
    annotations: Iterable[Submitted], settings: Settings = DEFAULTS, *, phase: str | None = None
) -> Report:
    """Agreement among all annotators. annotations: of one phase; superseded ones are left out and counted."""
    holding, superseded = latest(annotations)
    pairs = pair_scores(
        holding, min_iou=settings.min_iou, mode=settings.mode, common=settings.common, details=True
    )
    iaa = mean_of_pairs(pairs)
    names = sorted({each.annotator for each in holding})
    return Report(
        settings=settings,
        phase=phase,
        annotators=tuple(_person(name, holding, pairs) for name in names),
        pairs=pairs,
        iaa=iaa,
        reason="" if iaa is not None else _why_no_iaa(names, pairs),
        intervals=intervals(pairs, resamples=settings.resamples, seed=settings.seed),
        pooled=pooled(pairs),
        macro=macro(pairs),
        losses=mean_losses(pairs),
        boxes=boxes_of_pairs(pairs),
        counts=_counts(holding, pairs, _names(superseded)),
        seeded=_seeded(holding, pairs),
        statuses=tuple(_status(one, other, holding) for one, other in combinations(names, 2)),
        categories=category_scores(holding),
        tokens=token_alpha(holding),
        figures=figure_means(pairs),
    )


def comparison(
    gold: Iterable[Submitted],
    predicted: Iterable[Submitted],
    settings: Settings = DEFAULTS,
) -> Comparison:
    """`predicted` against `gold`, which one annotator made; superseded annotations are left out on both sides.

    Raises ValueError where `gold` has several annotators.
    """
    (ours, replaced), (theirs, also_replaced) = latest(gold), latest(predicted)
    pairs = compare(
        ours, theirs, min_iou=settings.min_iou, mode=settings.mode, common=settings.common, details=True
    )
    known, submitted = {each.figure.id for each in ours}, {each.figure.id for each in theirs}
    score = pooled(pairs)
    if score is None:
        # Nothing counts anywhere: the authors' code calls that 0, the paper leaves it undefined.
        score = mean_of_pairs(pairs)
    reason = "" if score is not None else _why(pairs) or ("no gold" if not ours else "nothing to compare with it")
    return Comparison(
        settings=settings,
        pairs=pairs,
        score=score,
        reason=reason,
        macro=macro(pairs),
        losses=pooled_losses(pairs),
        intervals=intervals(pairs, resamples=settings.resamples, seed=settings.seed),
        gold_figures=len(known),
        superseded=_names(replaced + also_replaced),
        missing=tuple(sorted(known - submitted)),
        surplus=tuple(sorted(submitted - known)),
    )


def _names(annotations: Iterable[Submitted]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((each.figure.id, each.annotator) for each in annotations))


def _why(pairs: Sequence[PairScore]) -> str:
    """Why no pair is defined, in one line; "" where there is no pair."""
    reasons = sorted({pair.reason for pair in pairs})
    return "; ".join(reasons)


def _why_no_iaa(names: Sequence[str], pairs: Sequence[PairScore]) -> str:
    if not names:
        return "no annotations"
    if len(names) == 1:
        return f"one annotator only ({names[0]}); agreement needs two"
    return _why(pairs)


def _person(name: str, holding: Iterable[Submitted], pairs: Sequence[PairScore]) -> PersonScore:
    own = [each for each in holding if each.annotator == name]
    accepted = [each for each in own if each.status is Status.ACCEPTED]
    return PersonScore(
        name=name,
        figures=len(own),
        accepted=len(accepted),
        subfigures=sum(len(each.subfigures) for each in accepted),
        as_gold=mean_of_pairs(pair for pair in pairs if pair.gold == name),
        as_predicted=mean_of_pairs(pair for pair in pairs if pair.predicted == name),
        without=mean_of_pairs(pair for pair in pairs if name not in (pair.gold, pair.predicted)),
    )


def _status(one: str, other: str, holding: Iterable[Submitted]) -> StatusScore:
    judged: dict[str, dict[str, Status]] = {one: {}, other: {}}
    for each in holding:
        if each.annotator in judged and each.status is not Status.IGNORED:
            judged[each.annotator][each.figure.id] = each.status
    figures = sorted(judged[one].keys() & judged[other].keys())
    ours, theirs = ([judged[name][figure] for figure in figures] for name in (one, other))
    kappa = cohen_kappa(ours, theirs)
    reason = "" if kappa is not None else "both gave one verdict throughout" if figures else "no figure in common"
    return StatusScore((one, other), len(figures), observed_agreement(ours, theirs), kappa, reason)


def _counts(
    holding: Sequence[Submitted], pairs: Sequence[PairScore], superseded: tuple[tuple[str, str], ...]
) -> Counts:
    submitted = Counter(each.figure.id for each in holding)
    passed: dict[Passed, set[str]] = {}
    for pair in pairs:
        for why, figures in pair.passed.items():
            passed.setdefault(why, set()).update(figures)
    return Counts(
        annotations=len(holding),
        figures=len(submitted),
        shared=sum(number > 1 for number in submitted.values()),
        scored=len({figure for pair in pairs for figure in pair.figures}),
        subfigures=sum(len(each.subfigures) for each in holding if each.status is Status.ACCEPTED),
        left_out=_left_out(pairs),
        passed={why: tuple(sorted(passed[why])) for why in Passed if why in passed},
        superseded=superseded,
    )


def _left_out(pairs: Iterable[PairScore]) -> dict[LeftOut, int]:
    total: Counter[LeftOut] = Counter()
    for pair in pairs:
        total.update(pair.left_out)
    return {why: total[why] for why in LeftOut if total[why]}


def _seeded(holding: Sequence[Submitted], pairs: Sequence[PairScore]) -> Seeded:
    seeded = {figure for pair in pairs for figure, mark in zip(pair.figures, pair.seeded, strict=True) if mark}
    scored = {figure for pair in pairs for figure in pair.figures}
    return Seeded(
        annotations=sum(each.seeded_by is not None for each in holding),
        of=len(holding),
        figures=len(seeded),
        unseeded_figures=len(scored - seeded),
        iaa=_mean([restricted(pair, pair.seeded) for pair in pairs]),
        unseeded_iaa=_mean([restricted(pair, ~pair.seeded) for pair in pairs]),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None
