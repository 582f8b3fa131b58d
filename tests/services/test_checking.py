"""A campaign's work checked, and its findings written out for people."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from services.checks.examples import EXAMPLES, LEFT, A

from annotator.campaign.home import Home
from annotator.checks.report import COLUMNS, chosen, csv_text, json_record, tally, text_lines
from annotator.checks.rules import subfigures
from annotator.checks.run import Checked, check_gold, check_home, counts, findings_of
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.findings import Severity
from panelwise.settings.campaign_toml import CampaignFile
from prelabel.captions.parser import ParsedCaption, parse_caption


def checked(*names: str, annotator: str = "ann1") -> list[Checked]:
    found = []
    for name in names:
        work, phase = EXAMPLES[name]
        found.append(Checked(replace(work, annotator=annotator), findings_of(work, phase)))
    return found


def test_each_current_annotation_is_checked_by_its_own_phases_rules(home: Home, store: Store) -> None:
    (phase,) = home.campaign.phases
    campaign = replace(home.campaign, phases=(phase, replace(phase, name="2", single_span=True)))
    strict = replace(home, settings=replace(home.settings, campaign=campaign))
    assert isinstance(home.settings, CampaignFile)
    work = (a_subfigure("A", box=LEFT, tokens=(4, 6, 13)),)
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        tx.annotations.add(an_annotation(subfigures=()))
        for each in ("1", "2"):
            tx.annotations.add(an_annotation(subfigures=work, phase=each, minutes=1))
    found = {
        each.annotation.phase: {finding.check for finding in each.findings} for each in check_home(strict, store)
    }
    assert found == {"1": {"box-missing"}, "2": {"box-missing", "several-spans"}}
    assert [each.annotation.phase for each in check_home(strict, store, phase="2", annotator="ann1")] == ["2"]


def test_a_person_whom_nobody_knows_is_refused(home: Home, store: Store) -> None:
    with pytest.raises(AnnotatorError, match='has no annotator "nobody"'):
        list(check_home(home, store, annotator="nobody"))


def test_severities_are_counted_also_where_there_are_none() -> None:
    (one,) = checked("boxes-overlap")
    assert counts(one.findings) == {Severity.ERROR: 0, Severity.WARNING: 2, Severity.NOTE: 0}


def test_findings_are_chosen_by_how_grave_they_are_and_by_check() -> None:
    found = checked("label-not-in-caption", "option-count")
    warnings = [finding.check for each in chosen(found, Severity.WARNING) for finding in each.findings]
    assert "label-not-in-caption" not in warnings
    assert {"box-missing", "option-count"} <= set(warnings)
    only = list(chosen(found, Severity.NOTE, frozenset({"option-count"})))
    assert [[finding.check for finding in each.findings] for each in only] == [[], ["option-count"]]


def test_text_goes_by_person_and_says_where_as_people_do() -> None:
    found = [*checked("option-count", annotator="b"), *checked("box-tiny", "type-missing", annotator="a")]
    lines = list(text_lines(found))
    assert lines == [
        "a, phase 1: 1 error, 2 warnings in 2 of 2 annotations",
        "  f1",
        '    warning  B: the box of "B" is 8 x 280 pixels; draw the whole subfigure, or remove it [box-tiny]',
        '    warning  C: the caption describes a panel "C" that has no box; draw it, with its text [box-missing]',
        "  f1",
        "    error    the figure has no type; tick the types of its subfigures [type-missing]",
        "b, phase 1: 1 error in 1 of 1 annotation",
        "  f1",
        "    error    pair 1: the question has 3 options; give exactly four [option-count]",
    ]


def test_what_would_steer_a_terminal_is_written_out() -> None:
    work = an_annotation(a_figure("f\x1b[2J"), subfigures=(a_subfigure("A\x1b[2J", tokens=A),) * 2)
    found = [Checked(work, findings_of(work, EXAMPLES["box-tiny"][1]))]
    assert all(line.isprintable() for line in text_lines(found))


def test_nothing_found_is_said() -> None:
    assert tally([]) == "no findings in 0 annotations"
    assert list(text_lines([Checked(an_annotation(), ())])) == ["ann1, phase 1: no findings in 1 annotation"]


def test_the_table_has_a_row_a_finding_with_the_question_it_is_on() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(checked("option-count", "type-missing")))))
    assert tuple(rows[0]) == COLUMNS
    assert [(row["check"], row["about"], row["where"]) for row in rows] == [
        ("option-count", "pair 1", "p1"),
        ("type-missing", "", ""),
    ]
    assert rows[0]["question"] == "Which marker stands at the far left?"


def test_cells_are_no_formulas() -> None:
    work, phase = EXAMPLES["option-count"]
    named = Checked(replace(work, annotator="=1+1"), findings_of(work, phase))
    (row,) = csv.DictReader(io.StringIO(csv_text([named])))
    assert row["annotator"] == "'=1+1"


def test_json_counts_by_severity_and_check() -> None:
    record = json_record(checked("options-alike", "option-count", "boxes-overlap"), "trial")
    assert record["campaign"] == "trial"
    assert record["annotations"] == 3
    assert record["counts"] == {"error": 1, "warning": 3, "note": 0}
    assert record["checks"] == {"box-missing": 1, "boxes-overlap": 1, "option-count": 1, "options-alike": 1}
    assert sum(record["counts"].values()) == len(record["findings"])
    assert {tuple(finding) for finding in record["findings"]} == {
        ("phase", "annotator", "figure_id", "about", "severity", "check", "message", "question", "where")
    }


def test_the_gold_is_checked_by_what_it_holds(home: Home, store: Store) -> None:
    pairs, _ = EXAMPLES["option-count"]
    typed, _ = EXAMPLES["compound-and-count"]
    drawn, _ = EXAMPLES["boxes-overlap"]
    works = {"f1": pairs, "f2": typed, "f3": drawn, "f4": replace(drawn, subfigures=())}
    with store.transaction() as tx:
        for name, work in works.items():
            figure = replace(work.figure, id=name)
            tx.figures.add(figure)
            tx.decisions.add(a_decision(figure, subfigures=work.subfigures, items=work.items))
        tx.figures.add(a_figure("f5"))
        for name in ("ann1", "ann2"):
            tx.annotations.add(an_annotation(a_figure("f5"), annotator=name, subfigures=drawn.subfigures))
        tx.figures.add(a_figure("f6"))
        tx.decisions.add(a_decision(a_figure("f6"), status=Status.REJECTED, subfigures=()))
    found = {
        each.annotation.figure.id: {finding.check for finding in each.findings} for each in check_gold(home, store)
    }
    assert found == {
        "f1": {"option-count"},
        "f2": {"compound-and-count"},
        "f3": {"boxes-overlap", "box-missing"},
        "f4": {"nothing-marked"},
        "f5": {"boxes-overlap", "box-missing"},
    }


def test_a_fault_of_the_checks_costs_one_figure_its_findings(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(caption: Caption) -> ParsedCaption:
        if caption.text == "Odd.":
            raise IndexError("tuple index out of range")
        return parse_caption(caption)

    monkeypatch.setattr(subfigures, "parse_caption", broken)
    twice = (a_subfigure("A", box=LEFT, tokens=()), a_subfigure("A", box=LEFT, tokens=()))
    with store.transaction() as tx:
        for name, caption in (("f1", "Odd."), ("f2", "(A) One. (B) Two.")):
            figure = a_figure(name, caption=caption)
            tx.figures.add(figure)
            tx.annotations.add(an_annotation(figure, subfigures=twice))
    found = {each.annotation.figure.id: each.findings for each in check_home(home, store)}
    # What was found before the fault stays, and the other figure loses nothing.
    assert {each.check for each in found["f1"]} >= {"label-repeated", "checks-failed"}
    assert {each.check for each in found["f2"]} >= {"label-repeated", "text-missing", "box-missing"}
    (fault,) = (each for each in found["f1"] if each.check == "checks-failed")
    assert "(IndexError: tuple index out of range, at test_checking.py:" in fault.message
    (record,) = caplog.records
    assert record.exc_info
    assert record.exc_info[0] is IndexError
