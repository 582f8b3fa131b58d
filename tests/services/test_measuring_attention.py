"""Which attention a report has: of homes from the store, of files from what they export."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from builders import a_figure, a_subfigure, an_annotation
from services.measured import QUICK, put

from agreement.columns.corpus import Corpus
from agreement.columns.row_traits import attention_on
from agreement.reading.joining import joined
from agreement.score.subfigure_f1 import Mode
from annotator.campaign.home import Home
from annotator.measurement import columns
from annotator.measurement.columns import attention_in, read_sources
from annotator.measurement.report import ReportOptions, measure, measure_sources
from annotator.store.rows.records import SUBMITTED
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.attention import Attention
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAVerdict, Verdict
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record

FIGURE = a_figure("f1")
PARTS = (a_subfigure("A"), a_subfigure("B", box=(110, 0, 190, 100)))
LOOKED = an_annotation(FIGURE, annotator="ada", subfigures=PARTS)
LOOKED = replace(LOOKED, viewed=("A",), unchanged=True, seconds=1.5)
OF_LOOKED = Attention(figures=1, unchanged=1, parts=2, unseen=1, timed=1, fast=1)


def attention_of_file(tmp_path: Path, *work: Annotation) -> dict[tuple[str, str], Attention]:
    write_lines(tmp_path / "annotations.jsonl", map(annotation_record, work))
    file = tmp_path / "annotations.jsonl"
    found = []
    for least in (0, 1 << 60):
        # As a large file is read, and a small one.
        with patch.object(columns, "COLUMNS_FROM", least):
            read = read_sources([file], Problems(), lambda home, store: iter(()), Mode.PAPER, None)
            raw = read_sources([file], Problems(), lambda home, store: iter(()), Mode.OFFICIAL, None)
        found += [attention_in(dict(zip([file], corpora, strict=True))) for corpora in (read, raw)]
    assert all(own == found[0] for own in found)
    return found[0]


def test_a_file_has_the_attention_of_its_latest_accepted_work(tmp_path: Path) -> None:
    earlier = replace(LOOKED, saved_at=LOOKED.saved_at.replace(year=2020), viewed=("A", "B"))
    elsewhere = replace(LOOKED, annotator="bea", viewed=None, unchanged=False)
    rejected = replace(LOOKED, annotator="cyd", status=Status.REJECTED)
    # What is no part of the figure was not looked at in it.
    more = replace(LOOKED, viewed=("A", "elsewhere"))
    for work in ((more, earlier), (earlier, more)):
        assert attention_of_file(tmp_path, *work, elsewhere, rejected) == {("1", "ada"): OF_LOOKED}
    assert attention_of_file(tmp_path, elsewhere) == {}


def test_work_that_is_in_a_file_twice_counts_once(tmp_path: Path) -> None:
    elsewhere = replace(LOOKED, annotator="bea", viewed=None, unchanged=False)
    assert attention_of_file(tmp_path, elsewhere, elsewhere, LOOKED, LOOKED) == {("1", "ada"): OF_LOOKED}
    assert attention_of_file(tmp_path, elsewhere, elsewhere) == {}


def test_attention_stays_with_its_work_when_work_is_joined() -> None:
    elsewhere = replace(LOOKED, annotator="bea", viewed=None, unchanged=False)
    whole = joined([Corpus.of([LOOKED]), Corpus.of([elsewhere, LOOKED])])
    assert attention_on(whole.rows) == {0: OF_LOOKED, 2: OF_LOOKED}


def test_items_and_the_figures_type_are_parts_too(tmp_path: Path) -> None:
    kind = FigureKind(compound=False, count=1, types=frozenset({"line chart"}), note="")
    items = Items(kind, (QAVerdict("q1", Verdict.CORRECT, None, ""),), (HumanAnswer("q2", "yes", ""),))
    work = replace(LOOKED, subfigures=(), items=items, viewed=("", "q2"))
    expected = Attention(figures=1, unchanged=1, parts=3, unseen=1, timed=1, fast=1)
    assert attention_of_file(tmp_path, work) == {("1", "ada"): expected}


@pytest.mark.parametrize(
    "odd",
    [
        {"phase": 1, "unchanged": None, "seconds": None},
        {"viewed": ["A", None]},
        {"saved_at": None, "revision": None},
    ],
)
def test_whatever_the_report_reads_has_its_attention(tmp_path: Path, odd: dict[str, object]) -> None:
    file = tmp_path / "odd.jsonl"
    other = {**annotation_record(LOOKED), "annotator": "bea"}
    file.write_text(json.dumps({**annotation_record(LOOKED), **odd}) + "\n" + json.dumps(other) + "\n{\n")
    report = measure_sources([file], Problems(), ReportOptions(settings=QUICK))
    assert [(each.annotator, each.figures, each.unseen.value) for each in report.attention] == [
        ("ada", 1, 0.5),
        ("bea", 1, 0.5),
    ]


def test_a_home_has_the_numbers_of_the_dashboard_and_counts_exported_work_once(
    home: Home, store: Store, tmp_path: Path
) -> None:
    put(store, replace(LOOKED, annotator="bea", viewed=None))
    with store.transaction() as tx:
        tx.annotations.add(LOOKED, origin=SUBMITTED)
        tx.annotations.add(replace(LOOKED, phase="2"), origin=SUBMITTED)
    export = tmp_path / "annotations.jsonl"
    write_lines(export, map(annotation_record, [LOOKED]))
    options = ReportOptions(phase="1", settings=QUICK)
    with store.read() as tx:
        dashboard = tx.statistics.attention()[("1", "ada")]
    for report in (
        measure(store, options),
        measure_sources([home.path], Problems(), options),
        measure_sources([export, home.path], Problems(), options),
    ):
        ada, bea = report.attention
        assert ada.counts == dashboard == OF_LOOKED
        assert (bea.counts, bea.unseen.value, bea.figures) == (None, None, 0)
        assert "own screen" in bea.unseen.reason
