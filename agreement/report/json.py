"""Reports as JSON: numbers unrounded, null with its reason. The keys stay; scripts rely on them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agreement.metrics.bootstrap import Interval
from agreement.metrics.detection import IOU_THRESHOLDS, Detection
from agreement.metrics.losses import Loss
from agreement.metrics.pairwise import PairScore, detailed, mean_losses
from agreement.metrics.summary import Comparison, Report, Settings


def report_json(report: Report) -> str:
    """A report as one JSON object, ending in a newline."""
    return _text(report_record(report))


def comparison_json(comparison: Comparison) -> str:
    """A comparison as one JSON object, ending in a newline."""
    return _text(comparison_record(comparison))


def report_record(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    counts, seeded, ranges = report.counts, report.seeded, report.intervals
    return {
        **_settings(report.settings),
        "phase": report.phase,
        "iaa": report.iaa,
        "reason": report.reason or None,
        "interval": _interval(ranges.iaa),
        "interval_method": ranges.method or None,
        "interval_reason": ranges.reason or None,
        "pooled": report.pooled,
        "macro": report.macro,
        "losses": _losses(report.losses),
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **_boxes(report.boxes)},
        "pairs": [_pair(*each) for each in zip(report.pairs, ranges.pairs, strict=True)],
        "annotators": [
            {
                "annotator": person.name,
                "figures": person.figures,
                "accepted": person.accepted,
                "subfigures": person.subfigures,
                "as_gold": person.as_gold,
                "as_predicted": person.as_predicted,
                "iaa_without": person.without,
            }
            for person in report.annotators
        ],
        "counts": {
            "annotations": counts.annotations,
            "figures": counts.figures,
            "figures_shared": counts.shared,
            "figures_scored": counts.scored,
            "subfigures": counts.subfigures,
            "left_out": {why.value: number for why, number in counts.left_out.items()},
            "figures_left_out": {why.value: list(figures) for why, figures in counts.passed.items()},
            "superseded": [{"figure_id": figure, "annotator": name} for figure, name in counts.superseded],
        },
        "seeded": {
            "annotations": seeded.annotations,
            "of": seeded.of,
            "figures": seeded.figures,
            "figures_unseeded": seeded.unseeded_figures,
            "iaa": seeded.iaa,
            "iaa_unseeded": seeded.unseeded_iaa,
        },
        "status": [
            {
                "annotators": list(each.annotators),
                "figures": each.figures,
                "observed": each.observed,
                "kappa": each.kappa,
                "reason": each.reason or None,
            }
            for each in report.statuses
        ],
        "categories": [
            {
                "name": each.name,
                "units": each.units,
                "observed": each.observed,
                "fleiss_kappa": each.fleiss,
                "gwet_ac1": each.ac1,
                "alpha": each.alpha,
                "reason": each.reason or None,
            }
            for each in report.categories
        ],
        "figures": [
            {
                "figure_id": each.figure,
                "score": each.score,
                "counted": each.counted,
                "lost_most_to": None if each.lost is None else each.lost.value,
            }
            for each in report.figures
        ],
        "token_alpha": {
            "nominal": report.tokens.nominal,
            "masi": report.tokens.masi,
            "figures": report.tokens.figures,
            "tokens": report.tokens.tokens,
            "reason": report.tokens.reason or None,
        },
    }


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values. left_out: how many gold subfigures have no score."""
    pairs = [_pair(*each) for each in zip(comparison.pairs, comparison.intervals.pairs, strict=True)]
    left_out = {why.value: number for why, number in comparison.left_out.items()}
    return {
        **_settings(comparison.settings),
        "score": comparison.score,
        "reason": comparison.reason or None,
        "counted": comparison.counted,
        "left_out": sum(left_out.values()),
        "left_out_reasons": left_out,
        "macro": comparison.macro,
        "losses": _losses(comparison.losses),
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **_boxes(comparison.boxes)},
        "interval": _interval(comparison.interval),
        "interval_reason": comparison.interval_reason or None,
        "per_figure": [figure for pair in comparison.pairs for figure in _per_figure(pair)],
        "pairs": pairs,
        "counts": {
            "gold_figures": comparison.gold_figures,
            "gold_without_prediction": list(comparison.missing),
            "predicted_without_gold": list(comparison.surplus),
            "superseded": [{"figure_id": figure, "annotator": name} for figure, name in comparison.superseded],
        },
    }


def _text(record: dict[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _settings(settings: Settings) -> dict[str, Any]:
    return {
        "mode": settings.mode.value,
        "common": settings.common_used.value,
        "min_iou": settings.min_iou,
        "bootstrap": settings.resamples,
        "seed": settings.seed,
    }


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _losses(losses: Mapping[Loss, float] | None) -> dict[str, float] | None:
    """By cause: what is missing to 1. Null where the score is."""
    return None if losses is None else {cause.value: share for cause, share in losses.items()}


def _boxes(boxes: Detection) -> dict[str, Any]:
    """Lists are by threshold."""
    return {
        "gold": boxes.gold,
        "predicted": boxes.other,
        "precision": [boxes.precision(threshold) for threshold in IOU_THRESHOLDS],
        "recall": [boxes.recall(threshold) for threshold in IOU_THRESHOLDS],
        "f1": [boxes.f1(threshold) for threshold in IOU_THRESHOLDS],
        "mean_f1": boxes.mean_f1(),
        "mean_iou": boxes.mean_iou(),
    }


def _pair(pair: PairScore, interval: Interval | None) -> dict[str, Any]:
    return {
        "gold": pair.gold,
        "predicted": pair.predicted,
        "score": pair.score,
        "reason": pair.reason or None,
        "counted": pair.counted,
        "interval": _interval(interval),
        "losses": _losses(mean_losses([pair])),
        "figures": len(pair.figures),
        "boxes": _boxes(detailed(pair).detection),
        "left_out": {why.value: number for why, number in pair.left_out.items()},
        "figures_left_out": {why.value: list(figures) for why, figures in pair.passed.items()},
    }


def _per_figure(pair: PairScore) -> list[dict[str, Any]]:
    """One entry per figure scored; score: mean over its gold subfigures that count, null of none."""
    return [
        {
            "figure_id": figure,
            "predicted": pair.predicted,
            "score": total / count if count else None,
            "counted": count,
        }
        for figure, total, count in zip(pair.figures, pair.totals.tolist(), pair.counts.tolist(), strict=True)
    ]
