"""What somebody who watches the server asks, on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from builders import a_decision, a_figure, an_annotation
from sqlalchemy import text

from annotator.store.rows.records import QueuePlace
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role, Task

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_an_empty_store_has_nothing_of_anything(store: Store) -> None:
    with store.read() as tx:
        found = tx.status.totals(NOW)
    assert found.decisions == {}
    assert (found.figures, found.annotations, found.queue, found.tasks, found.people) == (0, 0, 0, 0, 0)


def test_totals_count_everything_and_name_nobody(store: Store) -> None:
    figures = [a_figure(f"f{number}") for number in range(3)]
    with store.transaction() as tx:
        for figure in figures:
            tx.figures.add(figure)
        tx.people.put(Person("ann", frozenset({Role.ANNOTATOR})))
        tx.people.put(Person("ann2", frozenset({Role.ANNOTATOR})))
        tx.tasks.add([Task(each.id, "ann", "1") for each in figures[:2]])
        tx.annotations.add(an_annotation(figures[0], annotator="ann"))
        tx.queue.put_places([QueuePlace("f0", 0.5, 2)])
        tx.queue.put_places([QueuePlace("f1", None, 1)])
        tx.decisions.add(a_decision(figures[0]))
    with store.read() as tx:
        found = tx.status.totals(NOW)
    assert (found.figures, found.annotations, found.people) == (3, 1, 2)
    assert (found.tasks, found.tasks_open) == (2, 1)
    assert (found.queue, found.decided) == (2, 1)
    assert found.decisions == {"accepted": 1}
    assert found.reopenings == 0
    assert found.reviewers_at_work == 0


def test_whoever_has_a_figure_open_is_at_work_until_the_lease_ends(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.figures.add(a_figure("f2"))
        for figure, reviewer in (("f1", "rev1"), ("f2", "rev1"), ("f1", "rev2")):
            tx.presence.put_lease(figure, reviewer, NOW + timedelta(minutes=3))
    with store.read() as tx:
        assert tx.status.totals(NOW).reviewers_at_work == 2
        assert tx.status.totals(NOW + timedelta(minutes=4)).reviewers_at_work == 0


def test_the_engine_tells_its_name_and_version(store: Store, backend: str) -> None:
    with store.read() as tx:
        name, version = tx.status.engine()
    assert name == {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[backend]
    assert len(version) >= 2
    assert version > (3,)


def test_the_databases_clock_is_about_ours(store: Store) -> None:
    with store.read() as tx:
        assert abs(tx.status.clock() - datetime.now(UTC)) < timedelta(seconds=60)


def test_a_store_that_another_program_upgraded_is_noticed(store: Store) -> None:
    with store.read() as tx:
        assert tx.status.schema_is_current()
    with store.transaction() as tx:
        tx.session.connection.execute(text("UPDATE panelwise_revision SET version_num = '9999'"))
    with store.read() as tx:
        assert not tx.status.schema_is_current()
        assert tx.status.schema_revision() == "9999"
