"""Reports as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from typing import Any

from agreement.chance.panel_agreement import PanelAgreement
from agreement.report.json.context import (
    acquainted_record,
    drift_record,
    phases_record,
    repeat_record,
    seeded_record,
)
from agreement.report.json.items import NO_JUDGE, category_record, items_record
from agreement.report.json.parts import (
    NOTHING_COUNTS,
    boxes_record,
    interval_record,
    json_text,
    losses_record,
    pair_record,
    settings_record,
)
from agreement.report.summary import PersonScore, Report
from agreement.score.detection import IOU_THRESHOLDS


def report_json(report: Report) -> str:
    """Return a report as one JSON object, with a final newline."""
    return json_text(report_record(report))


def report_record(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    counts, ranges = report.counts, report.intervals
    nothing = None if report.pooled is not None else report.reason or NOTHING_COUNTS
    return {
        **settings_record(report.settings),
        "phase": report.phase,
        "iaa": report.iaa,
        "reason": report.reason or None,
        "interval": interval_record(ranges.iaa),
        "interval_method": ranges.method or None,
        "interval_reason": ranges.reason or None,
        "pooled": report.pooled,
        "pooled_reason": nothing,
        "macro": report.macro,
        "macro_reason": nothing,
        "losses": losses_record(report.losses),
        "losses_reason": None if report.losses is not None else nothing,
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **boxes_record(report.boxes)},
        "pairs": [pair_record(*each) for each in zip(report.pairs, ranges.pairs, ranges.reasons, strict=True)],
        "annotators": [_person(person) for person in report.annotators],
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
        "seeded": seeded_record(report.seeded),
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
        "categories": [category_record(each) for each in report.categories],
        "figures": [
            {
                "figure_id": each.figure,
                "score": each.score,
                "reason": None if each.score is not None else NOTHING_COUNTS,
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
        "panel_agreement": _panels(report.panels),
        "drift": drift_record(report.drift),
        "other_phase": phases_record(report.other_phase),
        "repeats": [repeat_record(each) for each in report.repeats],
        "acquainted": acquainted_record(report.acquainted),
        "items": items_record(report.items),
        "items_reason": None if report.items is not None else NO_JUDGE,
    }


def _panels(panels: PanelAgreement) -> dict[str, Any]:
    return {
        "detection": panels.detection,
        "detection_reason": panels.detection_reason or None,
        "label": panels.label,
        "label_reason": panels.label_reason or None,
        "localisation": panels.localisation,
        "localisation_reason": panels.localisation_reason or None,
        "panels": panels.panels,
        "shared": panels.shared,
    }


def _person(person: PersonScore) -> dict[str, Any]:
    return {
        "annotator": person.name,
        "figures": person.figures,
        "accepted": person.accepted,
        "subfigures": person.subfigures,
        "as_gold": person.as_gold,
        "as_gold_reason": person.as_gold_reason or None,
        "as_predicted": person.as_predicted,
        "as_predicted_reason": person.as_predicted_reason or None,
        "iaa_without": person.without,
        "iaa_without_reason": person.without_reason or None,
    }
