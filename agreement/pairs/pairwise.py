"""Scores of every annotator against every other, over the figures that both submitted and accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeVar

import numpy as np

from agreement.columns.corpus import Corpus, microseconds, superseding
from agreement.columns.figure_names import FigureNames
from agreement.columns.figure_names import together as union_of
from agreement.columns.panels import REASONS, Panels, joined, panels_of_corpus
from agreement.columns.people import Passed as Passed
from agreement.columns.people import Shared, meetings, moved, people, shared
from agreement.columns.raw import Submitted
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import MIN_IOU, Common, LeftOut, Mode, nothing_to_count
from agreement.primitives.token_sets import Mask, starts_of
from agreement.score.detection import Detection, together
from agreement.score.kernel import Lineup
from agreement.score.losses import CAUSES, Loss
from agreement.score.scoring import outcome
from panelwise.domain import Annotation, Status

Work = TypeVar("Work", bound=Submitted)


@dataclass(frozen=True, slots=True)
class PairDetails:
    """Details of a pair for reports; they take longer to compute than the score.

    losses: (F, len(CAUSES)) score lost by the subfigures that count, by cause; a row sums to counts - totals.
    detection: all boxes of the scored figures, matched one to one.
    """

    losses: Matrix
    detection: Detection


@dataclass(frozen=True, slots=True)
class PairScore:
    """One annotator (`predicted`) scored against another (`gold`). F: the figures scored, in order of their ids.

    totals: (F,) sum of the F1s of each figure's gold subfigures that count; counts: (F,) their number. seeded:
    (F,) whether either annotation began from a prediction; both_seeded: (F,) whether both did. left_out: gold
    subfigures without a score, by reason. passed: figures that both submitted but that are not scored, by reason.
    score: micro mean over the gold subfigures; None if undefined, and `reason` says why ("" otherwise). details:
    None unless requested. mode: the rules used. articles: figure -> its article, for intervals; figures without
    one stand alone.
    """

    gold: str
    predicted: str
    figures: FigureNames
    totals: Vector
    counts: Indices
    seeded: Mask
    both_seeded: Mask
    left_out: Mapping[LeftOut, int]
    passed: Mapping[Passed, FigureNames]
    score: float | None
    reason: str
    details: PairDetails | None = None
    mode: Mode = Mode.PAPER
    articles: Mapping[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> int:
        """Number of gold subfigures that count."""
        return int(self.counts.sum())


def pair_scores(
    annotations: Iterable[Submitted],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common | None = None,
    details: bool = False,
    strangers: bool = True,
) -> tuple[PairScore, ...]:
    """Score all ordered pairs of annotators, in order of their names.

    annotations: of one phase, at most one per figure and annotator (ValueError otherwise; see `latest`), in any
    order. common: None for the mode's default. details: compute the losses and detection too. strangers: include
    pairs that submitted no figure in common, whose score is None.
    """
    corpus = Corpus.of(annotations)
    common = Common.default(mode) if common is None else common
    found = meetings(corpus, strangers=strangers)
    panels = panels_of_corpus(corpus, mode, common)
    pairs = _pairs(panels, corpus.figures, found, min_iou, mode, details, both=True)
    names = [corpus.annotators[place] for place in np.unique(corpus.annotator).tolist()]
    return tuple(pairs[two] for two in permutations(names, 2) if two in pairs)


def compare(
    gold: Iterable[Submitted],
    predicted: Iterable[Submitted],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common | None = None,
    details: bool = False,
) -> tuple[PairScore, ...]:
    """Score each annotator of `predicted` against the one annotator of `gold`, in order of their names.

    The same name may be on both sides. Raises ValueError if `gold` has more than one annotator; without gold the
    result is empty.
    """
    ours, theirs = Corpus.of(gold), Corpus.of(predicted)
    common = Common.default(mode) if common is None else common
    table = tuple(sorted({*ours.figures, *theirs.figures}))
    golds, others = people(ours, table), people(theirs, table)
    if len(golds) > 1:
        raise ValueError(f"gold by {len(golds)} annotators; give that of one")
    found = {
        (name, other): shared(golds[name], moved(others[other], len(ours))) for name in golds for other in others
    }
    panels = joined(panels_of_corpus(ours, mode, common), panels_of_corpus(theirs, mode, common))
    return tuple(_pairs(panels, table, found, min_iou, mode, details, both=False).values())


def _place(work: Submitted) -> tuple[str, ...]:
    return (work.figure.id, work.annotator, work.phase)


def latest(
    annotations: Iterable[Work], *, place: Callable[[Work], tuple[str, ...]] = _place
) -> tuple[list[Work], list[Work]]:
    """Return current annotations and those superseded by a later one of the same place, each in their order.

    place: figure, annotator and phase by default. `superseding` defines what is later. For a corpus use
    `split_superseded`.
    """
    every = list(annotations)
    numbers: dict[tuple[str, ...], int] = {}
    places = [numbers.setdefault(place(each), len(numbers)) for each in every]
    if len(numbers) == len(every):
        return every, []
    saved = np.array([microseconds(each.saved_at) for each in every], dtype=np.int64)
    kept, replaced = superseding(np.array(places, dtype=np.int64), saved)
    return [every[number] for number in kept.tolist()], [every[number] for number in replaced.tolist()]


def mean_of_pairs(pairs: Iterable[PairScore]) -> float | None:
    """Return the IAA: the unweighted mean of the defined pairs' scores; None without any."""
    scores = [pair.score for pair in pairs if pair.score is not None]
    return sum(scores) / len(scores) if scores else None


