"""Reports as CSV tables for spreadsheets: unrounded numbers; an undefined one is an empty cell with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from agreement.questions.items import ItemReport
from agreement.report import tables
from agreement.report.csv.summary import summary_rows
from agreement.report.summary import Report
from agreement.report.table import Table
from agreement.report.tables import judgement_rows, kind_name
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
    drift, other, items = report.drift, report.other_phase, report.items
    answers = items.answers.scores if items is not None and items.answers is not None else ()
    found: dict[str, tuple[Table, Iterable[Mapping[str, Any]]]] = {
        "pairs.csv": _rows(tables.PAIRS, tables.pair_rows(report)),
        "annotators.csv": _rows(tables.ANNOTATORS, report.annotators),
        "habits.csv": _rows(tables.HABITS, report.habits),
        "figures.csv": _rows(tables.FIGURES, report.figures),
        "drift.csv": _rows(tables.PERIODS, () if drift is None else drift.periods, by=drift and drift.by.value),
        "phases.csv": _rows(tables.CONTRASTS, () if other is None else other.contrasts),
        "repeats.csv": _rows(tables.REPEATS, report.repeats),
        "attention.csv": _rows(tables.ATTENTION, report.attention),
        "reliability.csv": (tables.RELIABILITY, _reliability(report)),
        "judgements.csv": (tables.JUDGEMENTS, () if items is None else _judgements(items)),
        "counts.csv": (tables.COUNTS, () if items is None else _counts(items)),
        "types.csv": _rows(tables.TAGS, () if items is None else items.tags),
        "edits.csv": _rows(tables.EDITS, () if items is None else items.edits),
        "answers.csv": _rows(tables.ANSWERS, answers),
    }
    columns = ("name", "value", "reason")
    summary = csv_text(columns, (dict(zip(columns, row, strict=True)) for row in summary_rows(report)))
    return {"summary.csv": summary, **{name: _described(*each) for name, each in found.items()}}


def _rows(table: Table, rows: Iterable[object], **more: object) -> tuple[Table, Iterator[Mapping[str, Any]]]:
    return table, ({**table.values(row), **more} for row in rows)


def _judgements(items: ItemReport) -> Iterator[Mapping[str, Any]]:
    """Yield rows for all annotators, then for each two; types of pairs are SciVQA's."""
    if items.compound is not None:
        yield from judgement_rows(items.compound.name, "", items.compound)
    if items.types is not None:
        yield from judgement_rows(items.types.name, "", items.types, tables.SETS)
    yield from chain.from_iterable(
        judgement_rows(tables.VERDICTS, kind_name(kind), score) for kind, score in items.verdicts
    )


def _reliability(report: Report) -> Iterator[Mapping[str, Any]]:
    """Yield how often each is right in each judgement."""
    for name, kind, each in tables.reliability_rows(report):
        yield {**tables.RELIABILITY.values(each), "judgement": name, "qa_pair_type": kind}


def _counts(items: ItemReport) -> Iterator[Mapping[str, Any]]:
    """Yield a row for all annotators, then one for each two."""
    if items.count is not None:
        record = tables.COUNTS.record(items.count)
        yield record
        for each in record["pairs"]:
            one, other = each["annotators"]
            yield {**each, "annotator": one, "other_annotator": other}


def _described(table: Table, rows: Iterable[Mapping[str, Any]]) -> str:
    """Write the rows under the table's headings; a row's missing key is an empty cell."""
    keys = {heading.partition("=")[0]: table.key(heading) for heading in table.csv}
    return csv_text(list(keys), ({heading: _value(row, key) for heading, key in keys.items()} for row in rows))


def _value(row: Mapping[str, Any], key: str) -> object:
    if key in ("low", "high"):
        ends = row.get("interval")
        return None if ends is None else ends[key == "high"]
    return row.get(key)
