"""Reports as CSV tables for spreadsheets: unrounded numbers; an undefined one is an empty cell with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agreement.models.sweep import SWEPT_IOUS
from agreement.questions.items import ItemReport
from agreement.report.sections import course, headline, judgements
from agreement.report.sections.judgements import CATEGORIES
from agreement.report.sections.listings import listings
from agreement.report.sections.people import NOTHING_COUNTS
from agreement.report.summary import Report
from agreement.trends.corrected import UNKNOWN_HISTORY
from panelwise.files import csv_text

#: What `report_tables` gives, always all: a table of an earlier report left beside others would mislead.
TABLES = (
    *("summary.csv", "pairs.csv", "annotators.csv", "habits.csv", "figures.csv", "drift.csv", "phases.csv"),
    *("repeats.csv", "attention.csv"),
    *("reliability.csv", "judgements.csv", "counts.csv", "types.csv", "edits.csv", "answers.csv"),
)


def report_tables(report: Report) -> dict[str, str]:
    """Return file name -> CSV text of a report, for all of `TABLES`; lines end in CRLF (RFC 4180).

    A table that was not requested has only its header.
    """
    items, columns = report.items, ("name", "value", "reason")
    found = {
        f"{each.key}.csv": csv_text(each.table.headings, each.table.cells(each.rows)) for each in listings(report)
    }
    found["summary.csv"] = csv_text(
        columns, (dict(zip(columns, row, strict=True)) for row in summary_rows(report))
    )
    found["judgements.csv"] = _joined(judgements.JUDGED_HEADINGS, () if items is None else _judgements(items))
    found["counts.csv"] = _joined(judgements.COUNT_HEADINGS, () if items is None else _counts(items))
    return {name: found[name] for name in TABLES}


def _joined(headings: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows of several tables in one; a heading that a row's table lacks is an empty cell."""
    return csv_text(headings, ({heading: row.get(heading) for heading in headings} for row in rows))


def _judgements(items: ItemReport) -> Iterator[Mapping[str, Any]]:
    """Yield rows for all annotators, then for each two; types of pairs are SciVQA's."""
    for row in judgements.judged(items):
        yield from judgements.JUDGEMENTS.cells([row])
        for cells in judgements.KAPPAS.cells(row.score.pairs):
            yield {**cells, "judgement": row.name, "qa_pair_type": row.kind}


def _counts(items: ItemReport) -> Iterator[Mapping[str, Any]]:
    """Yield a row for all annotators, then one for each two."""
    if items.count is not None:
        yield from judgements.COUNTS.cells([items.count])
        yield from judgements.COUNT_PAIRS.cells(items.count.pairs)


def summary_rows(report: Report) -> Iterator[tuple[str, Any, str]]:
    """Yield name, value (None if undefined) and why it is undefined ("" if it is not) of each single value.

    The same in each report and in one order, except for kinds of verdict that were not used.
    """
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
    yield from headline.JOINT.facts(report.joint)
    yield from headline.SPANS.facts(report.spans)
    yield from headline.THRESHOLD.facts(report.threshold)
    yield from course.DRIFT.facts(report.drift, "not asked for (--drift none)")
    yield from course.PHASES.facts(report.other_phase, "no other phase was asked for")