def pooled(pairs: Sequence[PairScore]) -> float | None:
    """Return the mean over all gold subfigures that count, of all pairs; None without any."""
    counted = sum(pair.counted for pair in pairs)
    return sum(float(pair.totals.sum()) for pair in pairs) / counted if counted else None


def mean_losses(pairs: Iterable[PairScore]) -> dict[Loss, float] | None:
    """Return the difference of the IAA to 1 by cause: the unweighted mean over defined pairs; None without any.

    The values sum to 1 minus `mean_of_pairs`. `Loss.NOTHING` is a key only if it occurs.
    """
    defined = [pair for pair in pairs if pair.score is not None]
    if not defined:
        return None
    shares = [detailed(pair).losses.sum(axis=0) / pair.counted for pair in defined if pair.counted]
    return _by_cause(np.sum(shares or [np.zeros(len(CAUSES))], axis=0), len(defined) - len(shares), len(defined))


def pooled_losses(pairs: Sequence[PairScore]) -> dict[Loss, float] | None:
    """Return the difference of the pooled score to 1 by cause; None if no subfigure counts.

    If none counts and the mode scores that 0, the whole loss is `Loss.NOTHING`.
    """
    counted = sum(pair.counted for pair in pairs)
    if not counted:
        return mean_losses(pairs)
    lost: Vector = np.sum([detailed(pair).losses.sum(axis=0) for pair in pairs], axis=0)
    return _by_cause(lost, 0, counted)


def detailed(pair: PairScore) -> PairDetails:
    """Return the pair's details. Raises ValueError if they were not requested."""
    if pair.details is None:
        raise ValueError("a score without details; give details=True when scoring")
    return pair.details


def _by_cause(lost: Vector, nothing: int, of: int) -> dict[Loss, float]:
    """lost: (len(CAUSES),). nothing: number of pairs without a subfigure that counts."""
    shares = dict(zip(CAUSES, (lost / of).tolist(), strict=True))
    return {**shares, Loss.NOTHING: nothing / of} if nothing else shares


def boxes_of_pairs(pairs: Iterable[PairScore]) -> Detection:
    """Pool the box matches of all pairs of annotators, each two annotators once."""
    return together(detailed(pair).detection for pair in pairs if pair.gold < pair.predicted)


def figure_agreement(annotations: Sequence[Annotation], *, min_iou: float = MIN_IOU) -> float | None:
    """Return the agreement of one figure's annotators, in [0, 1]; the queue of disagreement is ordered by it.

    The mean over the ordered pairs of those who accepted it, as `FigureMean.score`. 0 if some accepted and others
    rejected it. 1 if all rejected it. None if fewer than two judged it (ignoring is not judging) or no subfigure
    counts. Of several annotations by one person the last saved is used. Raises ValueError for annotations of
    different figures.
    """
    judged = {each.annotator: each for each in one_figure(annotations) if each.status is not Status.IGNORED}
    statuses = {each.status for each in judged.values()}
    if len(judged) < 2:
        return None
    if len(statuses) > 1:
        return 0.0
    if statuses == {Status.REJECTED}:
        return 1.0
    return mean_of_pairs(pair_scores(judged.values(), min_iou=min_iou))


