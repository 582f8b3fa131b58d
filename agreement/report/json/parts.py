"""Shared parts of the JSON of reports and comparisons: plain values, unrounded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agreement.models.sweep import IouPoint
from agreement.primitives.settings import Settings
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


def superseded_records(superseded: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    """Return superseded annotations."""
    return [{"figure_id": figure, "annotator": name} for figure, name in superseded]
