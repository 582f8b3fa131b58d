from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.primitives.settings import Settings
from agreement.report.csv.report import TABLES, report_tables
from agreement.report.full_report import Course, full_report
from agreement.report.summary import Report, report_on
from agreement.score.losses import Loss
from agreement.trends.drift import Grouping
from panelwise.domain.annotation import Annotation

QUICK = Settings(resamples=20)


def measured(*names: str) -> Report:
    return report_on(
        [
            an_annotation(a_figure(figure), annotator=name, subfigures=(a_subfigure(tokens=tokens),))
            for figure in ("f1", "=f2")
            for name, tokens in zip(names, ({4, 6, 7}, {4, 6}), strict=False)
        ],
        QUICK,
    )


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_each_table_says_what_the_report_says() -> None:
    report = measured("A", "B")
    tables = {name: rows(text) for name, text in report_tables(report).items()}
    first, second = tables["pairs.csv"]
    assert (first["gold"], first["predicted"], float(first["score"])) == ("A", "B", 0.8)
    assert (float(first["low"]), float(first["high"])) == (0.8, 0.8)
    assert sum(float(first[f"lost: {cause}"]) for cause in Loss) == pytest.approx(0.2)
    assert [float(first[f"box F1 at {threshold}"]) for threshold in ("0.50", "0.95")] == [1.0, 1.0]
    assert second["gold"] == "B"
    assert [each["annotator"] for each in tables["annotators.csv"]] == ["A", "B"]
    assert [float(each["as gold"]) for each in tables["annotators.csv"]] == [0.8, 0.8]
    assert [(each["score"], each["counted"]) for each in tables["figures.csv"]] == [("0.8", "2"), ("0.8", "2")]


def test_a_name_that_would_be_a_formula_is_made_harmless() -> None:
    assert {each["figure_id"] for each in rows(report_tables(measured("A", "B"))["figures.csv"])} == {"f1", "'=f2"}


def test_what_is_undefined_is_an_empty_cell() -> None:
    tables = report_tables(measured("A"))
    assert rows(tables["pairs.csv"]) == []
    (only,) = rows(tables["annotators.csv"])
    assert (only["as gold"], only["IAA without"], only["figures"]) == ("", "", "2")


def test_lines_end_as_the_standard_says(tmp_path: Path) -> None:
    for text in report_tables(measured("A", "B")).values():
        assert text.endswith("\r\n")
        assert "\n" not in text.replace("\r\n", "")


def test_drift_phases_and_repeats_have_tables_of_their_own() -> None:
    work = [
        an_annotation(
            a_figure(f"f{number}"),
            annotator=name,
            phase=phase,
            minutes=number * 7 * 24 * 60,
            subfigures=(a_subfigure(tokens=(4, 7) if (name, phase) == ("B", "1") else (4, 6)),),
        )
        for phase in "12"
        for number in range(2)
        for name in "AB"
    ]
    report = full_report(work, QUICK, phase="1", against="2")
    tables = {name: rows(text) for name, text in report_tables(report).items()}
    assert tuple(tables) == TABLES
    first, second = tables["drift.csv"]
    assert (first["by"], first["period"], first["first"]) == ("week", "2026-W47", "2026-11-21T12:00:00Z")
    assert (float(first["IAA"]), first["low"], first["reason"]) == (
        0.5,
        "",
        "one figure alone cannot be resampled",
    )
    assert second["period"] == "2026-W48"
    assert tables["phases.csv"][0]["scope"] == "all work"
    for each in tables["phases.csv"]:
        assert (each["phase"], each["against"], each["annotators"]) == ("1", "2", "A B")
        assert [float(each[key]) for key in ("IAA", "IAA there", "difference")] == [0.5, 1, -0.5]
        assert [float(each[key]) for key in ("difference low", "difference high")] == [-0.5, -0.5]
        assert (each["counted there"], each["figures there"], each["reason"]) == ("4", "2", "")
    one, other = tables["repeats.csv"]
    assert (one["annotator"], one["against"], float(one["score"]), one["figures"]) == ("A", "2", 1, "2")
    assert (float(other["score"]), float(other["low"]), other["reason"]) == (0.5, 0.5, "")


def test_what_was_not_asked_for_has_a_head_alone() -> None:
    tables = report_tables(measured("A", "B"))
    for name in ("drift.csv", "phases.csv", "repeats.csv"):
        assert tables[name].count("\r\n") == 1


def summary(report: Report) -> dict[str, tuple[str, str]]:
    return {each["name"]: (each["value"], each["reason"]) for each in rows(report_tables(report)["summary.csv"])}


def test_the_summary_has_the_settings_and_the_headline_with_its_interval() -> None:
    report = measured("A", "B")
    found = summary(report)
    assert [found[name][0] for name in ("mode", "common", "min IoU", "resamples", "seed")] == [
        *("paper", "none", "0.5", "20", "0")
    ]
    assert float(found["IAA"][0]) == report.iaa == 0.8
    assert report.intervals.iaa is not None
    assert (float(found["IAA low"][0]), float(found["IAA high"][0])) == report.intervals.iaa
    assert (float(found["pooled"][0]), float(found["per figure"][0])) == (report.pooled, report.macro)
    assert sum(float(found[f"lost: {cause}"][0]) for cause in Loss) == pytest.approx(0.2)
    assert (found["figures scored"], found["subfigures"]) == (("2", ""), ("4", ""))
    assert found["phase"] == ("", "the work is of no phase")
    assert found["against phase"] == ("", "no other phase was asked for")


def undefined_work() -> list[Report]:
    """Reports in which one thing or another is undefined."""

    def of(name: str, figure: str, phase: str = "1", tokens: tuple[int, ...] = (), box: bool = True) -> Annotation:
        drawn = (a_subfigure(tokens=tokens),) if box else ()
        return an_annotation(a_figure(figure), annotator=name, phase=phase, subfigures=drawn)

    apart = [of("A", "f1"), of("B", "f2", tokens=(4,))]
    some = [of(name, figure, tokens=(4, 6) if figure == "f1" else ()) for name in "AB" for figure in ("f1", "f2")]
    no_box = [of("A", "f1", tokens=(4,)), of("B", "f1", box=False), of("B", "f1", "2"), of("C", "f1", "2")]
    seeded = [replace(each, seeded_by="m") for each in some]
    none = Course(None)
    return [
        *(full_report(work, QUICK, phase="1") for work in ([], apart, some, seeded)),
        full_report(no_box, QUICK, phase="1", against="2"),
        full_report([*some, of("A", "f1", "2", (4,))], QUICK, phase="1", against="2", course=none),
        full_report(some, QUICK, phase="1", course=Course(Grouping.BATCH, batches={"f1": "x"})),
        report_on(some, Settings(resamples=0)),
    ]


def test_every_empty_cell_has_a_reason_in_its_row() -> None:
    for report in undefined_work():
        for name, text in report_tables(report).items():
            for row in rows(text):
                empty = [key for key, value in row.items() if not value and not key.endswith("reason")]
                told = {key for key, value in row.items() if value and key.endswith("reason")}
                assert not empty or told, (name, row)
                for key in empty:
                    own = f"{key} reason"
                    assert own not in row or own in told, (name, key, row)


def test_a_reason_stands_only_where_something_is_undefined() -> None:
    for row in rows(report_tables(measured("A", "B"))["summary.csv"]):
        assert bool(row["reason"]) is (row["value"] == ""), row
