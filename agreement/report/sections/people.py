"""Pairs and annotators: scores, consistency, habits, attention, and the figures that they agree on least."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agreement.chance.annotator_habits import Habits
from agreement.models.comparison import Comparison
from agreement.pairs.figure_scores import FigureMean
from agreement.pairs.pairwise import PairScore, detailed, mean_losses
from agreement.report.blocks import Col, Columns, Format, Table, estimate, score
from agreement.report.summary import PersonAttention, PersonScore, Report
from agreement.resampling.bootstrap import Interval
from agreement.resampling.estimate import Estimate
from agreement.resampling.part_scores import PartScore
from agreement.score.detection import IOU_THRESHOLDS, Detection
from agreement.score.losses import Loss
from agreement.trends.seeding import SeededPair

#: Why values are undefined.
NOTHING_COUNTS = "no gold subfigure with a counted token"


@dataclass(frozen=True, slots=True)
class PairRow:
    """An ordered pair with its interval, and its work apart by seeding; None in a comparison."""

    pair: PairScore
    interval: Interval | None
    interval_reason: str
    apart: SeededPair | None = None

    @property
    def score(self) -> Estimate:
        """Return the score with its interval."""
        return Estimate(self.pair.score, self.pair.reason or self.interval_reason, self.interval)

    @property
    def losses(self) -> dict[Loss, float] | None:
        """Return the difference of the score to 1 by cause; None if the score is undefined."""
        return mean_losses([self.pair])

    @property
    def boxes(self) -> Detection:
        """Return the boxes of both, matched one to one."""
        return detailed(self.pair).detection

    def lost(self, cause: Loss) -> float | None:
        """Return what a cause costs; None if the score is undefined."""
        losses = self.losses
        return None if losses is None else losses.get(cause, 0.0)


def pair_rows(of: Report | Comparison) -> list[PairRow]:
    """Return the pairs of a report or comparison in their order."""
    ranges = of.intervals
    apart = of.seeded.pairs if isinstance(of, Report) else (None,) * len(of.pairs)
    return [PairRow(*each) for each in zip(of.pairs, ranges.pairs, ranges.reasons, apart, strict=True)]


def boxes_record(boxes: Detection) -> dict[str, Any]:
    """Return the scores of boxes; lists are by threshold."""
    return {
        "gold": boxes.gold,
        "predicted": boxes.other,
        "precision": [boxes.precision(threshold) for threshold in IOU_THRESHOLDS],
        "recall": [boxes.recall(threshold) for threshold in IOU_THRESHOLDS],
        "f1": [boxes.f1(threshold) for threshold in IOU_THRESHOLDS],
        "mean_f1": boxes.mean_f1(),
        "mean_iou": boxes.mean_iou(),
        "reason": why_no_boxes(boxes) or None,
    }


def why_no_boxes(boxes: Detection) -> str:
    """Return why scores of boxes are undefined; "" if none is."""
    if not boxes.gold or not boxes.other:
        return f"no {'gold' if boxes.other else 'predicted' if boxes.gold else 'gold and no predicted'} box"
    return "no two boxes match from IoU 0.5 on" if boxes.mean_iou() is None else ""


#: What each cause means, for reports and for the pages of the adjudication view.
LOSS_WORDS: Mapping[Loss, str] = {
    Loss.NO_BOX: "Only one annotator boxed this panel.",
    Loss.WRONG_BOX: "Both boxed it, but the boxes overlap too little to count as the same panel.",
    Loss.OTHER_PANEL: "Words that one annotator gives to this panel and the other to another panel.",
    Loss.BOUNDARY: "Up to three words more or less where a passage begins or ends.",
    Loss.MISSING: "Longer passages that only the gold has.",
    Loss.SURPLUS: "Longer passages that only the predicted side has.",
    Loss.REPEATED: "Tokens that a file lists twice.",
    Loss.NOTHING: "Pairs with nothing to count, which the authors' code scores 0.",
}


@dataclass(frozen=True, slots=True)
class LossRow:
    """One cause of loss. share: of the whole loss."""

    cause: Loss
    lost: float
    share: float

    @property
    def words(self) -> str:
        """Return what the cause means."""
        return LOSS_WORDS[self.cause]


LOSSES: Table[LossRow] = Table(
    (
        Col("", "cause", lambda row: row.cause.display, Format.TEXT),
        Col("", "lost", lambda row: row.lost, Format.SCORE),
        Col("", "share", lambda row: row.share, Format.PERCENT),
    )
)


def loss_rows(losses: Mapping[Loss, float] | None) -> tuple[LossRow, ...]:
    """Return the causes, largest first; causes without loss are left out."""
    whole = sum((losses or {}).values())
    found = sorted((losses or {}).items(), key=lambda each: -each[1])
    return tuple(LossRow(cause, lost, lost / whole) for cause, lost in found if lost)


def _lost(cause: Loss) -> Col[PairRow]:
    return Col("", f"lost: {cause}", lambda row: row.lost(cause), Format.DATA)


def _box_f1(threshold: float) -> Col[PairRow]:
    return Col("", f"box F1 at {threshold:.2f}", lambda row: row.boxes.f1(threshold), Format.DATA)


def _apart(head: str, part: Callable[[SeededPair], PartScore]) -> tuple[Col[PairRow], ...]:
    def of(row: PairRow) -> PartScore | None:
        return None if row.apart is None else part(row.apart)

    return (
        Col("", f"{head} score", lambda row: (own := of(row)) and own.iaa, Format.DATA),
        Col("", f"{head} figures", lambda row: (own := of(row)) and own.figures, Format.DATA),
        Col("", f"{head} reason", lambda row: (own := of(row)) and own.reason, Format.DATA),
    )


_PAIR_SHOWN = ("gold", "predicted", "score", "95 % CI", "counted", "figures")
PAIRS: Table[PairRow] = Table(
    (
        Col("gold", "gold", lambda row: row.pair.gold, Format.NAME),
        Col("predicted", "predicted", lambda row: row.pair.predicted, Format.NAME),
        estimate("score", "score", lambda row: row.score),
        Col("counted", "counted", lambda row: row.pair.counted),
        Col("left_out", "", lambda row: row.pair.left_out, Format.DATA),
        Col("figures_left_out", "", lambda row: row.pair.passed, Format.DATA),
        Col("figures", "figures", lambda row: len(row.pair.figures)),
        Col("losses", "", lambda row: row.losses, Format.DATA),
        *map(_lost, Loss),
        Col("losses_reason", "lost reason", lambda row: row.pair.reason, Format.DATA),
        Col("boxes", "", lambda row: boxes_record(row.boxes), Format.DATA),
        *map(_box_f1, IOU_THRESHOLDS),
        Col("", "mean IoU", lambda row: row.boxes.mean_iou(), Format.DATA),
        Col("", "box reason", lambda row: why_no_boxes(row.boxes), Format.DATA),
        _apart("seeded", lambda apart: apart.seeded),
        _apart("unseeded", lambda apart: apart.unseeded),
    ),
    json=("gold", "predicted", "score", "reason", "counted", "interval", "interval_reason"),
    csv=(
        *("gold", "predicted", "score", "low", "high", "reason", "counted", "figures"),
        *(f"lost: {cause}" for cause in Loss),
        *(f"box F1 at {threshold:.2f}" for threshold in IOU_THRESHOLDS),
        *("mean IoU", "seeded score", "seeded figures", "unseeded score", "unseeded figures", "interval reason"),
        *("lost reason", "box reason", "seeded reason", "unseeded reason"),
    ),
    text=_PAIR_SHOWN,
    html=("gold", "predicted", "score", "95 % CI", "drawn", "counted", "figures"),
    latex=_PAIR_SHOWN,
    title="gold",
    by_row=True,
)

_PERSON: Col[PersonScore] = Col("annotator", "annotator", lambda row: row.name, Format.NAME)
_MEANS: Columns[PersonScore] = (
    Col("figures", "figures", lambda row: row.figures),
    Col("accepted", "accepted", lambda row: row.accepted),
    Col("subfigures", "subfigures", lambda row: row.subfigures),
    score("as_gold", "as gold", lambda row: Estimate(row.as_gold, row.as_gold_reason)),
    score("as_predicted", "as predicted", lambda row: Estimate(row.as_predicted, row.as_predicted_reason)),
    score("iaa_without", "IAA without", lambda row: Estimate(row.without, row.without_reason)),
)
_CONSISTENCY: Columns[PersonScore] = (
    score("spread", "spread", lambda row: Estimate(row.spread, row.spread_reason)),
    score(
        "alpha_without",
        "alpha on panels without",
        lambda row: Estimate(row.alpha_without, row.alpha_without_reason),
        reason="alpha reason",
    ),
    score("median_iou", "median box IoU", lambda row: row.median_iou),
)
_SCORES_FIRST = ("annotator", "as_gold", "as_predicted", "iaa_without", "figures", "accepted")
#: The columns of `annotators.csv` and of JSON; shown as two tables.
ANNOTATORS: Table[PersonScore] = Table(
    (_PERSON, *_MEANS, *_CONSISTENCY),
    csv=(
        *("annotator", "figures", "accepted", "subfigures", "as gold", "as predicted", "IAA without"),
        *("as gold reason", "as predicted reason", "IAA without reason"),
    ),
    text=_SCORES_FIRST,
    html=(*_SCORES_FIRST, "subfigures"),
    latex=("annotator", "figures", "accepted", "subfigures", "as_gold", "as_predicted", "iaa_without"),
    title="annotator",
)
CONSISTENCY: Table[PersonScore] = Table((_PERSON, *_CONSISTENCY), title="consistency")


def _habit(
    key: str, head: str, value: Callable[[Habits], Estimate], *, width: int, signed: bool = False
) -> tuple[Col[Habits], ...]:
    keys = (f"{key}_reason", f"{key}_interval", "", f"{key}_interval_reason")
    heads = (f"{head} low", f"{head} high", "", f"{head} interval reason")
    return estimate(key, head, value, format=Format.INLINE, keys=keys, heads=heads, width=width, signed=signed)


_HABITS = ("annotator", "missed", "extra", "size")
HABITS: Table[Habits] = Table(
    (
        Col("annotator", "annotator", lambda row: row.annotator, Format.NAME),
        Col("panels", "panels", lambda row: row.panels),
        Col("boxes", "boxes", lambda row: row.boxes),
        _habit("missed", "missed panels", lambda row: row.missed, width=19),
        _habit("extra", "extra boxes", lambda row: row.extra, width=18),
        _habit("size", "box size", lambda row: row.size, width=21, signed=True),
    ),
    text=_HABITS,
    html=_HABITS,
    latex=_HABITS,
    title="habits",
)


def _why_no_cause(row: FigureMean) -> str:
    return NOTHING_COUNTS if row.score is None else "" if row.lost else "nothing is lost"


FIGURES: Table[FigureMean] = Table(
    (
        Col("figure_id", "figure_id", lambda row: row.figure, Format.NAME),
        Col("score", "score", lambda row: row.score, Format.SCORE),
        Col("counted", "counted", lambda row: row.counted),
        Col("lost_most_to", "lost most to", lambda row: row.lost, Format.DATA),
        Col(
            "",
            "cause",
            lambda row: row.lost.display if row.lost else "",
            Format.TEXT,
            filed=False,
            brief="lost most to",
        ),
        Col("reason", "", lambda row: NOTHING_COUNTS if row.score is None else "", Format.REASON),
        Col("", "reason", _why_no_cause, Format.DATA),
    ),
    text=("figure_id", "score", "counted", "cause"),
    title="worst figures",
)


ATTENTION: Table[PersonAttention] = Table(
    (
        Col("annotator", "annotator", lambda row: row.annotator, Format.NAME),
        score("unchanged", "unchanged", lambda row: row.unchanged),
        score("unseen", "never looked at", lambda row: row.unseen),
        score("fast", "fast", lambda row: row.fast, width=10),
        Col("figures", "figures", lambda row: row.figures),
    ),
    json=("annotator", "figures"),
    csv=("annotator", "figures", "unchanged", "never looked at", "fast"),
    title="attention",
)
