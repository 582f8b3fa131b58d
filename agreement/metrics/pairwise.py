"""Every annotator against every other, over the figures that both submitted and accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from agreement.metrics.detection import Detection, detect, together
from agreement.metrics.iou import Matrix, Vector
from agreement.metrics.losses import Loss, split_losses
from agreement.metrics.matching import Indices, ranges
from agreement.metrics.raw import Submitted, panels_of, subcaptions_of
from agreement.metrics.subfigure_f1 import (
    MIN_IOU,
    Common,
    LeftOut,
    Mode,
    Panels,
    nothing_to_count,
    prepare,
    score_panels,
)
from agreement.metrics.token_f1 import common_tokens
from annotator.domain.annotation import Annotation, Status
from annotator.domain.figure import Figure

#: (F,) bool.
Mask = NDArray[np.bool_]

Work = TypeVar("Work", bound=Submitted)


class Passed(StrEnum):
    """Why a figure that both annotators submitted is no part of their score."""

    REJECTED = "rejected or ignored by one"
    BOTH_REJECTED = "rejected or ignored by both"
    DIFFERS = "caption, tokens or image size differ"


@dataclass(frozen=True, slots=True)
class PairDetails:
    """What a report says of a pair beside its score; it takes longer than the score.

    losses: (F, len(Loss)) what the subfigures that count lost, by cause; a row sums to counts - totals. detection:
    all boxes of the figures scored against each other, one to one.
    """

    losses: Matrix
    detection: Detection


@dataclass(frozen=True, slots=True)
class PairScore:
    """One annotator (`predicted`) scored against another (`gold`). F: the figures scored, in order of their ids.

    totals: (F,) sum of the F1s of each figure's gold subfigures that count; counts: (F,) how many count.
    seeded: (F,) whether either annotation began from a prediction. left_out: gold subfigures without a score, by
    reason. passed: figures that both submitted but that are not scored, by reason. score: micro mean over the gold
    subfigures; None where undefined, and `reason` says why ("" otherwise). details: None unless asked for.
    """

    gold: str
    predicted: str
    figures: tuple[str, ...]
    totals: Vector
    counts: Indices
    seeded: Mask
    left_out: Mapping[LeftOut, int]
    passed: Mapping[Passed, tuple[str, ...]]
    score: float | None
    reason: str
    details: PairDetails | None = None

    @property
    def counted(self) -> int:
        """Gold subfigures that count."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class _Side:
    """One annotator's work, ready to be scored in either role.

    statuses: of each figure submitted. versions: which of the figure's contents (caption, tokens, size) it was
    made on. counted: ids of the tokens that count, of each accepted figure. rows: places of the accepted figures
    in the panels; starts: where each one's panels begin.
    """

    statuses: Mapping[str, Status]
    versions: Mapping[str, int]
    seeded: frozenset[str]
    counted: Mapping[str, frozenset[int]]
    rows: Mapping[str, int]
    as_gold: Panels
    as_predicted: Panels
    starts: Indices


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
    sides = _sides(annotations, _Versions(), mode, common)
    return tuple(
        _score(gold, sides[gold], predicted, sides[predicted], min_iou, mode, details)
        for gold, predicted in permutations(sorted(sides), 2)
    )


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
    versions = _Versions()
    ours = _sides(gold, versions, mode, common)
    theirs = _sides(predicted, versions, mode, common)
    if len(ours) > 1:
        raise ValueError(f"gold by {len(ours)} annotators; give that of one")
    return tuple(
        _score(name, ours[name], other, theirs[other], min_iou, mode, details)
        for name in ours
        for other in sorted(theirs)
    )


def _place(work: Submitted) -> tuple[str, ...]:
    return (work.figure.id, work.annotator, work.phase)


def latest(
    annotations: Iterable[Work], *, place: Callable[[Work], tuple[str, ...]] = _place
) -> tuple[list[Work], list[Work]]:
    """The annotations that hold, and those that a later one of the same place supersedes.

    place: default figure, annotator and phase. Later is what was saved later; of two saved at one moment, what
    comes later here.
    """
    holding: dict[tuple[str, ...], Work] = {}
    superseded = []
    for annotation in annotations:
        key = place(annotation)
        other = holding.get(key)
        if other is not None and other.saved_at > annotation.saved_at:
            superseded.append(annotation)
            continue
        if other is not None:
            superseded.append(other)
        holding[key] = annotation
    return list(holding.values()), superseded


