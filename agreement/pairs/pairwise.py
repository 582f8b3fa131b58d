"""Every annotator against every other, over the figures that both submitted and accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TypeVar

import numpy as np

from agreement.columns.corpus import Corpus, microseconds, superseding
from agreement.columns.figure_names import FigureNames
from agreement.columns.panels import REASONS, Panels, joined
from agreement.columns.people import Passed as Passed
from agreement.columns.people import Shared, moved, people, shared
from agreement.columns.raw import Submitted
from agreement.primitives.iou import Matrix, Vector
from agreement.primitives.matching import Indices
from agreement.primitives.rules import MIN_IOU, Common, LeftOut, Mode, nothing_to_count
from agreement.primitives.token_sets import Mask, starts_of
from agreement.score.compiled import Loops, loops_for
from agreement.score.detection import Detection, together
from agreement.score.kernel import Lineup
from agreement.score.losses import CAUSES, Loss
from agreement.score.scoring import outcome, ready
from panelwise.domain.annotation import Annotation, Status

Work = TypeVar("Work", bound=Submitted)


@dataclass(frozen=True, slots=True)
class PairDetails:
    """What a report says of a pair beside its score; it takes longer than the score.

    losses: (F, len(CAUSES)) what the subfigures that count lost, by cause; a row sums to counts - totals.
    detection: all boxes of the figures scored against each other, one to one.
    """

    losses: Matrix
    detection: Detection


@dataclass(frozen=True, slots=True)
class PairScore:
    """One annotator (`predicted`) scored against another (`gold`). F: the figures scored, in order of their ids.

    totals: (F,) sum of the F1s of each figure's gold subfigures that count; counts: (F,) how many count.
    seeded: (F,) whether either annotation began from a prediction. left_out: gold subfigures without a score, by
    reason. passed: figures that both submitted but that are not scored, by reason. score: micro mean over the gold
    subfigures; None where undefined, and `reason` says why ("" otherwise). details: None unless asked for. mode:
    the rules that it was scored by.
    """

    gold: str
    predicted: str
    figures: FigureNames
    totals: Vector
    counts: Indices
    seeded: Mask
    left_out: Mapping[LeftOut, int]
    passed: Mapping[Passed, FigureNames]
    score: float | None
    reason: str
    details: PairDetails | None = None
    mode: Mode = Mode.PAPER

    @property
    def counted(self) -> int:
        """Gold subfigures that count."""
        return int(self.counts.sum())


def pair_scores(
    annotations: Iterable[Submitted],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common | None = None,
    details: bool = False,
) -> tuple[PairScore, ...]:
    """Scores of all ordered pairs of annotators, in order of their names.

    annotations: of one phase, at most one per figure and annotator (ValueError otherwise; see `latest`). Their
    order does not matter. common: None takes the mode's default. details: whether to look into what was lost.
    """
    corpus = Corpus.of(annotations)
    common = Common.default(mode) if common is None else common
    persons = people(corpus)
    found = {two: shared(persons[two[0]], persons[two[1]]) for two in combinations(persons, 2)}
    loops = loops_for(len(corpus))
    panels = ready(corpus, mode, common, loops)
    pairs = _pairs(panels, corpus.figures, found, min_iou, mode, details, loops, both=True)
    return tuple(pairs[two] for two in permutations(persons, 2))


def compare(
    gold: Iterable[Submitted],
    predicted: Iterable[Submitted],
    *,
    min_iou: float = MIN_IOU,
    mode: Mode = Mode.PAPER,
    common: Common | None = None,
    details: bool = False,
) -> tuple[PairScore, ...]:
    """Each annotator of `predicted` against the one annotator of `gold`, in order of their names.

    The same name on both sides stands for two pieces of work. Raises ValueError where `gold` has more than one
    annotator; of no gold there are no scores.
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
    loops = loops_for(len(ours) + len(theirs))
    panels = joined(ready(ours, mode, common, loops), ready(theirs, mode, common, loops))
    return tuple(_pairs(panels, table, found, min_iou, mode, details, loops, both=False).values())


def _place(work: Submitted) -> tuple[str, ...]:
    return (work.figure.id, work.annotator, work.phase)


def latest(
    annotations: Iterable[Work], *, place: Callable[[Work], tuple[str, ...]] = _place
) -> tuple[list[Work], list[Work]]:
    """The annotations that hold, and those that a later one of the same place supersedes, each in their order.

    place: default figure, annotator and phase. What is later `superseding` says. Of a corpus: `split_superseded`.
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
    """IAA: the unweighted mean of the defined pairs' scores; None where no pair is defined."""
    scores = [pair.score for pair in pairs if pair.score is not None]
    return sum(scores) / len(scores) if scores else None


