"""Comparisons with gold as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement.models.average_precision import AveragePrecision
from agreement.models.comparison import Comparison, Curves
from agreement.models.ranking import Difference, Ranked
from agreement.models.sweep import ConfidencePoint, ConfidenceSweep, IouPoint
from agreement.pairs.pairwise import PairScore
from agreement.report.json.ceiling import ceiling_record
from agreement.report.json.parts import (
    boxes_record,
    interval_record,
    json_text,
    losses_record,
    pair_record,
    settings_record,
)
from agreement.score.detection import IOU_THRESHOLDS


def comparison_json(comparison: Comparison) -> str:
    """Return a comparison as one JSON object, with a final newline."""
    return json_text(comparison_record(comparison))


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as plain values.

    score, counted, left_out, macro, losses, boxes: of a single compared model or person; of several, over all of
    them together, each gold subfigure as often as it is covered. left_out: number of gold subfigures without a
    score.
    """
    curves: Sequence[Curves | None] = comparison.curves or [None] * len(comparison.pairs)
    ranges = comparison.intervals
    pairs = [
        {**pair_record(pair, interval, why_not), **_curves(own)}
        for pair, interval, why_not, own in zip(
            comparison.pairs, ranges.pairs, ranges.reasons, curves, strict=True
        )
    ]
    left_out = {why.value: number for why, number in comparison.left_out.items()}
    ranking = comparison.ranking
    return {
        **settings_record(comparison.settings),
        "score": comparison.score,
        "reason": comparison.reason or None,
        "counted": comparison.counted,
        "left_out": sum(left_out.values()),
        "left_out_reasons": left_out,
        "macro": comparison.macro,
        "losses": losses_record(comparison.losses),
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **boxes_record(comparison.boxes)},
        "interval": interval_record(comparison.interval),
        "interval_reason": comparison.interval_reason or None,
        "ranking": [_ranked(row) for row in ranking.rows],
        "ranked_by": ranking.by.value,
        "common_figures": ranking.figures,
        "ranking_method": ranking.method or None,
        "differences": [_difference(each) for each in ranking.differences],
        "ceiling": ceiling_record(comparison.ceiling),
        "per_figure": [figure for pair in comparison.pairs for figure in _per_figure(pair)],
        "pairs": pairs,
        "counts": {
            "gold_figures": comparison.gold_figures,
            "gold_without_prediction": list(comparison.missing),
            "predicted_without_gold": list(comparison.surplus),
            "superseded": [{"figure_id": figure, "annotator": name} for figure, name in comparison.superseded],
        },
    }


def _ranked(row: Ranked) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "predicted": row.name,
        "score": row.score,
        "reason": row.reason or None,
        "interval": interval_record(row.interval),
        "counted": row.counted,
        "own_score": row.own_score,
        "own_counted": row.own_counted,
        "figures": row.figures,
        "gold_figures": row.of,
    }


def _difference(each: Difference) -> dict[str, Any]:
    return {
        "first": each.first,
        "second": each.second,
        "difference": each.difference,
        "reason": each.reason or None,
        "interval": interval_record(each.interval),
        "joint_interval": interval_record(each.joint),
        "flipped": each.flipped,
        "tied": each.tied,
        "figures": each.figures,
        "counted": each.counted,
    }


def _curves(curves: Curves | None) -> dict[str, Any]:
    """Return the curves; all null if other thresholds were not requested."""
    if curves is None:
        return {"sweep": None, "confidence": None, "average_precision": None}
    return {
        "sweep": _sweep(curves.iou),
        "confidence": _confidence(curves.confidence),
        "average_precision": _precision(curves.precision),
    }


def _sweep(points: Sequence[IouPoint]) -> dict[str, Any]:
    return {
        "min_iou": [point.min_iou for point in points],
        "score": [point.score for point in points],
        "counted": [point.counted for point in points],
    }


def _confidence(sweep: ConfidenceSweep) -> dict[str, Any]:
    """Return lists by threshold. best_*: chosen on this gold."""
    return {
        "reason": sweep.reason or None,
        "threshold": [point.threshold for point in sweep.points],
        "kept": [point.boxes for point in sweep.points],
        "score": [point.score for point in sweep.points],
        "precision": [point.precision for point in sweep.points],
        "recall": [point.recall for point in sweep.points],
        "f1": [point.f1 for point in sweep.points],
        "best_f1": _best(sweep.best_f1),
        "best_score": _best(sweep.best_score),
    }


def _best(point: ConfidencePoint | None) -> dict[str, Any] | None:
    if point is None:
        return None
    return {"threshold": point.threshold, "kept": point.boxes, "f1": point.f1, "score": point.score}


def _precision(found: AveragePrecision) -> dict[str, Any]:
    return {
        "ap": found.ap,
        "ap50": found.ap50,
        "ap75": found.ap75,
        "ar": found.ar,
        "reason": found.reason or None,
        "figures": found.figures,
        "gold": found.gold,
        "predicted": found.predicted,
        "gold_without_area": found.without_area,
    }


def _per_figure(pair: PairScore) -> list[dict[str, Any]]:
    """Yield an entry per scored figure; score: mean over its scored gold subfigures, null if there are none."""
    return [
        {
            "figure_id": figure,
            "predicted": pair.predicted,
            "score": total / count if count else None,
            "counted": count,
        }
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True)
    ]