def mean_of_pairs(pairs: Iterable[PairScore]) -> float | None:
    """IAA: the unweighted mean of the defined pairs' scores; None where no pair is defined."""
    scores = [pair.score for pair in pairs if pair.score is not None]
    return sum(scores) / len(scores) if scores else None


def pooled(pairs: Sequence[PairScore]) -> float | None:
    """Mean over all gold subfigures of all pairs that count; None where none does."""
    counted = sum(pair.counted for pair in pairs)
    return sum(float(pair.totals.sum()) for pair in pairs) / counted if counted else None


def macro(pairs: Iterable[PairScore]) -> float | None:
    """Mean over figures of a figure's mean F1 over its gold subfigures in all pairs; None where none counts."""
    totals: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for pair in pairs:
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True):
            totals[figure] += total
            counts[figure] += count
    # Summed in order of ids, so that the last bit does not hang on the order of the pairs' figures.
    means = [totals[figure] / counts[figure] for figure in sorted(counts) if counts[figure]]
    return sum(means) / len(means) if means else None


def mean_losses(pairs: Iterable[PairScore]) -> dict[Loss, float] | None:
    """What is missing to an IAA of 1, by cause: the unweighted mean over the defined pairs; None where no pair is.

    The values sum to 1 minus `mean_of_pairs`.
    """
    shares = [detailed(pair).losses.sum(axis=0) / pair.counted for pair in pairs if pair.counted]
    return _by_cause(np.mean(shares, axis=0)) if shares else None


def pooled_losses(pairs: Sequence[PairScore]) -> dict[Loss, float] | None:
    """What is missing to a pooled score of 1, by cause; None where nothing counts."""
    counted = sum(pair.counted for pair in pairs)
    lost = sum(detailed(pair).losses.sum(axis=0) for pair in pairs)
    return _by_cause(lost / counted) if counted else None


def detailed(pair: PairScore) -> PairDetails:
    """The pair's details. Raises ValueError where they were not asked for."""
    if pair.details is None:
        raise ValueError("a score without details; give details=True when scoring")
    return pair.details


def _by_cause(shares: Vector) -> dict[Loss, float]:
    return dict(zip(Loss, shares.tolist(), strict=True))


def boxes_of_pairs(pairs: Iterable[PairScore]) -> Detection:
    """The boxes of all pairs of annotators against each other, each two of them once."""
    return together(detailed(pair).detection for pair in pairs if pair.gold < pair.predicted)


def restricted(pair: PairScore, keep: Mask) -> float | None:
    """The pair's micro mean over the figures marked in keep, (F,); None where nothing counts there."""
    counted = int(pair.counts[keep].sum())
    return float(pair.totals[keep].sum()) / counted if counted else None