def pooled(pairs: Sequence[PairScore]) -> float | None:
    """Mean over all gold subfigures of all pairs that count; None where none does."""
    counted = sum(pair.counted for pair in pairs)
    return sum(float(pair.totals.sum()) for pair in pairs) / counted if counted else None


def mean_losses(pairs: Iterable[PairScore]) -> dict[Loss, float] | None:
    """What is missing to an IAA of 1, by cause: the unweighted mean over the defined pairs; None where no pair is.

    The values sum to 1 minus `mean_of_pairs`. `Loss.NOTHING` is a key only where it is met.
    """
    defined = [pair for pair in pairs if pair.score is not None]
    if not defined:
        return None
    shares = [detailed(pair).losses.sum(axis=0) / pair.counted for pair in defined if pair.counted]
    return _by_cause(np.sum(shares or [np.zeros(len(CAUSES))], axis=0), len(defined) - len(shares), len(defined))


def pooled_losses(pairs: Sequence[PairScore]) -> dict[Loss, float] | None:
    """What is missing to a pooled score of 1, by cause; None where nothing counts.

    Where nothing counts and that scores 0, all is `Loss.NOTHING`.
    """
    counted = sum(pair.counted for pair in pairs)
    if not counted:
        return mean_losses(pairs)
    lost: Vector = np.sum([detailed(pair).losses.sum(axis=0) for pair in pairs], axis=0)
    return _by_cause(lost, 0, counted)


def detailed(pair: PairScore) -> PairDetails:
    """The pair's details. Raises ValueError where they were not asked for."""
    if pair.details is None:
        raise ValueError("a score without details; give details=True when scoring")
    return pair.details


def _by_cause(lost: Vector, nothing: int, of: int) -> dict[Loss, float]:
    """lost: (len(CAUSES),). nothing: pairs with nothing to count."""
    shares = dict(zip(CAUSES, (lost / of).tolist(), strict=True))
    return {**shares, Loss.NOTHING: nothing / of} if nothing else shares


def boxes_of_pairs(pairs: Iterable[PairScore]) -> Detection:
    """The boxes of all pairs of annotators against each other, each two of them once."""
    return together(detailed(pair).detection for pair in pairs if pair.gold < pair.predicted)


def figure_agreement(annotations: Sequence[Annotation], *, min_iou: float = MIN_IOU) -> float | None:
    """How far the annotators of one figure agree, in [0, 1]: what the queue of disagreement goes by.

    The mean over the ordered pairs of those who accepted it, as `FigureMean.score`. 0 where some accepted and
    others rejected it: nothing differs more. 1 where all rejected it. None where fewer than two judged it (who
    ignored it did not), or where nothing counts in any pair. Of several annotations by one person the last saved
    is used.
    Raises ValueError for annotations of different figures.
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
    """Each annotator's last annotation, in order of names. Raises ValueError where they are of several figures."""
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
    loops: Loops | None,
    *,
    both: bool,
) -> dict[tuple[str, str], PairScore]:
    """The scores of these pairs of people, and with `both` of the same turned round."""
    every = list(found.values())
    starts = starts_of(np.array([len(each.figures) for each in every], dtype=np.int64))
    lineup = Lineup(
        _flat([each.one for each in every]),
        _flat([each.other for each in every]),
        np.repeat(np.arange(len(every)), np.diff(starts)),
        len(every),
    )
    result = outcome(panels, lineup, min_iou, both_ways=both, details=details, loops=loops)
    drawn = np.diff(panels.starts)
    scores = {}
    for number, ((one, other), met) in enumerate(found.items()):
        own = slice(int(starts[number]), int(starts[number + 1]))
        ious = result.matched[result.groups == number]
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
                left_out={why: many for why, many in left_out if many},
                passed=passed,
                score=score,
                reason=reason,
                details=more,
                mode=mode,
            )
    return scores


def verdict(totals: Vector, counts: Indices, mode: Mode, *, passed: bool = False) -> tuple[float | None, str]:
    """A pair's score and "", or None and why. passed: whether there are figures that are not scored."""
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
    """Why no pair is defined, in one line; "" where there is no pair."""
    reasons = sorted({pair.reason for pair in pairs})
    return "; ".join(reasons)


def left_out_of(pairs: Iterable[PairScore]) -> dict[LeftOut, int]:
    """Gold subfigures without a score, all pairs together, by reason."""
    total: Counter[LeftOut] = Counter()
    for pair in pairs:
        total.update(pair.left_out)
    return {why: total[why] for why in LeftOut if total[why]}
