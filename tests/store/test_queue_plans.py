"""What the database does for a page of the queue, by its own account."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from builders import NOON, a_figure
from sqlalchemy import event, text
from sqlalchemy.dialects import sqlite
from store.queued import a_place

from annotator.store.queries.queue.search import run
from annotator.store.rows.records import Facet, Hidden, Sought
from annotator.store.store import Store, Transaction


def plan_of(tx: Transaction, statement: Any) -> list[str]:
    sql = str(statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    return [row[3] for row in tx.session.connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"))]


@pytest.mark.parametrize("facet", [(Facet.ALL, ""), (Facet.LOSS, "no box")])
@pytest.mark.parametrize("back", [False, True])
def test_a_page_is_a_run_of_entries_in_an_index_from_where_it_begins(facet: tuple[Facet, str], back: bool) -> None:
    with Store.open("sqlite://", create=True) as store, store.read() as tx:
        first = plan_of(tx, run(facet, False, 51, back=back))
        later = plan_of(tx, run(facet, False, 51, beyond=(0.5, "f7"), back=back))
    index = "SEARCH queue_facets USING COVERING INDEX ix_queue_facets (kind=? AND value=? AND decided=?"
    assert first == [f"{index})"]
    assert later == [f"{index} AND (place,figure_id){'<' if back else '>'}(?,?))"]


SOUGHT = {
    "everything": Sought(),
    "one condition": Sought(((Facet.LOSS, "no box"),)),
    "several": Sought(((Facet.LOSS, "no box"), (Facet.PHASE, "1"), (Facet.ANNOTATOR, "ann1"))),
    "hidden": Sought(((Facet.LOSS, "no box"),), hidden=Hidden("rev1", ("2", "3"))),
    "skipped": Sought(((Facet.PHASE, "2"),), skipped_by="rev1"),
    "words": Sought(words=("lung",)),
    "words and skipped": Sought(words=("lung",), skipped_by="rev1"),
}


@contextmanager
def statements(store: Store) -> Iterator[list[tuple[str, tuple[object, ...]]]]:
    """Every statement that is run inside, as the database gets it, with its values."""
    found: list[tuple[str, tuple[object, ...]]] = []

    def note(_connection: object, _cursor: object, sql: str, values: tuple[object, ...], *_: object) -> None:
        if sql.startswith("SELECT"):
            found.append((sql, values))

    event.listen(store._database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(store._database.engine, "before_cursor_execute", note)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sought", SOUGHT.values(), ids=SOUGHT)
def test_neither_a_page_nor_the_next_figure_goes_through_a_table(queued: Store, sought: Sought) -> None:
    with queued.transaction() as tx:
        tx.presence.put_skip("f03", "rev1", NOON)
        tx.presence.put_lease("f01", "rev2", NOON)
    with statements(queued) as seen, queued.read() as tx:
        tx.queue.page(sought, reviewer_done=False, limit=51, after="f02")
        tx.queue.page(sought, limit=51)
        tx.queue.counts(Facet.LOSS, "no box")
        tx.queue.next("f01", sought=sought, reviewer="rev1", now=NOON)
        tx.blind.hides(Hidden("rev1", ("2",)), ["f01"])
        tx.blind.hides(Hidden("rev1", ("2",)))
    assert len(seen) > 5
    with queued.read() as tx:
        for sql, values in seen:
            plan = [row[3] for row in tx.session.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
            # Of a full-text index SQLite says "SCAN" where it looks words up.
            assert not [line for line in plan if line.startswith("SCAN") and "VIRTUAL TABLE" not in line], plan
            if "FROM queue_facets" in sql and " IN (" not in sql:
                assert not any("TEMP B-TREE" in line for line in plan), plan


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
@pytest.mark.parametrize("sought", SOUGHT.values(), ids=SOUGHT)
@pytest.mark.slow
def test_what_is_read_for_a_page_does_not_grow_with_the_queue(queued: Store, sought: Sought) -> None:
    """By SQLite's own count of steps; plans alone do not tell how far a run is gone along."""
    with queued.transaction() as tx:
        tx.presence.put_skip("f03", "rev1", NOON)
        tx.presence.put_skip("f06", "rev1", NOON)

    def steps() -> int:
        with queued.read() as tx:
            raw = tx.session.connection.connection.driver_connection
            assert raw is not None
            count = 0

            def tick() -> int:
                nonlocal count
                count += 1
                return 0

            raw.set_progress_handler(tick, 10)
            tx.queue.page(sought, reviewer_done=False, limit=3, after="f02")
            tx.queue.next("f01", sought=sought, reviewer="rev1", now=NOON)
            tx.queue.counts()
            raw.set_progress_handler(None, 10)
            return count

    few = steps()
    with queued.transaction() as tx:
        for number in range(600):
            tx.figures.add(a_figure(f"g{number:03}"))
        more = [
            a_place(f"g{number:03}", number / 600, phases=("1", "2"), loss="no box", words="kidney")
            for number in range(600)
        ]
        tx.queue.put_places(more)
    assert steps() <= few * 1.3 + 5


@pytest.mark.live
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_page_is_read_off_the_index_on_postgresql_too(store: Store) -> None:
    from sqlalchemy.dialects import postgresql

    with store.transaction() as tx:
        tx.figures._write(text("INSERT INTO figures SELECT 'f' || n, 1 FROM generate_series(0, 2999) AS n"))
        tx.figures._write(
            text(
                "INSERT INTO queue_facets SELECT 'f' || n, 'all', '', n > 300, random() "
                "FROM generate_series(0, 2999) AS n"
            )
        )
        tx.figures._write(text("ANALYZE queue_facets"))
    options = {"literal_binds": True}
    with store.read() as tx:
        for decided, beyond in ((False, None), (True, (0.5, "f7"))):
            statement = run((Facet.ALL, ""), decided, 51, beyond=beyond)
            sql = statement.compile(dialect=postgresql.dialect(), compile_kwargs=options)
            plan = "\n".join(row[0] for row in tx.session.connection.execute(text(f"EXPLAIN {sql}")))
            assert "ix_queue_facets" in plan, plan
            assert "Sort" not in plan, plan
