"""The demo of questions on a server in memory: from pictures to a queue with something to settle."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.campaign.home import Home
from annotator.demo import figures
from annotator.demo import questions as demo_questions
from panelwise.domain.errors import AnnotatorError
from panelwise.domain.items import Verdict
from tests.label_studio.fake import FakeServer


def quiet(_: str) -> None:
    """No report."""


@pytest.mark.slow
def test_two_annotators_differ_where_the_second_reads_fast(tmp_path: Path) -> None:
    home = demo_questions.prepare(tmp_path / "demo", quiet)
    server = FakeServer()
    with home.open_store() as store:
        figures.fill(home, store, server, quiet, work=demo_questions.work)
        figures.fill(home, store, server, quiet, work=demo_questions.work)
        with store.read() as tx:
            found = {(each.figure.id, each.annotator): each for each in tx.annotations.all()}
            queue = [(entry.figure_id, entry.agreement) for entry in tx.queue.page()]
    assert len(found) == 12
    said = {
        name: {
            verdict.item
            for (_, who), each in found.items()
            if who == name
            for verdict in each.items.verdicts
            if verdict.verdict is Verdict.INCORRECT
        }
        for name in demo_questions.SIMULATED
    }
    assert said["ann1"] ^ said["ann2"] == {"chart-002-q4", "chart-003-q7", "chart-005-q2", "chart-006-q1"}
    assert queue[0][0] == "chart-005"
    assert [figure for figure, agreement in queue if agreement == 1.0] == ["chart-001", "chart-004"]


def test_a_demo_takes_no_home_that_is_not_its_own(tmp_path: Path) -> None:
    Home.create(tmp_path / "work")
    with pytest.raises(AnnotatorError, match="holds another campaign"):
        demo_questions.prepare(tmp_path / "work", quiet)
