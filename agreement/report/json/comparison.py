"""Comparisons with gold as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement.models.comparison import Comparison, Curves
from agreement.models.sweep import ConfidenceSweep
from agreement.pairs.pairwise import PairScore
from agreement.report.blocks import plain
from agreement.report.json.report import json_text, sweep_record
from agreement.report.sections.headline import SETTINGS, superseded_records
from agreement.report.sections.models import (
    DIFFERENCES,
    POINTS,
    RANKING,
    best_record,
    ceiling_record,
    precision_record,
)
from agreement.report.sections.people import PAIRS, boxes_record, pair_rows
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
    ranking = comparison.ranking
    return {
        **SETTINGS.record(comparison.settings),
        "score": comparison.score,
        "reason": plain(comparison.reason),
        "counted": comparison.counted,
        "left_out": sum(comparison.left_out.values()),
        "left_out_reasons": plain(comparison.left_out),
        "macro": comparison.macro,
        "losses": plain(comparison.losses),
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **boxes_record(comparison.boxes)},
        "interval": plain(comparison.interval),
        "interval_reason": plain(comparison.interval_reason),
        "interval_unit": comparison.intervals.unit,
        "ranking": RANKING.records(ranking.rows),
        "ranked_by": ranking.by.value,
        "common_figures": ranking.figures,
        "ranking_method": plain(ranking.method),
        "ranking_unit": ranking.unit,
        "differences": DIFFERENCES.records(ranking.differences),
        "ceiling": ceiling_record(comparison.ceiling),
        "per_figure": [figure for pair in comparison.pairs for figure in _per_figure(pair)],
        "pairs": [
            {**PAIRS.record(row), **_curves(own)} for row, own in zip(pair_rows(comparison), curves, strict=True)
        ],
        "counts": {
            "gold_figures": comparison.gold_figures,
            "gold_without_prediction": list(comparison.missing),
            "predicted_without_gold": list(comparison.surplus),
            "superseded": superseded_records(comparison.superseded),
        },
    }


def _curves(curves: Curves | None) -> dict[str, Any]:
    """Return the curves; all null if other thresholds were not requested."""
    if curves is None:
        return {"sweep": None, "confidence": None, "average_precision": None}
    return {
        "sweep": sweep_record(curves.iou),
        "confidence": _confidence(curves.confidence),
        "average_precision": precision_record(curves.precision),
    }


def _confidence(sweep: ConfidenceSweep) -> dict[str, Any]:
    """Return lists by threshold. best_*: chosen on this gold."""
    points = POINTS.records(sweep.points)
    return {
        "reason": plain(sweep.reason),
        **{
            key: [point[key] for point in points]
            for key in ("threshold", "kept", "score", "precision", "recall", "f1")
        },
        "best_f1": best_record(sweep.best_f1),
        "best_score": best_record(sweep.best_score),
    }


def _per_figure(pair: PairScore) -> list[dict[str, Any]]:
    """Return an entry per scored figure; score: mean over its scored gold subfigures, null if there are none."""
    return [
        {
            "figure_id": figure,
            "predicted": pair.predicted,
            "score": total / count if count else None,
            "counted": count,
        }
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True)
    ]
