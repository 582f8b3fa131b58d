"""Shared parts of the JSON of reports and comparisons: plain values, unrounded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agreement.models.sweep import IouPoint
from agreement.score.losses import Loss


def json_text(record: dict[str, Any]) -> str:
    """Return the record as JSON, with a final newline; keys in the order given."""
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def sweep_record(points: Sequence[IouPoint]) -> dict[str, list[Any]]:
    """Return the scores at other box match thresholds: lists by threshold."""
    return {
        "min_iou": [point.min_iou for point in points],
        "score": [point.score for point in points],
        "counted": [point.counted for point in points],
    }


def losses_record(losses: Mapping[Loss, float] | None) -> dict[str, float] | None:
    """Return the difference to 1 by cause; null if the score is undefined."""
    return None if losses is None else {cause.value: share for cause, share in losses.items()}
