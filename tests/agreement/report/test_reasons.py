"""Every number that a format cannot show has its reason there, and no format shows what is no number."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from agreement_corpora import work_on
from html_pages import Page, numbers_in
from hypothesis import given
from hypothesis import strategies as st
from rich_work import rich_work

from agreement.models.comparison import comparison
from agreement.primitives.settings import Settings
from agreement.report.blocks import Format, Table
from agreement.report.csv.report import report_tables
from agreement.report.full_report import full_report
from agreement.report.html.comparison import comparison_html
from agreement.report.html.report import report_html
from agreement.report.json.comparison import comparison_record
from agreement.report.json.report import report_json
from agreement.report.latex.report import report_latex
from agreement.report.sections import course, headline, judgements, models, people
from agreement.report.summary import Report, report_on
from agreement.report.text.comparison import comparison_text
from agreement.report.text.report import report_text
from agreement.resampling.estimate import Estimate

NO_NUMBER = re.compile(r"\b(?:nan|inf|infinity)\b", re.IGNORECASE)
SETTINGS = Settings(resamples=5)


def listings(report: Report) -> Iterator[tuple[Table[Any], list[Any]]]:
    """Each table of a report with its rows."""
    singles = (
        *((headline.MEANS, report), (headline.BOXES, report.boxes), (headline.PANELS, report.panels)),
        *((headline.TOKENS, report.tokens), (course.SEEDED, report.seeded)),
        *((course.ACQUAINTED, report.acquainted), (course.CORRECTED, report.corrected)),
    )
    for table, row in singles:
        if row is not None:
            yield table, [row]
            yield headline.MEASURES, [*headline.measures(table, row)]
    yield people.PAIRS, people.pair_rows(report)
    yield from ((table, [*report.annotators]) for table in (people.ANNOTATORS, people.CONSISTENCY))
    yield people.HABITS, [*report.habits]
    yield people.FIGURES, [*report.figures]
    yield people.ATTENTION, [*report.attention]
    yield judgements.STATUSES, [*report.statuses]
    yield judgements.CATEGORIES, [*report.categories]
    yield judgements.RELIABILITY, [*judgements.judges(report)]
    yield course.PERIODS, course.period_rows(report.drift)
    yield course.CONTRASTS, [] if report.other_phase is None else [*report.other_phase.contrasts]
    yield course.REPEATS, [*report.repeats]
    yield course.SEEDED_PAIRS, [*report.seeded.pairs]


def check_dashes(table: Table[Any], rows: list[Any]) -> None:
    """Each undefined number that a table shows has its reason, from the cell or from its row."""
    for row in rows:
        for col in table.single:
            value = col.value(row)
            number = value.value if isinstance(value, Estimate) else value
            if col.format in (Format.SCORE, Format.INLINE, Format.PERCENT) and number is None:
                assert col.dash(row, table.reason(row)), (col.head, row)


def check_records(record: Any, place: str = "") -> None:
    """Each null beside numbers has a reason in its own object."""
    if isinstance(record, list):
        for part in record:
            check_records(part, place)
    if isinstance(record, dict):
        for key, value in record.items():
            check_records(value, f"{place}/{key}")
            if value is None and f"{key}_reason" in record:
                assert record[f"{key}_reason"], f"{place}/{key}"


def check_formats(report: Report) -> None:
    record = json.loads(report_json(report), parse_constant=pytest.fail)
    check_records(record)
    known = numbers_in(record)
    page, tables = report_html(report), report_tables(report)
    assert {value for value, _ in Page.of(page).numbers} <= known
    for text in (page, report_text(report), *tables.values(), *report_latex(report).values()):
        assert not NO_NUMBER.search(text)
    for name, text in tables.items():
        for row in csv.DictReader(io.StringIO(text)):
            numbers = [cell for cell in row.values() if re.fullmatch(r"-?\d+\.\d+(e-\d+)?", cell)]
            assert {*map(float, numbers)} <= known, name
    for table, rows in listings(report):
        check_dashes(table, rows)


@given(st.integers(0, 10_000), st.integers(0, 6), st.booleans())
def test_any_work_has_the_same_numbers_in_all_formats_and_a_reason_for_each_that_is_undefined(
    seed: int, figures: int, raw: bool
) -> None:
    check_formats(report_on(work_on(figures, random.Random(seed), raw=raw), SETTINGS))


@pytest.mark.parametrize("resamples", [0, 5])
def test_two_phases_have_a_reason_for_each_undefined_number(resamples: int) -> None:
    work = [*rich_work(), *rich_work("2")]
    check_formats(full_report(work, Settings(resamples=resamples), phase="1", against="2"))


@pytest.mark.parametrize("resamples", [0, 5])
def test_a_comparison_has_a_reason_for_each_undefined_number(resamples: int) -> None:
    work = {(each.annotator, each.figure.id): each for each in rich_work()}.values()
    gold, others = ([each for each in work if (each.annotator == "ann") is mine] for mine in (True, False))
    found = comparison(gold, others, Settings(resamples=resamples), people=others)
    assert found.ceiling is not None
    check_records(comparison_record(found))
    for text in (comparison_html(found), comparison_text(found)):
        assert not NO_NUMBER.search(text)
    for table, rows in (
        (people.PAIRS, people.pair_rows(found)),
        (models.RANKING, [*found.ranking.rows]),
        (models.DIFFERENCES, [*found.ranking.differences]),
        (models.GAPS, [*found.ceiling.gaps]),
        *((models.POINTS, [*curves.confidence.points]) for curves in found.curves),
    ):
        check_dashes(table, rows)
