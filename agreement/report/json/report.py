"""Reports as JSON: unrounded numbers, null with its reason. Scripts rely on the keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agreement.models.sweep import IouPoint
from agreement.questions.human_answers import AnswerScores
from agreement.questions.items import ItemReport
from agreement.questions.judgements import JudgementScore
from agreement.report.blocks import plain
from agreement.report.sections import course, headline, judgements, people
from agreement.report.summary import Report
from agreement.score.detection import IOU_THRESHOLDS
from agreement.trends.corrected import UNKNOWN_HISTORY

NO_JUDGE = "no annotator judged this"


def report_json(report: Report) -> str:
    """Return a report as one JSON object, with a final newline."""
    return json_text(report_record(report))


def report_record(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        **headline.SETTINGS.record(report.settings),
        "phase": report.phase,
        **headline.MEANS.record(report),
        "boxes": {"thresholds": list(IOU_THRESHOLDS), **people.boxes_record(report.boxes)},
        "pairs": people.PAIRS.records(people.pair_rows(report)),
        "annotators": people.ANNOTATORS.records(report.annotators),
        "counts": headline.COUNTS.record(report.counts),
        "sweep": {**sweep_record(report.sweep), "reason": plain(report.sweep_reason)},
        "habits": people.HABITS.records(report.habits),
        "seeded": course.SEEDED.record(report.seeded),
        "status": judgements.STATUSES.records(report.statuses),
        "status_dawid_skene": judgements.reliability_records(report.reliability),
        "categories": judgements.CATEGORIES.records(report.categories),
        "figures": people.FIGURES.records(report.figures),
        "token_alpha": headline.TOKENS.record(report.tokens),
        "panel_agreement": headline.PANELS.record(report.panels),
        "joint_agreement": headline.JOINT.record(report.joint),
        "span_alpha": headline.SPANS.record(report.spans),
        "box_threshold": headline.THRESHOLD.record(report.threshold),
        "drift": None if report.drift is None else course.DRIFT.record(report.drift),
        "other_phase": None if report.other_phase is None else course.PHASES.record(report.other_phase),
        "repeats": course.REPEATS.records(report.repeats),
        "acquainted": None if report.acquainted is None else course.ACQUAINTED.record(report.acquainted),
        "corrected": None if report.corrected is None else course.CORRECTED.record(report.corrected),
        "attention": people.ATTENTION.records(report.attention),
        "corrected_reason": None if report.corrected is not None else UNKNOWN_HISTORY,
        "items": None if report.items is None else _items(report.items),
        "items_reason": None if report.items is not None else NO_JUDGE,
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
