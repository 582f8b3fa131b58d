"""Shared parts of the JSON of reports and comparisons: plain values, unrounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agreement.pairs.pairwise import PairScore, detailed, mean_losses
from agreement.primitives.settings import Settings
from agreement.resampling.bootstrap import Interval
from agreement.score.detection import IOU_THRESHOLDS, Detection
from agreement.score.losses import Loss


def json_text(record: dict[str, Any]) -> str:
    """Return the record as JSON, with a final newline; keys in the order given."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def settings_record(settings: Settings) -> dict[str, Any]:
    """Return the settings of the scores."""
    return {
        "mode": settings.mode.value,
        "tokens": settings.mode.tokens,
        "common": settings.common_used.value,
        "min_iou": settings.min_iou,
        "bootstrap": settings.resamples,
        "seed": settings.seed,
    }


def interval_record(interval: Interval | None) -> list[float] | None:
    """Return the interval as [low, high]; null if undefined."""
    return None if interval is None else list(interval)


def losses_record(losses: Mapping[Loss, float] | None) -> dict[str, float] | None:
    """Return the difference to 1 by cause; null if the score is undefined."""
    return None if losses is None else {cause.value: share for cause, share in losses.items()}


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
        "reason": _why_no_boxes(boxes),
    }


def _why_no_boxes(boxes: Detection) -> str | None:
    """Return why some of the values are null; null if none is."""
    if not (boxes.gold and boxes.other):
        drawn = "gold" if boxes.other else "predicted" if boxes.gold else "gold and no predicted"
        return f"no {drawn} box"
    return None if boxes.mean_iou() is not None else "no two boxes match from IoU 0.5 on"


#: Why there is no loss to split, and no mean over nothing.
NOTHING_COUNTS = "no gold subfigure with a counted token"


def pair_record(pair: PairScore, interval: Interval | None, interval_reason: str) -> dict[str, Any]:
    """Return one annotator scored against another; the pair needs its details.

    interval_reason: why it has no interval, or "".
    """
    losses = mean_losses([pair])
    return {
        "gold": pair.gold,
        "predicted": pair.predicted,
        "score": pair.score,
        "reason": pair.reason or None,
        "counted": pair.counted,
        "interval": interval_record(interval),
        "interval_reason": interval_reason or None,
        "losses": losses_record(losses),
        "losses_reason": None if losses is not None else pair.reason,
        "figures": len(pair.figures),
        "boxes": boxes_record(detailed(pair).detection),
        "left_out": {why.value: number for why, number in pair.left_out.items()},
        "figures_left_out": {why.value: list(figures) for why, figures in pair.passed.items()},
    }
