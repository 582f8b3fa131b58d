"""The single values of a report as table rows: settings, scores, counts, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable

from agreement.models.sweep import SWEPT_IOUS
from agreement.report.sections import course, headline
from agreement.report.sections.judgements import CATEGORIES
from agreement.report.sections.people import NOTHING_COUNTS
from agreement.report.summary import Report
from agreement.trends.corrected import UNKNOWN_HISTORY

#: Name, value (None if undefined) and why it is not defined ("" where it is).
Row = tuple[str, object, str]


def summary_rows(report: Report) -> Iterable[Row]:
    """Yield the rows, the same in each report and in one order, except for kinds of verdict that were not used."""
    yield from headline.SETTINGS.facts(report.settings)
    yield "phase", report.phase, "" if report.phase is not None else "the work is of no phase"
    yield from headline.MEANS.facts(report)
    yield from headline.BOXES.facts(report.boxes)
    at = {point.min_iou: point.score for point in report.sweep}
    for threshold in SWEPT_IOUS:
        why = "" if at.get(threshold) is not None else report.sweep_reason or report.reason or NOTHING_COUNTS
        yield f"IAA at IoU {threshold:.2f}", at.get(threshold), why
    yield from headline.COUNTS.facts(report.counts)
    yield from course.SEEDED.facts(report.seeded)
    yield from course.ACQUAINTED.facts(report.acquainted, "no annotator knew a figure before")
    yield from course.CORRECTED.facts(report.corrected, UNKNOWN_HISTORY)
    for category in report.categories:
        for head, value, why in CATEGORIES.facts(category):
            if head not in ("judgement", "reason"):
                yield f"{category.name}: {head}", value, why
    yield from headline.PANELS.facts(report.panels)
    yield from headline.TOKENS.facts(report.tokens)
    yield from course.DRIFT.facts(report.drift, "not asked for (--drift none)")
    yield from course.PHASES.facts(report.other_phase, "no other phase was asked for")
