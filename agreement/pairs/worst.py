"""The figures with the lowest agreement, with both sides' panels for display."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.columns.corpus import Corpus
from agreement.columns.panels import REASONS
from agreement.columns.raw import Submitted
from agreement.pairs.figure_scores import FigureMean, worst_first
from agreement.pairs.pairwise import PairScore
from agreement.primitives.matching import best_matches
from agreement.primitives.rules import Common, LeftOut, Mode
from agreement.score.losses import CAUSES, Loss
from agreement.score.matched_panels import match_panels
from panelwise.domain import Annotation, Figure, Panel

#: Default number of worst figures.
WORST = 20


@dataclass(frozen=True, slots=True)
class PanelOutcome:
    """The result of one gold subfigure.

    nearest: index of the other side's box with the largest IoU, None without overlap. iou: that IoU. answers:
    whether it reaches the threshold. f1: None if the subfigure does not count, and `left_out` says why. lost:
    difference to 1 by cause; causes without cost are absent.
    """

    nearest: int | None
    iou: float
    answers: bool
    f1: float | None
    left_out: LeftOut | None
    lost: Mapping[Loss, float]


@dataclass(frozen=True, slots=True)
class WorstFigure:
    """A figure with the ordered pair that scored lowest on it.

    mean: over all pairs; alone: whether that is this pair only. score: of this pair, over the gold subfigures that
    count. drawn: the gold's panels, and answers: the other side's, each as stored. outcomes: one per panel of the
    gold.
    """

    mean: FigureMean
    figure: Figure
    gold: str
    predicted: str
    alone: bool
    score: float
    drawn: tuple[Panel, ...]
    answers: tuple[Panel, ...]
    outcomes: tuple[PanelOutcome, ...]


def worst_figures(
    gold: Iterable[Submitted],
    predicted: Iterable[Submitted],
    pairs: Sequence[PairScore],
    figures: Iterable[FigureMean],
    *,
    number: int = WORST,
    min_iou: float,
    mode: Mode,
    common: Common,
) -> tuple[WorstFigure, ...]:
    """Return at most `number` of `figures` below perfect agreement, worst first.

    gold, predicted: the work that `pairs` were scored from, at most one per annotator and figure; the same for
    both if annotators are scored against each other. Of several pairs with one score the first is shown.
    """
    means = worst_first(figures)[:number]
    wanted = {each.figure for each in means}
    if not wanted:
        return ()
    lowest = _lowest(pairs, wanted)
    ours = _on(gold, wanted)
    theirs = ours if predicted is gold else _on(predicted, wanted)
    found = []
    for mean in means:
        score, pair, number_of_pairs = lowest[mean.figure]
        one, other = ours[mean.figure, pair.gold], theirs[mean.figure, pair.predicted]
        found.append(
            WorstFigure(
                mean=mean,
                figure=one.figure,
                gold=pair.gold,
                predicted=pair.predicted,
                alone=number_of_pairs == 1,
                score=score,
                drawn=_drawn(one),
                answers=_drawn(other),
                outcomes=outcomes(one, other, min_iou=min_iou, mode=mode, common=common),
            )
        )
    return tuple(found)


def outcomes(
    gold: Submitted, other: Submitted, *, min_iou: float, mode: Mode, common: Common
) -> tuple[PanelOutcome, ...]:
    """Return the result of each of the gold's panels of one figure, in stored order."""
    sides = match_panels([gold], [other], mode=mode, common=common)
    scores = sides.scores(min_iou)
    nearest, _ = best_matches(
        sides.meeting.found.one, sides.meeting.found.other, sides.meeting.found.iou, sides.golds
    )
    found = []
    for place, lost in enumerate(sides.losses(scores).tolist()):
        near, counts = int(nearest[place]), bool(scores.counted[place])
        why = int(sides.panels.left_out[scores.golds[place]])
        found.append(
            PanelOutcome(
                nearest=near if near >= 0 else None,
                iou=float(scores.iou[place]),
                answers=bool(scores.matches[place] >= 0),
                f1=float(scores.f1[place]) if counts else None,
                left_out=None if counts else REASONS[why],
                lost={cause: share for cause, share in zip(CAUSES, lost, strict=True) if share},
            )
        )
    return tuple(found)


def _on(work: Iterable[Submitted], wanted: set[str]) -> dict[tuple[str, str], Submitted]:
    """Map (figure, annotator) to the work on these figures; of a corpus no other row is read."""
    if isinstance(work, Corpus):
        chosen = np.array([name in wanted for name in work.figures], dtype=np.bool_)
        rows: Iterable[Submitted] = (work.rows[place] for place in np.flatnonzero(chosen[work.figure]).tolist())
    else:
        rows = (each for each in work if each.figure.id in wanted)
    return {(each.figure.id, each.annotator): each for each in rows}


def _lowest(pairs: Iterable[PairScore], wanted: set[str]) -> dict[str, tuple[float, PairScore, int]]:
    """Return each wanted figure's lowest score, the first pair with it, and how many pairs scored the figure."""
    lowest: dict[str, tuple[float, PairScore, int]] = {}
    for pair in pairs:
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True):
            if figure not in wanted or not count:
                continue
            score, best, number = lowest.get(figure, (math.inf, pair, 0))
            lowest[figure] = (*min((score, best), (total / count, pair), key=lambda each: each[0]), number + 1)
    return lowest


def _drawn(work: Submitted) -> tuple[Panel, ...]:
    if isinstance(work, Annotation):
        return tuple(Panel(part.box.corners, part.subcaption, part.label) for part in work.subfigures)
    return tuple(replace(panel, tokens=frozenset(panel.tokens)) for panel in work.subfigures)
