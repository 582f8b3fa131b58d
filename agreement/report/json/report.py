"""Reports as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

from typing import Any

from agreement.chance.categories import TokenAlpha
from agreement.chance.panel_agreement import PanelAgreement
from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import ItemReport
from agreement.questions.judgements import JudgementScore
from agreement.report.blocks import plain
from agreement.report.json.parts import json_text, losses_record, settings_record, superseded_records, sweep_record
from agreement.report.sections import course, judgements, people
from agreement.report.summary import Counts, Report
from agreement.score.detection import IOU_THRESHOLDS
from agreement.trends.corrected import UNKNOWN_HISTORY

NO_JUDGE = "no annotator judged this"


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "annotations": counts.annotations,
        "figures": counts.figures,
        "figures_shared": counts.shared,
        "figures_scored": counts.scored,
        "subfigures": counts.subfigures,
        "left_out": plain(counts.left_out),
        "figures_left_out": plain(counts.passed),
        "pairs_unlisted": counts.unlisted,
        "partly_read": counts.partly_read,
        "superseded": superseded_records(counts.superseded),
    }


def report_json(report: Report) -> str:
    """Return a report as one JSON object, with a final newline."""
    return json_text(report_record(report))


def report_record(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    ranges = report.intervals
    nothing = None if report.pooled is not None else report.reason or people.NOTHING_COUNTS
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
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **people.boxes_record(report.boxes)},
        "pairs": people.PAIRS.records(people.pair_rows(report)),
        "annotators": people.ANNOTATORS.records(report.annotators),
        "counts": _counts(report.counts),
        "sweep": {
            **sweep_record(report.sweep),
            "reason": plain(report.sweep_reason),
        },
        "habits": people.HABITS.records(report.habits),
        "seeded": course.seeded_record(report.seeded),
        "status": judgements.STATUSES.records(report.statuses),
        "status_dawid_skene": judgements.reliability_records(report.reliability),
        "categories": judgements.CATEGORIES.records(report.categories),
        "figures": people.FIGURES.records(report.figures),
        "token_alpha": _tokens(report.tokens),
        "panel_agreement": _panels(report.panels),
        "drift": None if report.drift is None else course.drift_record(report.drift),
        "other_phase": None if report.other_phase is None else course.phases_record(report.other_phase),
        "repeats": course.REPEATS.records(report.repeats),
        "acquainted": None if report.acquainted is None else course.acquainted_record(report.acquainted),
        "corrected": None if report.corrected is None else course.corrected_record(report.corrected),
        "attention": people.ATTENTION.records(report.attention),
        "corrected_reason": None if report.corrected is not None else UNKNOWN_HISTORY,
        "items": None if report.items is None else _items(report.items),
        "items_reason": None if report.items is not None else NO_JUDGE,
    }


def _tokens(tokens: TokenAlpha) -> dict[str, Any]:
    counts = {"figures": tokens.figures, "tokens": tokens.tokens}
    return {"nominal": tokens.nominal, "masi": tokens.masi, **counts, "reason": plain(tokens.reason)}


def _panels(panels: PanelAgreement) -> dict[str, Any]:
    return {
        "detection": panels.detection,
        "detection_reason": plain(panels.detection_reason),
        "label": panels.label,
        "label_reason": plain(panels.label_reason),
        "localisation": panels.localisation,
        "localisation_reason": plain(panels.localisation_reason),
        "panels": panels.panels,
        "shared": panels.shared,
    }


def _items(items: ItemReport) -> dict[str, Any]:
    parts = {
        "compound": items.compound and _judgement(items.compound),
        "types": items.types and _sets(items.types),
        "count": items.count and judgements.COUNTS.record(items.count),
        "answers": items.answers and _answers(items.answers),
    }
    found: dict[str, Any] = {"annotations": items.annotations}
    for name, record in parts.items():
        found[name] = record
        found[f"{name}_reason"] = NO_JUDGE if record is None else None
    return found | {
        "tags": judgements.TAGS.records(items.tags),
        "verdicts": [
            {"qa_pair_type": judgements.kind_name(kind), **_judgement(score)} for kind, score in items.verdicts
        ],
        "verdicts_of_no_known_type": items.unknown,
        "edits": judgements.EDITS.records(items.edits),
    }


def _judgement(score: JudgementScore) -> dict[str, Any]:
    return judgements.JUDGEMENTS.record(judgements.Judged("", "", "", score))


def _sets(score: JudgementScore) -> dict[str, Any]:
    """Return the values that are defined for sets."""
    record = _judgement(score)
    return {key: record[key] for key in ("name", "units", "observed", "alpha", "reason")}


def _answers(answers: AnswerScores) -> dict[str, Any]:
    def scores(annotator: str | None) -> list[dict[str, Any]]:
        return judgements.ANSWERS.records(each for each in answers.scores if each.annotator == annotator)

    own = dict.fromkeys(each.annotator for each in answers.scores if each.annotator is not None)
    everybody = scores(None)
    return {
        "everybody": [
            {**each, "reason": None if each["answers"] else judgements.NO_ANSWERS} for each in everybody
        ],
        "annotators": [{"annotator": name, "scores": scores(name)} for name in own],
        "without_gold": answers.without_gold,
    }
