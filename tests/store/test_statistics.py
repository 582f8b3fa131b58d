"""What the dashboard counts, on SQLite and on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from annotator.store.rows.records import DayCount, Outcome, SignIn, TaskCounts
from annotator.store.store import Store
from panelwise.domain.campaign import Task
from panelwise.domain.decision import Reopening


@pytest.fixture(autouse=True)
def _work(store: Store) -> None:
    """f1 and f2 done by ann1 in phase 1, f1 twice; f1 by ann2 a day later; f3 waits; f2 was replaced since."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        tx.tasks.add([Task(name, "ann1", "1") for name in ("f1", "f2", "f3")])
        tx.annotations.add(an_annotation(a_figure("f1"), seconds=10.5))
        tx.annotations.add(an_annotation(a_figure("f1"), minutes=5, subfigures=(), seconds=20))
        tx.annotations.add(an_annotation(a_figure("f2"), seconds=None))
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="ann2", phase="2", minutes=24 * 60, seconds=40))
        tx.figures.replace(a_figure("f2", caption="Another (A) caption."))
        tx.decisions.add(a_decision(a_figure("f1"), seconds=7.5))
        tx.decisions.add(a_decision(a_figure("f1"), version=2, reviewer="rev2", seconds=None))
        tx.decisions.add(
            a_decision(a_figure("f3"), reviewer="rev2", seconds=30, decided_at=NOON + timedelta(days=1))
        )
        tx.decisions.add(Reopening(a_figure("f3"), "rev3", 2, NOON + timedelta(days=1)))


def test_tasks_are_counted_as_done_waiting_and_to_be_redone(store: Store) -> None:
    with store.read() as tx:
        assert tx.statistics.task_counts() == {
            ("1", "ann1"): TaskCounts(1, 1, 1),
            ("2", "ann2"): TaskCounts(1, 0, 0),
        }
        assert tx.statistics.annotators() == {"ann1", "ann2"}


def test_what_was_redone_is_done(store: Store) -> None:
    with store.transaction() as tx:
        again = an_annotation(tx.figures.get("f2"), minutes=9, subfigures=(a_subfigure(tokens=(0,)),))
        tx.annotations.add(again)
        assert tx.statistics.task_counts()["1", "ann1"] == TaskCounts(2, 1, 0)


def test_a_figure_counts_once_a_day_and_a_reopening_not_at_all(store: Store) -> None:
    with store.read() as tx:
        assert tx.statistics.submitted_by_day(NOON - timedelta(days=3)) == [
            DayCount("2026-11-21", "ann1", 2),
            DayCount("2026-11-22", "ann2", 1),
        ]
        assert tx.statistics.submitted_by_day(NOON + timedelta(hours=1)) == [DayCount("2026-11-22", "ann2", 1)]
        assert tx.statistics.adjudicated_by_day(NOON) == [
            DayCount("2026-11-21", "rev1", 1),
            DayCount("2026-11-21", "rev2", 1),
            DayCount("2026-11-22", "rev2", 1),
        ]
        assert tx.statistics.adjudicated_by_reviewer() == {"rev1": 1, "rev2": 2}


def test_times_are_those_that_are_known(store: Store) -> None:
    with store.read() as tx:
        assert sorted(tx.statistics.annotation_seconds()) == [
            ("1", "ann1", 10.5),
            ("1", "ann1", 20.0),
            ("2", "ann2", 40.0),
        ]
        assert sorted(tx.statistics.decision_seconds()) == [("rev1", 7.5), ("rev2", 30.0)]


def test_the_mark_moves_with_decisions_and_tasks(store: Store) -> None:
    with store.transaction() as tx:
        first = tx.statistics.mark()
        tx.tasks.add([Task("f3", "ann2", "2")])
        second = tx.statistics.mark()
        tx.decisions.add(a_decision(a_figure("f1"), version=3))
        assert len({first, second, tx.statistics.mark()}) == 3


def test_sign_ins_are_kept_and_found_the_same_way(store: Store) -> None:
    with store.transaction() as tx:
        for number, outcome in enumerate((Outcome.SIGNED_IN, Outcome.WRONG_PASSWORD, Outcome.SIGNED_IN)):
            tx.sign_ins.add(SignIn(NOON + timedelta(hours=number), "ruth", outcome, f"192.0.2.{number}"))
    with store.read() as tx:
        assert [each.address for each in tx.sign_ins.newest(limit=3)] == ["192.0.2.2", "192.0.2.1", "192.0.2.0"]
        assert [each.outcome for each in tx.sign_ins.newest(failed=True)] == [Outcome.WRONG_PASSWORD]
        assert tx.sign_ins.last_by_name() == {"ruth": NOON + timedelta(hours=2)}
        assert tx.sign_ins.addresses_of("ruth", NOON) == {"192.0.2.0", "192.0.2.2"}
        assert tx.sign_ins.addresses_of("ruth", NOON + timedelta(hours=1)) == {"192.0.2.2"}
        assert tx.sign_ins.addresses_of("tom", NOON) == set()
        assert tx.sign_ins.count_failed(NOON) == 1
        assert tx.sign_ins.count_failed(NOON + timedelta(hours=2)) == 0


def test_settled_work_is_ones_own_with_the_decision_that_holds(store: Store) -> None:
    with store.transaction() as tx:
        mine = [
            (own.figure.id, own.phase, own.subfigures, gold.version) for own, gold in tx.work.adjudicated("ann1")
        ]
        # f2 was replaced since, and f3 was reopened and never submitted.
        assert mine == [("f1", "1", (), 2)]
        assert [own.annotator for own, _ in tx.work.adjudicated("ann2")] == ["ann2"]
        assert list(tx.work.adjudicated("rev1")) == []
        tx.decisions.add(Reopening(a_figure("f1"), "rev1", 3, NOON + timedelta(days=1)))
        assert list(tx.work.adjudicated("ann1")) == []


def test_figures_wait_until_something_of_them_is_submitted_in_every_phase(store: Store) -> None:
    with store.transaction() as tx:
        assert tx.work.waiting("ann1") == {"f3"}
        tx.tasks.add([Task("f1", "ann1", "2")])
        assert tx.work.waiting("ann1") == {"f1", "f3"}
        assert tx.work.waiting("ann2") == set()
