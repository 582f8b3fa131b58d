"""The machine's clock is set back in the middle of a campaign: order is as things happened, and none is lost."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from builders import NOON, a_figure, a_subfigure, an_annotation

from annotator.adjudication.decide import decide
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import Draft, SubfiguresDraft
from annotator.adjudication.history import figure_history, reopen, restore
from annotator.adjudication.messages.send_back import returns_of, send_back
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.measurement.report import ReportOptions, measure
from annotator.own_tasks import annotate
from annotator.queue.pages import changed_since
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import Decision
from panelwise.settings.campaign_toml import FILE_NAME

BACK = [timedelta(hours=1), timedelta(days=1)]
FULL, SHORT = (4, 6, 7), (4,)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


@pytest.fixture(params=BACK, ids=["an hour", "a day"])
def back(request: pytest.FixtureRequest) -> timedelta:
    found: timedelta = request.param
    return found


@pytest.fixture
def home(home: Home) -> Home:
    """f1 and f2, which ann1 and ann2 annotate on Panelwise's own screen; ann2 has done so."""
    file = home.path / FILE_NAME
    phase = '\n[[phases]]\nname = "own"\nannotate_in = "panelwise"\n'
    file.write_text(file.read_text(encoding="utf-8") + phase, encoding="utf-8")
    home = Home.find(home.path)
    with home.open_store() as store, store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
            tx.tasks.add([Task(name, who, "own") for who in ("ann1", "ann2")])
            drawn = (a_subfigure(tokens=SHORT),)
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann2", phase="own", subfigures=drawn))
    return home


def a_draft(version: int, tokens: tuple[int, ...] = FULL) -> Draft:
    return SubfiguresDraft(
        version=version, status=Status.ACCEPTED, subfigures=(Panel("A", (0, 0, 400, 600), tokens),)
    )


def submit(
    store: Store, home: Home, version: int, tokens: tuple[int, ...], now: datetime, figure: str = "f1"
) -> None:
    key = TaskKeys(home.secret()).of(Task(figure, "ann1", "own"))
    annotate.submit(store, home, key, "ann1", a_draft(version, tokens), revision=1, now=now)


def own(store: Store) -> list[Annotation]:
    with store.read() as tx:
        return tx.annotations.history("f1", "ann1", "own")


def test_a_correction_after_a_return_is_one_and_the_first_work_stays_the_independent_one(
    store: Store, home: Home, back: timedelta
) -> None:
    submit(store, home, 0, FULL, at(1))
    submit(store, home, 0, SHORT, at(1), "f2")
    for each in returns_of(store, home, "f1").recipients:
        send_back(store, home, "f1", "rev1", each.key, "own", "fewer words", now=at(5))
    submit(store, home, 1, SHORT, at(6) - back)
    with store.read() as tx:
        assert tx.sent_back.open_for("ann1") == ()
        current = [each for each in tx.annotations.all(annotator="ann1") if each.figure.id == "f1"]
    first, corrected = own(store)
    assert [each.saved_at for each in current] == [corrected.saved_at]
    assert (first.subfigures[0].subcaption, corrected.subfigures[0].subcaption) == (
        frozenset(FULL),
        frozenset(SHORT),
    )
    assert first.saved_at == at(1)
    assert corrected.saved_at > at(5)
    report = measure(store, ReportOptions(phase="own"), campaign=home.campaign)
    assert report.corrected is not None
    assert (report.corrected.annotations, report.corrected.sent_back) == (1, 1)
    assert annotate.undo(store, home, "ann1", now=at(7) - back)
    assert own(store)[-1].subfigures == first.subfigures


def test_decisions_follow_each_other_and_show_no_work_as_unseen(store: Store, home: Home, back: timedelta) -> None:
    submit(store, home, 0, FULL, at(1))
    decide(store, home, "f1", "rev1", a_draft(0), now=at(2) - back)
    with store.read() as tx:
        work = tx.work.of("f1")
    assert not changed_since(work.decision, work.annotations)
    decide(store, home, "f1", "rev2", a_draft(1, SHORT), now=at(3) - back)
    reopen(store, "f1", "rev1", loaded=2, now=at(4) - 2 * back)
    restore(store, home, "f1", "rev1", 1, loaded=3, now=at(5) - back)
    with store.read() as tx:
        history = tx.decisions.history("f1")
        assert [each.version for each in history] == [1, 2, 3, 4]
        times = [each.decided_at if isinstance(each, Decision) else each.reopened_at for each in history]
        assert times == sorted(times)
        decision = tx.decisions.get("f1")
    assert decision is not None
    assert (decision.version, decision.subfigures[0].subcaption) == (4, frozenset(FULL))
    assert [each.made.version for each in figure_history(store, home, "f1").entries] == [4, 3, 2, 1]
    # Work that comes now is later than the decision, as the reviewer has not seen it.
    submit(store, home, 1, SHORT, at(6) - back)
    with store.read() as tx:
        work = tx.work.of("f1")
    assert changed_since(work.decision, work.annotations)


def test_who_looks_after_the_clock_was_set_back_had_worked_without_a_look(
    store: Store, home: Home, back: timedelta
) -> None:
    submit(store, home, 0, FULL, at(1))
    submit(store, home, 0, FULL, at(1), "f2")
    with store.transaction() as tx:
        tx.seen.add("ann1", ["f1"], at(2) - back)
        tx.seen.add_all("ann1", at(2) - back)
    report = measure(store, ReportOptions(phase="own"), campaign=home.campaign)
    assert report.acquainted is None
    assert report.corrected is None or report.corrected.annotations == 0
    # What they submit then does not count as independent.
    submit(store, home, 1, SHORT, at(3) - back)
    score_disagreement(store, home.campaign)
    report = measure(store, ReportOptions(phase="own"), campaign=home.campaign)
    assert report.corrected is not None
    assert report.corrected.annotations == 1