def one_figure(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Return each annotator's last annotation, in order of names. Raises ValueError for several figures."""
    figures = {annotation.figure.id for annotation in annotations}
    if len(figures) > 1:
        raise ValueError(f"annotations of {len(figures)} figures; give those of one")
    ordered = sorted(annotations, key=lambda each: (each.annotator, each.phase))
    return latest(ordered, place=lambda each: (each.annotator,))[0]


def _pairs(
    panels: Panels,
    table: tuple[str, ...],
    found: Mapping[tuple[str, str], Shared],
    min_iou: float,
    mode: Mode,
    details: bool,
    *,
    both: bool,
) -> dict[tuple[str, str], PairScore]:
    """Score these pairs of annotators, and with `both` also in the other direction."""
    every = list(found.values())
    starts = starts_of(np.array([len(each.figures) for each in every], dtype=np.int64))
    lineup = Lineup(
        _flat([each.one for each in every]),
        _flat([each.other for each in every]),
        np.repeat(np.arange(len(every)), np.diff(starts)),
        len(every),
    )
    result = outcome(panels, lineup, min_iou, both_ways=both, details=details)
    drawn = np.diff(panels.starts)
    by_pair = np.argsort(result.groups, kind="stable")
    matched = result.matched[by_pair]
    edges = np.searchsorted(result.groups[by_pair], np.arange(len(every) + 1)).tolist()
    scores = {}
    for number, ((one, other), met) in enumerate(found.items()):
        own = slice(int(starts[number]), int(starts[number + 1]))
        ious = matched[edges[number] : edges[number + 1]]
        sizes = int(drawn[met.one].sum()), int(drawn[met.other].sum())
        figures = FigureNames(table, met.figures)
        passed = {why: FigureNames(table, places) for why, places in met.passed.items()}
        for way in range(1 + both):
            gold, predicted = (other, one) if way else (one, other)
            totals, counts = result.tally.totals[way, own], result.tally.counts[way, own]
            score, reason = verdict(totals, counts, mode, passed=bool(passed))
            left_out = zip(REASONS, result.tally.left_out[way, number].tolist(), strict=True)
            more = None
            if details:
                boxes = Detection(*(sizes[::-1] if way else sizes), ious)
                more = PairDetails(result.tally.losses[way, own], boxes)
            scores[gold, predicted] = PairScore(
                gold=gold,
                predicted=predicted,
                figures=figures,
                totals=totals,
                counts=counts,
                seeded=met.seeded,
                both_seeded=met.both_seeded,
                left_out={why: many for why, many in left_out if many},
                passed=passed,
                score=score,
                reason=reason,
                details=more,
                mode=mode,
            )
    return scores


def verdict(totals: Vector, counts: Indices, mode: Mode, *, passed: bool = False) -> tuple[float | None, str]:
    """Return a pair's score and "", or None and the reason. passed: some figures are not scored."""
    counted = int(counts.sum())
    if counted:
        return float(totals.sum()) / counted, ""
    if len(totals):
        score = nothing_to_count(mode)
        return (
            score,
            "" if score is not None else "no gold subfigure with a counted token in the figures they share",
        )
    return None, "no figure that both accepted in the same version" if passed else "no figure in common"


def _flat(parts: Sequence[Indices]) -> Indices:
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def reasons_of(pairs: Sequence[PairScore]) -> str:
    """Return why no pair is defined, in one line; "" without pairs."""
    reasons = sorted({pair.reason for pair in pairs})
    return "; ".join(reasons)


def passed_of(pairs: Iterable[PairScore]) -> dict[Passed, FigureNames]:
    """Return the figures left out of some pair, by reason."""
    found: dict[Passed, list[FigureNames]] = {}
    for pair in pairs:
        for why, figures in pair.passed.items():
            found.setdefault(why, []).append(figures)
    return {why: union_of(found[why])[0] for why in Passed if why in found}


def left_out_of(pairs: Iterable[PairScore]) -> dict[LeftOut, int]:
    """Count gold subfigures without a score, over all pairs, by reason."""
    total: Counter[LeftOut] = Counter()
    for pair in pairs:
        total.update(pair.left_out)
    return {why: total[why] for why in LeftOut if total[why]}