def figure_agreement(annotations: Sequence[Annotation], *, min_iou: float = MIN_IOU) -> float | None:
    """How far the annotators of one figure agree, in [0, 1]: what the queue of disagreement goes by.

    The mean over the ordered pairs of those who accepted it. 0 where some accepted and others rejected it: nothing
    differs more. 1 where all rejected it. None where fewer than two judged it (who ignored it did not), or where
    nothing counts in any pair. Of several annotations by one person the one saved last is taken.
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


class _Versions:
    """Numbers the different contents that figures of one id come with; one content, one number."""

    def __init__(self) -> None:
        self._known: dict[str, list[Figure]] = {}

    def number(self, figure: Figure) -> int:
        known = self._known.setdefault(figure.id, [])
        for number, other in enumerate(known):
            if figure is other or (
                (figure.width, figure.height) == (other.width, other.height) and figure.caption == other.caption
            ):
                return number
        known.append(figure)
        return len(known) - 1


def _sides(
    annotations: Iterable[Submitted], versions: _Versions, mode: Mode, common: Common | None
) -> dict[str, _Side]:
    work: dict[str, dict[str, Submitted]] = {}
    for annotation in annotations:
        own = work.setdefault(annotation.annotator, {})
        if annotation.figure.id in own:
            raise ValueError(
                f'two annotations of figure "{annotation.figure.id}" by {annotation.annotator}; '
                "give those of one phase, superseded ones left out"
            )
        own[annotation.figure.id] = annotation
    common = Common.default(mode) if common is None else common
    return {name: _side(own, versions, mode, common) for name, own in work.items()}


def _side(own: Mapping[str, Submitted], versions: _Versions, mode: Mode, common: Common) -> _Side:
    accepted = [each for each in own.values() if each.status is Status.ACCEPTED]
    panels = [panels_of(each) for each in accepted]
    counted = [each.figure.caption.counted for each in accepted]
    nothing = [frozenset[int]()] * len(accepted)
    removed = nothing
    if common is not Common.NONE:
        removed = [common_tokens(subcaptions_of(each)) for each in accepted]
    as_gold = prepare(panels, counted, removed, mode=mode, as_read=common is not Common.NONE)
    as_predicted = prepare(panels, counted, nothing, mode=mode) if common is Common.GOLD else as_gold
    return _Side(
        statuses={figure: each.status for figure, each in own.items()},
        versions={figure: versions.number(each.figure) for figure, each in own.items()},
        seeded=frozenset(figure for figure, each in own.items() if each.seeded_by is not None),
        counted={each.figure.id: tokens for each, tokens in zip(accepted, counted, strict=True)},
        rows={each.figure.id: row for row, each in enumerate(accepted)},
        as_gold=as_gold,
        as_predicted=as_predicted,
        starts=np.cumsum(as_gold.sizes) - as_gold.sizes,
    )


def _score(
    gold: str, ours: _Side, predicted: str, theirs: _Side, min_iou: float, mode: Mode, details: bool
) -> PairScore:
    passed: dict[Passed, list[str]] = {}
    figures = []
    for figure in sorted(ours.statuses.keys() & theirs.statuses.keys()):
        accepted = (ours.statuses[figure] is Status.ACCEPTED) + (theirs.statuses[figure] is Status.ACCEPTED)
        if accepted < 2:
            passed.setdefault(Passed.REJECTED if accepted else Passed.BOTH_REJECTED, []).append(figure)
        elif ours.versions[figure] != theirs.versions[figure]:
            passed.setdefault(Passed.DIFFERS, []).append(figure)
        else:
            figures.append(figure)
    golds = _chosen(ours.as_gold, ours, figures)
    others = _chosen(theirs.as_predicted, theirs, figures)
    scores = score_panels(golds, others, min_iou=min_iou)
    counts = ~np.isnan(scores.f1)
    owners = np.repeat(np.arange(len(figures)), golds.sizes)
    totals: Vector = np.bincount(owners, weights=np.where(counts, scores.f1, 0.0), minlength=len(figures)).astype(
        np.float64
    )
    per_figure = np.bincount(owners[counts], minlength=len(figures))
    counted = int(per_figure.sum())
    score: float | None
    if counted:
        score, reason = float(totals.sum()) / counted, ""
    elif figures:
        score = nothing_to_count(mode)
        reason = "" if score is not None else "no gold subfigure with a counted token in the figures they share"
    elif passed:
        score, reason = None, "no figure that both accepted in the same version"
    else:
        score, reason = None, "no figure in common"
    return PairScore(
        gold=gold,
        predicted=predicted,
        figures=tuple(figures),
        totals=totals,
        counts=per_figure.astype(np.int64),
        seeded=np.array([figure in ours.seeded or figure in theirs.seeded for figure in figures], dtype=np.bool_),
        left_out=Counter(why for why in scores.left_out if why is not None),
        passed={why: tuple(names) for why, names in passed.items()},
        score=score,
        reason=reason,
        details=PairDetails(
            losses=split_losses(golds, others, scores, [ours.counted[figure] for figure in figures]),
            detection=detect(golds.boxes, golds.sizes, others.boxes, others.sizes),
        )
        if details
        else None,
    )


def _chosen(panels: Panels, side: _Side, figures: Sequence[str]) -> Panels:
    """The panels of these figures, in this order."""
    rows = np.array([side.rows[figure] for figure in figures], dtype=np.int64)
    places = ranges(side.starts[rows], panels.sizes[rows])
    order = places.tolist()
    return Panels(
        panels.boxes[places],
        panels.sizes[rows],
        [panels.tokens[place] for place in order],
        [panels.left_out[place] for place in order],
        [panels.zero_if_missed[place] for place in order],
    )
