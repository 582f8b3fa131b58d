"""Reports as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import ItemReport
from agreement.questions.judgements import JudgementScore
from agreement.report import tables
from agreement.report.json.parts import columns_of, json_text, losses_record, settings_record, superseded_records
from agreement.report.summary import Report
from agreement.report.table import plain
from agreement.report.tables import NOTHING_COUNTS, boxes_record, kind_name, pair_rows
from agreement.score.detection import IOU_THRESHOLDS
from agreement.trends.drift import Drift
from agreement.trends.phases import PhaseDifference

NO_JUDGE = "no annotator judged this"


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
        "reason": plain(report.reason),
        "interval": plain(ranges.iaa),
        "interval_method": plain(ranges.method),
        "interval_reason": plain(ranges.reason),
        "interval_unit": ranges.unit,
        "pooled": report.pooled,
        "pooled_reason": nothing,
        "macro": report.macro,
        "macro_reason": nothing,
        "losses": losses_record(report.losses),
        "losses_reason": None if report.losses is not None else nothing,
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **boxes_record(report.boxes)},
        "pairs": tables.PAIRS.records(pair_rows(report)),
        "annotators": tables.ANNOTATORS.records(report.annotators),
        "counts": {
            "annotations": counts.annotations,
            "figures": counts.figures,
            "figures_shared": counts.shared,
            "figures_scored": counts.scored,
            "subfigures": counts.subfigures,
            "left_out": plain(counts.left_out),
            "figures_left_out": plain(counts.passed),
            "superseded": superseded_records(counts.superseded),
        },
        "sweep": {
            **columns_of(report.sweep, "min_iou score counted"),
            "reason": plain(report.sweep_reason),
        },
        "habits": tables.HABITS.records(report.habits),
        "seeded": tables.SEEDED.record(report.seeded),
        "status": tables.STATUSES.records(report.statuses),
        "status_dawid_skene": tables.RELIABILITY.records(report.reliability),
        "categories": tables.CATEGORIES.records(report.categories),
        "figures": tables.FIGURES.records(report.figures),
        "token_alpha": tables.TOKENS.record(report.tokens),
        "panel_agreement": tables.PANELS.record(report.panels),
        "drift": None if report.drift is None else _drift(report.drift),
        "other_phase": None if report.other_phase is None else _phases(report.other_phase),
        "repeats": tables.REPEATS.records(report.repeats),
        "acquainted": None if report.acquainted is None else tables.ACQUAINTED.record(report.acquainted),
        "items": None if report.items is None else _items(report.items),
        "items_reason": None if report.items is not None else NO_JUDGE,
    }


def _drift(drift: Drift) -> dict[str, Any]:
    return {
        "by": drift.by.value,
        "reason": plain(drift.reason),
        "interval_method": plain(drift.method),
        "periods": tables.PERIODS.records(drift.periods),
        "trend": {key: plain(getattr(drift.trend, key)) for key in ("slope", "interval", "reason")},
        "figures_without_period": list(drift.unplaced),
    }


def _phases(found: PhaseDifference) -> dict[str, Any]:
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
        "comparisons": tables.CONTRASTS.records(found.contrasts),
    }


def _items(items: ItemReport) -> dict[str, Any]:
    parts: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
        "compound": (items.compound, tables.JUDGEMENTS.record),
        "types": (items.types, _sets),
        "count": (items.count, tables.COUNTS.record),
        "answers": (items.answers, _answers),
    }
    found: dict[str, Any] = {"annotations": items.annotations}
    for name, (value, record) in parts.items():
        found[name] = None if value is None else record(value)
        found[f"{name}_reason"] = NO_JUDGE if value is None else None
    return found | {
        "tags": tables.TAGS.records(items.tags),
        "verdicts": [
            {"qa_pair_type": kind_name(kind), **tables.JUDGEMENTS.record(score)} for kind, score in items.verdicts
        ],
        "verdicts_of_no_known_type": items.unknown,
        "edits": tables.EDITS.records(items.edits),
    }


def _sets(score: JudgementScore) -> dict[str, Any]:
    """Return the values that are defined for sets."""
    record = tables.JUDGEMENTS.record(score)
    return {key: record[key] for key in ("name", "units", "observed", "alpha", "reason")}


def _answers(answers: AnswerScores) -> dict[str, Any]:
    def scores(annotator: str | None) -> list[dict[str, Any]]:
        return tables.ANSWERS.records(each for each in answers.scores if each.annotator == annotator)

    people = dict.fromkeys(each.annotator for each in answers.scores if each.annotator is not None)
    return {
        "everybody": [{**each, "reason": None if each["answers"] else tables.NO_ANSWERS} for each in scores(None)],
        "annotators": [{"annotator": name, "scores": scores(name)} for name in people],
        "without_gold": answers.without_gold,
    }
