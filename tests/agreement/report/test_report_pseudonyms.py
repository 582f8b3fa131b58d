"""Reports under pseudonyms: no person's name in any format, and the same numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation
from rich_work import rich_work
from running import run_command

from agreement.primitives.settings import Settings
from agreement.report.csv.report import report_tables
from agreement.report.full_report import full_report
from agreement.report.html.report import report_html
from agreement.report.json.report import report_json, report_record
from agreement.report.latex.figures import can_draw, report_figures
from agreement.report.latex.report import report_latex
from agreement.report.pseudonyms import people_in, under_pseudonyms
from agreement.report.summary import Report
from agreement.report.text.report import report_text
from annotator.cli.agreement.main import group
from annotator.measurement.pseudonyms import numbered_annotators
from annotator.measurement.report import ReportOptions, measure_sources
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record

#: Of `rich_work` -> as long and as odd as people's names are.
PEOPLE = {"ann": "Zoë Adler", "ben": "ben.ohara@lab.org", "cho": "Cho"}
NUMBERS = {"Zoë Adler": "Annotator 2", "ben.ohara@lab.org": "Annotator 10", "Cho": "Annotator 1"}


def lines(phase: str) -> list[dict[str, Any]]:
    return [annotation_record(replace(each, annotator=PEOPLE[each.annotator])) for each in rich_work(phase)]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    file = tmp_path_factory.mktemp("work") / "annotations.jsonl"
    twice = lines("1")[0] | {"saved_at": "2027-01-01T00:00:00Z"}
    write_lines(file, [*lines("1"), twice, *lines("2")])
    options = ReportOptions(phase="1", against="2", settings=Settings(resamples=50), worst=5)
    return measure_sources([file], Problems(), options)


def formats(report: Report) -> Iterator[str]:
    yield from (report_text(report), report_json(report), report_html(report))
    yield from report_tables(report).values()
    yield from report_latex(report).values()
    if can_draw():
        yield from (data.decode("latin-1") for data in report_figures(report).values())


def numbers_of(value: Any) -> Iterator[float]:
    """All numbers in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_of(each)
    elif isinstance(value, int | float):
        yield value


def test_no_format_of_a_report_under_pseudonyms_has_a_name(report: Report) -> None:
    assert people_in(report) == set(NUMBERS)
    assert report.counts.superseded
    renamed = under_pseudonyms(report, NUMBERS)
    for before, after in zip(formats(report), formats(renamed), strict=True):
        assert not [name for name in (*NUMBERS, "Zo\\u00eb") if name in after]
        # The claim could not fail of a format without names.
        assert any(name in before for name in NUMBERS) == any(number in after for number in NUMBERS.values())


def test_all_numbers_under_pseudonyms_are_those_of_the_report(report: Report) -> None:
    before, after = report_record(report), report_record(under_pseudonyms(report, NUMBERS))
    assert Counter(numbers_of(before)) == Counter(numbers_of(after))

    def pairs(record: dict[str, Any], names: dict[str, str]) -> dict[tuple[str, str], Any]:
        own = {"gold", "predicted"}
        return {
            (names.get(each["gold"], each["gold"]), names.get(each["predicted"], each["predicted"])): {
                key: value for key, value in each.items() if key not in own
            }
            for each in record["pairs"]
        }

    assert pairs(before, NUMBERS) == pairs(after, {})
    people = {each.name: each for each in report.annotators}
    for person in under_pseudonyms(report, NUMBERS).annotators:
        [real] = [name for name, number in NUMBERS.items() if number == person.name]
        assert person == replace(people[real], name=person.name)


def test_annotator_2_is_listed_before_annotator_10(report: Report) -> None:
    renamed = under_pseudonyms(report, NUMBERS)
    order = ["Annotator 1", "Annotator 2", "Annotator 10"]
    assert [person.name for person in renamed.annotators] == order
    assert [(pair.gold, pair.predicted) for pair in renamed.pairs] == [
        (gold, predicted) for gold in order for predicted in order if gold != predicted
    ]


def test_a_name_in_a_reason_is_replaced_where_it_is_a_word() -> None:
    report = full_report([an_annotation(a_figure(), annotator="only")], Settings(resamples=0))
    assert report.reason == "one annotator only (only); agreement needs two"
    renamed = under_pseudonyms(report, {"only": "Annotator 1"})
    assert "(Annotator 1)" in renamed.reason
    assert "only)" not in renamed.reason
    assert under_pseudonyms(full_report([]), {}).reason == "no annotations"


def test_numbers_do_not_follow_the_order_of_names() -> None:
    """Nobody who knows the names can read who is who from their order."""
    work = [an_annotation(a_figure(), annotator=name, subfigures=(a_subfigure(),)) for name in "abcdefgh"]
    report = full_report(work, Settings(resamples=0))
    numbers = numbered_annotators(report, [])
    assert sorted(numbers.values()) == [f"Annotator {number}" for number in range(1, 9)]
    assert list(numbers) != sorted(numbers)
    assert numbered_annotators(report, []) == numbers


def command(file: Path, *more: object) -> Any:
    done = run_command(group, "agreement", "report", file, "--phase", "1", "--bootstrap", "20", *more)
    assert done.returncode == 0, done.stderr
    return done


def test_latex_has_pseudonyms_unless_names_are_requested(tmp_path: Path) -> None:
    file = tmp_path / "Cho.jsonl"
    write_lines(file, lines("1"))
    for names, text_named, latex_named in (
        ((), True, False),
        (("real",), True, True),
        (("pseudonyms",), False, False),
    ):
        folder = tmp_path / "".join(("tex", *names))
        done = command(file, "--latex", folder, *(("--names", *names) if names else ()))
        assert ("Cho" in done.stdout) == text_named
        written = "".join(path.read_text(encoding="latin-1") for path in folder.iterdir())
        assert ("Cho" in written) == latex_named
        assert not [path for path in folder.iterdir() if "Cho" in path.name]


def test_the_page_under_pseudonyms_names_no_file_and_links_to_no_slice(tmp_path: Path) -> None:
    file = tmp_path / "Cho.jsonl"
    write_lines(file, lines("1"))
    view = ("--format", "html", "--view", "http://127.0.0.1:1")
    page = command(file, *view, "--names", "pseudonyms").stdout
    assert not [name for name in NUMBERS if name in page]
    assert "?gold=" not in page
    assert "/figures/f1" in page
    named = command(file, *view).stdout
    assert "?gold=" in named
    assert "Cho.jsonl" in named


def test_a_name_that_remains_in_an_id_is_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    figure = a_figure("by-Zelda-1")
    work = [an_annotation(figure, annotator=name, subfigures=(a_subfigure(),)) for name in ("Zelda", "Yan")]
    write_lines(file, map(annotation_record, work))
    done = command(file, "--names", "pseudonyms", "--format", "json")
    assert "names of annotators remain" in done.stderr
    assert 'figure "by-Zelda-1"' in done.stderr
    assert {each["annotator"] for each in json.loads(done.stdout)["annotators"]} == {"Annotator 1", "Annotator 2"}
