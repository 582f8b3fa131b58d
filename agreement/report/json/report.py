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
from agreement.report.table import Table, plain
from agreement.report.tables import NOTHING_COUNTS, boxes_record, kind_name, pair_rows
from agreement.score.detection import IOU_THRESHOLDS
from agreement.trends.corrected import UNKNOWN_HISTORY

NO_JUDGE = "no annotator judged this"
WORK = Table(
    "annotations figures figures_shared=shared figures_scored=scored subfigures left_out figures_left_out=passed "
    "pairs_unlisted=unlisted partly_read",
    computed={"superseded": lambda row: superseded_records(row.superseded)},
)
TREND = Table("slope interval reason")
DRIFT = Table(
    "by reason interval_method=method figures_without_period=unplaced",
    computed={
        "periods": lambda row: tables.PERIODS.records(row.periods),
        "trend": lambda row: TREND.record(row.trend),
    },
)
WHO = Table("both=annotators phase_only=only_here against_only=only_there")
PHASES = Table(
    "phase=here against=there figures_in_both=shared figures_changed=changed",
    computed={
        "annotators": WHO.record,
        "comparisons": lambda row: tables.CONTRASTS.records(row.contrasts),
    },
)


def report_json(report: Report) -> str:
    """Return a report as one JSON object, with a final newline."""
    return json_text(report_record(report))


def report_record(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    ranges = report.intervals
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
        "counts": WORK.record(report.counts),
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
        "drift": None if report.drift is None else DRIFT.record(report.drift),
        "other_phase": None if report.other_phase is None else PHASES.record(report.other_phase),
        "repeats": tables.REPEATS.records(report.repeats),
        "acquainted": None if report.acquainted is None else tables.ACQUAINTED.record(report.acquainted),
        "corrected": None if report.corrected is None else tables.CORRECTED.record(report.corrected),
        "attention": tables.ATTENTION.records(report.attention),
        "corrected_reason": None if report.corrected is not None else UNKNOWN_HISTORY,
        "items": None if report.items is None else _items(report.items),
        "items_reason": None if report.items is not None else NO_JUDGE,
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
