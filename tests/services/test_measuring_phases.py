from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_figure, a_subfigure, an_annotation
from services.measured import QUICK, put, two, written

from agreement.report.full_report import Course
from agreement.trends.drift import Grouping
from annotator.campaign.home import Home
from annotator.measurement.report import ReportOptions, measure, measure_sources
from annotator.store.store import Store
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record

BY_BATCH = Course(Grouping.BATCH)


def test_two_phases_of_a_campaign_are_compared(store: Store) -> None:
    put(store, *two(), *two("f2"), *two(phase="2"))
    found = measure(store, options=ReportOptions(phase="1", against="2", settings=QUICK))
    assert found.other_phase is not None
    assert found.other_phase.shared == 1
    assert [each.score for each in found.repeats] == [1, 1]
    assert found.counts.figures == 2


def test_the_two_phases_may_come_from_two_files(tmp_path: Path) -> None:
    files = [written(tmp_path / f"{phase}.jsonl", *two(phase=phase)) for phase in "12"]
    found = measure_sources(files, Problems(), options=ReportOptions(phase="2", against="1", settings=QUICK))
    assert found.other_phase is not None
    assert (found.other_phase.here, found.other_phase.there) == ("2", "1")
    assert found.other_phase.contrasts[0].difference == 0


def test_a_phase_that_nobody_knows_or_that_is_the_same_is_told(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", *two(), *two(phase="2"))
    with pytest.raises(AnnotatorError, match=r'has no phase "9"; choose .* with --against'):
        measure_sources([file], Problems(), options=ReportOptions(phase="1", against="9", settings=QUICK))
    with pytest.raises(
        AnnotatorError, match='phase "1" against itself differs by nothing; choose another --against'
    ):
        measure_sources([file], Problems(), options=ReportOptions(phase="1", against="1", settings=QUICK))
    with pytest.raises(AnnotatorError, match="holds phases 1, 2; choose one with --phase"):
        measure_sources([file], Problems(), options=ReportOptions(against="1", settings=QUICK))


def test_what_is_left_out_on_another_revision_is_told_of_the_phases_that_were_asked_for(tmp_path: Path) -> None:
    old = two() + two(phase="2") + two(phase="3")
    new = replace(a_figure("f1"), caption=Caption.cut("one two three"), revision=2)
    parts = (a_subfigure(tokens=(0,)),)
    again = [
        an_annotation(new, annotator="ann3", phase=phase, subfigures=parts, minutes=5) for phase in ("1", "2", "3")
    ]
    file = written(tmp_path / "a.jsonl", *old, *again)
    told: list[str] = []
    measure_sources([file], Problems(), options=ReportOptions(phase="1", settings=QUICK), warn=told.append)
    measure_sources(
        [file], Problems(), options=ReportOptions(phase="1", against="2", settings=QUICK), warn=told.append
    )
    assert [line.split(" annotations ")[0] for line in told] == ["left out 2", "left out 4"]


def test_the_batches_of_a_home_are_those_of_its_figures(home: Home, store: Store) -> None:
    work = [*two("f1", source={"batch": "b"}), *two("f2", extra={"batch": 2}), *two("f3")]
    opened = home.open_store()
    put(opened, *work)
    opened.close()
    found = measure_sources(
        [], Problems(), options=ReportOptions(settings=QUICK, course=BY_BATCH), home=home.path
    ).drift
    put(store, *work)
    assert found == measure(store, options=ReportOptions(settings=QUICK, course=BY_BATCH)).drift
    assert found is not None
    assert sorted(each.name for each in found.periods) == ["2", "b"]
    assert found.unplaced == ("f3",)


def test_batches_of_files_come_from_their_lines_or_from_a_file_of_figures(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_lines(file, ({**annotation_record(each), "batch": "of the line"} for each in two("f1") + two("f2")))
    figures = tmp_path / "figures.jsonl"
    figures.write_text(json.dumps({"figure_id": "f1", "source": {"batch": "of the figure"}}), "utf-8")

    def names(**more: Path) -> list[str]:
        drift = measure_sources(
            [file], Problems(), options=ReportOptions(settings=QUICK, course=BY_BATCH), **more
        ).drift
        assert drift is not None
        return [each.name for each in drift.periods]

    assert names() == ["of the line"]
    assert names(batches=figures) == ["of the figure", "of the line"]
    with pytest.raises(AnnotatorError, match=r"absent.jsonl: no such file; name a figures.jsonl with --batches"):
        names(batches=tmp_path / "absent.jsonl")
