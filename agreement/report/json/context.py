"""Further parts of a report's JSON: course over time, another phase, repeated work, seeded work."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agreement.report.json.parts import interval_record
from agreement.trends.acquainted import Acquainted
from agreement.trends.drift import Drift
from agreement.trends.phases import PhaseDifference, PhaseSide
from agreement.trends.repeats import SelfAgreement
from agreement.trends.seeding import Seeded
from panelwise.formats.annotations import time_text


def drift_record(drift: Drift | None) -> dict[str, Any] | None:
    """Return agreement by period; null if not requested."""
    if drift is None:
        return None
    return {
        "by": drift.by.value,
        "reason": drift.reason or None,
        "interval_method": drift.method or None,
        "periods": [
            {
                "period": each.name,
                "first": _time(each.first),
                "last": _time(each.last),
                "figures": each.figures,
                "counted": each.counted,
                "iaa": each.iaa,
                "reason": each.reason or None,
                "interval": interval_record(each.interval),
                "interval_reason": each.interval_reason or None,
            }
            for each in drift.periods
        ],
        "trend": {
            "slope": drift.trend.slope,
            "interval": interval_record(drift.trend.interval),
            "reason": drift.trend.reason or None,
        },
        "figures_without_period": list(drift.unplaced),
    }


def phases_record(found: PhaseDifference | None) -> dict[str, Any] | None:
    """Return one phase compared to another; null if not requested."""
    if found is None:
        return None
    return {
        "phase": found.here,
        "against": found.there,
        "figures_in_both": found.shared,
        "figures_changed": list(found.changed),
        "annotators": {
            "both": list(found.annotators),
            "phase_only": list(found.only_here),
            "against_only": list(found.only_there),
        },
        "comparisons": [
            {
                "scope": each.scope.value,
                "phase": _side(each.here),
                "against": _side(each.there),
                "difference": each.difference,
                "reason": each.reason or None,
                "interval": interval_record(each.interval),
                "interval_method": each.method or None,
                "interval_reason": each.interval_reason or None,
            }
            for each in found.contrasts
        ],
    }


def _side(side: PhaseSide) -> dict[str, Any]:
    return {
        "phase": side.phase,
        "annotators": list(side.annotators),
        "figures": side.figures,
        "counted": side.counted,
        "iaa": side.iaa,
        "reason": side.reason or None,
        "interval": interval_record(side.interval),
        "interval_reason": side.interval_reason or None,
    }


def repeat_record(each: SelfAgreement) -> dict[str, Any]:
    """Return an annotator's agreement with themselves; `against` is null without a second phase."""
    phase, against = each.phases
    return {
        "annotator": each.annotator,
        "phase": phase or None,
        "against": against or None,
        "figures": each.figures,
        "counted": each.counted,
        "figures_seeded": each.seeded,
        "score": each.score,
        "reason": each.reason or None,
        "interval": interval_record(each.interval),
        "interval_method": each.method or None,
        "interval_reason": each.interval_reason or None,
    }


def seeded_record(seeded: Seeded) -> dict[str, Any]:
    """Return agreement on work that started from a prediction, and on other work."""
    return {
        "annotations": seeded.annotations,
        "of": seeded.of,
        "figures": seeded.figures,
        "figures_unseeded": seeded.unseeded_figures,
        "iaa": seeded.iaa,
        "reason": seeded.reason or None,
        "interval": interval_record(seeded.interval),
        "interval_reason": seeded.interval_reason or None,
        "iaa_unseeded": seeded.unseeded_iaa,
        "iaa_unseeded_reason": seeded.unseeded_reason or None,
        "interval_unseeded": interval_record(seeded.unseeded_interval),
        "interval_unseeded_reason": seeded.unseeded_interval_reason or None,
        "pairs": [
            {
                "gold": each.gold,
                "predicted": each.predicted,
                "figures": each.figures,
                "counted": each.counted,
                "score": each.score,
                "reason": each.reason or None,
                "interval": interval_record(each.interval),
                "interval_reason": each.interval_reason or None,
                "figures_unseeded": each.unseeded_figures,
                "counted_unseeded": each.unseeded_counted,
                "score_unseeded": each.unseeded_score,
                "score_unseeded_reason": each.unseeded_reason or None,
                "interval_unseeded": interval_record(each.unseeded_interval),
                "interval_unseeded_reason": each.unseeded_interval_reason or None,
            }
            for each in seeded.pairs
        ],
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else time_text(moment)


def acquainted_record(found: Acquainted | None) -> dict[str, Any] | None:
    """Return the figures that annotators had done in another phase before; null if there are none."""
    if found is None:
        return None
    return {
        "annotators": [
            {"annotator": each.annotator, "figures": each.figures, "of": each.of} for each in found.people
        ],
        "figures": found.figures,
        "iaa": found.iaa,
        "reason": found.reason or None,
        "new_figures": found.new_figures,
        "new_iaa": found.new_iaa,
        "new_iaa_reason": found.new_reason or None,
        "new_interval": interval_record(found.new_interval),
        "new_interval_reason": found.new_interval_reason or None,
    }
