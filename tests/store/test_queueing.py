"""The queue as it is kept: places, what figures are found by, and their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select, text
from sqlalchemy.dialects import sqlite

from annotator.domain.adjudication import Reopening
from annotator.domain.annotation import Status
from annotator.domain.errors import StoreError
from annotator.store.queueing import UNJUDGED
from annotator.store.records import Facet, QueueCounts, QueuePlace, Sought
from annotator.store.seeking import MOST_FOUND, run
from annotator.store.store import Store, Transaction
from annotator.store.tables import queue_facets

FIGURES = 12


def a_place(name: str, agreement: float | None = 0.5, **more: object) -> QueuePlace:
    fields: dict[str, object] = {"names": ("ann1", "ann2"), "phases": ("1",), **more}
    return QueuePlace(name, agreement, 2, **fields)  # type: ignore[arg-type]


@pytest.fixture
def queued(store: Store) -> Store:
    """f00 without an agreement, then from the worst on; "no box" in every second, phase 2 in every third."""
    with store.transaction() as tx:
        for number in range(FIGURES):
            tx.add_figure(a_figure(f"f{number:02}"))
        tx.put_places(
            [
                a_place(
                    f"f{number:02}",
                    number / FIGURES if number else None,
                    loss="no box" if number % 2 else "surplus text",
                    phases=("1", "2") if number % 3 == 0 else ("1",),
                    agreed=number == FIGURES - 1,
                    words=f"f{number:02} left lung" if number % 4 else f"f{number:02} heart",
                )
                for number in range(FIGURES)
            ]
        )
    return store


def ids(tx: Transaction, *facets: tuple[Facet, str], done: bool | None = None, **more: object) -> list[str]:
    sought = Sought(facets, words=more.pop("words", ()))  # type: ignore[arg-type]
    return [entry.figure_id for entry in tx.queue(sought, reviewer_done=done, **more)]  # type: ignore[arg-type]


def named(*numbers: int) -> list[str]:
    return [f"f{number:02}" for number in numbers]


def counted(tx: Transaction) -> dict[tuple[str, str], QueueCounts]:
    """What `facet_counts` should say, counted."""
    c = queue_facets.c
    columns = (c.kind, c.value, c.decided)
    rows = tx._rows(select(*columns, func.count().label("n")).group_by(*columns))
    found: dict[tuple[str, str], QueueCounts] = {}
    for row in rows:
        before = found.get((row["kind"], row["value"]), QueueCounts(0, 0))
        decided = before.decided + (row["n"] if row["decided"] else 0)
        found[row["kind"], row["value"]] = QueueCounts(before.total + row["n"], decided)
    return found


def test_each_condition_lists_the_figures_that_meet_it_and_several_those_that_meet_all(queued: Store) -> None:
    with queued.read() as tx:
        assert ids(tx) == named(*range(FIGURES))
        assert ids(tx, (Facet.LOSS, "no box")) == named(1, 3, 5, 7, 9, 11)
        assert ids(tx, (Facet.LOSS, "no box"), (Facet.PHASE, "2")) == named(3, 9)
        assert ids(tx, (Facet.ANNOTATOR, "ann1"), (Facet.ANNOTATOR, "ann2"), (Facet.AGREED, "")) == named(11)
        assert ids(tx, (Facet.ANNOTATOR, "nobody")) == []


def test_words_are_found_in_ids_and_captions_and_the_last_by_its_beginning(queued: Store) -> None:
    with queued.read() as tx:
        assert ids(tx, words=("heart",)) == named(0, 4, 8)
        assert ids(tx, words=("left", "lu"), limit=2) == named(1, 2)
        assert ids(tx, words=("lef", "lung")) == []
        assert ids(tx, (Facet.PHASE, "2"), words=("hea",)) == named(0)
        assert ids(tx, words=("f07",)) == named(7)
        assert ids(tx, words=("eart",)) == []
        with pytest.raises(StoreError, match="letters and digits"):
            tx.with_words(('heart" OR "lung',))


def test_other_words_replace_those_of_an_earlier_caption(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.put_places([a_place("f00", words="f00 liver")])
        assert ids(tx, words=("heart",)) == named(4, 8)
        assert ids(tx, words=("liver",)) == named(0)


def test_no_more_than_so_many_figures_are_taken_for_words_and_that_is_told(
    queued: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.store import seeking

    assert MOST_FOUND == 1000
    monkeypatch.setattr(seeking, "MOST_FOUND", 3)
    with queued.read() as tx:
        found, more = tx.with_words(("heart",))
        assert (sorted(found), more) == (named(0, 4, 8), False)
        found, more = tx.with_words(("lung",))
        assert (len(found), more) == (3, True)


def test_pages_follow_each_other_and_go_back_without_a_gap(queued: Store) -> None:
    with queued.transaction() as tx:
        for number in (2, 5, 6):
            tx.add_decision(a_decision(a_figure(f"f{number:02}")))
        for done, names in ((None, named(*range(FIGURES))), (False, named(0, 1, 3, 4, 7, 8, 9, 10, 11))):
            seen: list[str] = []
            while page := ids(tx, done=done, limit=4, after=seen[-1] if seen else None):
                seen += page
            assert seen == names
            back: list[str] = []
            while page := ids(tx, done=done, limit=4, before=back[0] if back else "f11"):
                back = page + back
            assert back == names[:-1]
        assert ids(tx, limit=3, after="f02") == named(3, 4, 5)
        assert ids(tx, limit=3, after="nope") == named(0, 1, 2)
        assert ids(tx, (Facet.LOSS, "no box"), limit=2, after="f04") == named(5, 7)


def test_figures_with_one_score_are_paged_by_id(store: Store) -> None:
    with store.transaction() as tx:
        for number in range(FIGURES):
            tx.add_figure(a_figure(f"f{number:02}"))
        tx.put_places([a_place(f"f{number:02}", 1.0) for number in range(FIGURES)])
        assert ids(tx, limit=3, after="f05") == named(6, 7, 8)
        assert ids(tx, limit=3, before="f05") == named(2, 3, 4)


def test_a_decision_moves_its_figure_in_every_list_and_a_reopening_moves_it_back(queued: Store) -> None:
    with queued.transaction() as tx:
        before = tx.facet_counts()
        tx.add_decision(a_decision(a_figure("f03"), status=Status.REJECTED))
        assert ids(tx, (Facet.LOSS, "no box"), done=False) == named(1, 5, 7, 9, 11)
        assert ids(tx, (Facet.STATUS, "rejected")) == ids(tx, (Facet.REVIEWER, "rev1")) == named(3)
        assert tx.queue_counts(Facet.LOSS, "no box") == QueueCounts(6, 1)
        tx.add_decision(a_decision(a_figure("f03"), version=2, reviewer="rev2"))
        assert ids(tx, (Facet.STATUS, "rejected")) == ids(tx, (Facet.REVIEWER, "rev1")) == []
        assert tx.queue_counts() == QueueCounts(FIGURES, 1)
        tx.add_decision(Reopening(a_figure("f03"), "rev2", 3, NOON))
        assert ids(tx, done=False) == named(*range(FIGURES))
        assert tx.facet_counts() == before == counted(tx)


def test_another_caption_takes_its_figure_back_into_the_open_lists(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.add_decision(a_decision(a_figure("f03")))
        tx.replace_figure(a_figure("f03", caption="Another."))
        assert tx.queue_counts() == QueueCounts(FIGURES, 0)
        assert "f03" in ids(tx, (Facet.LOSS, "no box"), done=False)
        assert tx.facet_counts() == counted(tx)


def test_measuring_again_moves_a_figure_from_list_to_list_and_keeps_its_decision(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.add_decision(a_decision(a_figure("f03")))
        tx.put_places([a_place("f03", 0.99, loss=None, names=("ann3",), phases=("1",))])
        assert ids(tx)[-1] == "f03"
        assert ids(tx, (Facet.ANNOTATOR, "ann3")) == ids(tx, (Facet.REVIEWER, "rev1")) == named(3)
        assert "f03" not in ids(tx, (Facet.LOSS, "no box")) + ids(tx, (Facet.PHASE, "2"))
        entry = tx.queue_entries(["f03"])["f03"]
        assert (entry.agreement, entry.loss, entry.phases, entry.decided) == (0.99, None, ("1",), Status.ACCEPTED)
        assert tx.facet_counts() == counted(tx)


def test_what_is_counted_down_to_nothing_is_offered_no_more(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.put_places([a_place("f11", 1.0, agreed=False)])
        assert (Facet.AGREED, "") not in tx.facet_counts()


def test_a_renamed_person_is_found_under_the_new_name_and_a_phase_of_that_name_stays(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.put_places([a_place("f00", None, names=("2", "ann2"), phases=("1", "2"))])
        tx.add_annotation(an_annotation(a_figure("f00"), annotator="2"))
        tx.rename_person("2", "new")
        assert ids(tx, (Facet.ANNOTATOR, "new")) == named(0)
        assert tx.queue_counts(Facet.ANNOTATOR, "new") == QueueCounts(1, 0)
        assert ids(tx, (Facet.PHASE, "2")) == named(0, 3, 6, 9)
        assert tx.facet_counts() == counted(tx)


class _Undo(Exception):
    pass


places = st.builds(
    QueuePlace,
    st.sampled_from(named(*range(6))),
    st.none() | st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 3),
    names=st.lists(st.sampled_from(["ann1", "ann2", "ann3"]), unique=True).map(tuple),
    phases=st.lists(st.sampled_from(["1", "2"]), unique=True).map(lambda names: tuple(sorted(names))),
    loss=st.none() | st.sampled_from(["no box", "missing text"]),
    agreed=st.booleans(),
)
decided = st.tuples(st.sampled_from(named(*range(6))), st.sampled_from([*Status, None]))
steps = st.lists(places | decided, max_size=14)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=20)
@given(steps)
def test_lists_and_numbers_are_those_of_a_search_through_everything(store: Store, done: list[object]) -> None:
    def compare() -> None:
        with store.transaction() as tx:
            for number in range(6):
                tx.add_figure(a_figure(f"f{number:02}"))
            there: dict[str, QueuePlace] = {}
            status: dict[str, Status | None] = {}
            for step in done:
                if isinstance(step, QueuePlace):
                    tx.put_places([step])
                    there[step.figure_id] = step
                    continue
                assert isinstance(step, tuple)
                name, decided = step
                version = tx.last_version(name) + 1
                figure = a_figure(name)
                tx.add_decision(
                    Reopening(figure, "rev1", version, NOON)
                    if decided is None
                    else a_decision(figure, version=version, status=decided)
                )
                status[name] = decided

            def listed(has: object, *, decided: bool | None) -> list[str]:
                wanted = [
                    place
                    for name, place in there.items()
                    if has(place) and decided in (None, status.get(name) is not None)  # type: ignore[operator]
                ]
                key = [(UNJUDGED if each.agreement is None else each.agreement, each.figure_id) for each in wanted]
                return [name for _, name in sorted(key)]

            for decided in (None, True, False):
                assert ids(tx, done=decided) == listed(lambda _: True, decided=decided)
                loss = ids(tx, (Facet.LOSS, "no box"), (Facet.ANNOTATOR, "ann1"), done=decided)
                assert loss == listed(
                    lambda place: place.loss == "no box" and "ann1" in place.names, decided=decided
                )
                agreed = ids(tx, (Facet.AGREED, ""), (Facet.PHASE, "2"), done=decided)
                assert agreed == listed(lambda place: place.agreed and "2" in place.phases, decided=decided)
            assert tx.facet_counts() == counted(tx)
            raise _Undo

    with pytest.raises(_Undo):
        compare()


def plan_of(tx: Transaction, statement: object) -> list[str]:
    sql = str(statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))  # type: ignore[attr-defined]
    return [row[3] for row in tx._connection.execute(text(f"EXPLAIN QUERY PLAN {sql}"))]


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


@pytest.mark.parametrize("sought", SOUGHT.values(), ids=SOUGHT)
def test_neither_a_page_nor_the_next_figure_goes_through_a_table(queued: Store, sought: Sought) -> None:
    if queued._database.file is None:
        pytest.skip("plans are SQLite's")
    with queued.transaction() as tx:
        tx.put_skip("f03", "rev1", NOON)
        tx.put_lease("f01", "rev2", NOON)
    with statements(queued) as seen, queued.read() as tx:
        tx.queue(sought, reviewer_done=False, limit=51, after="f02")
        tx.queue(sought, limit=51)
        tx.queue_counts(Facet.LOSS, "no box")
        tx.next_in_queue("f01", sought=sought, reviewer="rev1", now=NOON)
    assert len(seen) > 5
    with queued.read() as tx:
        for sql, values in seen:
            plan = [row[3] for row in tx._connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
            # Of a full-text index SQLite says "SCAN" where it looks words up.
            assert not [line for line in plan if line.startswith("SCAN") and "VIRTUAL TABLE" not in line], plan
            if "FROM queue_facets" in sql and " IN (" not in sql:
                assert not any("TEMP B-TREE" in line for line in plan), plan


@pytest.mark.parametrize("sought", SOUGHT.values(), ids=SOUGHT)
def test_what_is_read_for_a_page_does_not_grow_with_the_queue(queued: Store, sought: Sought) -> None:
    """By SQLite's own count of steps; plans alone do not tell how far a run is gone along."""
    if queued._database.file is None:
        pytest.skip("SQLite counts")
    with queued.transaction() as tx:
        tx.put_skip("f03", "rev1", NOON)
        tx.put_skip("f06", "rev1", NOON)

    def steps() -> int:
        with queued.read() as tx:
            raw = tx._connection.connection.driver_connection
            assert raw is not None
            count = 0

            def tick() -> int:
                nonlocal count
                count += 1
                return 0

            raw.set_progress_handler(tick, 10)
            tx.queue(sought, reviewer_done=False, limit=3, after="f02")
            tx.next_in_queue("f01", sought=sought, reviewer="rev1", now=NOON)
            tx.queue_counts()
            raw.set_progress_handler(None, 10)
            return count

    few = steps()
    with queued.transaction() as tx:
        for number in range(600):
            tx.add_figure(a_figure(f"g{number:03}"))
        more = [
            a_place(f"g{number:03}", number / 600, phases=("1", "2"), loss="no box", words="kidney")
            for number in range(600)
        ]
        tx.put_places(more)
    assert steps() <= few * 1.3 + 5


def test_names_too_long_for_an_index_are_refused(store: Store) -> None:
    with store.transaction() as tx:
        tx.add_figure(a_figure())
        with pytest.raises(StoreError, match=re.escape("longer than")):
            tx.put_places([a_place("f1", names=("x" * 900,))])


def test_a_queue_of_an_older_store_is_listed_and_counted_at_once(url: str) -> None:
    from alembic import command

    from annotator.store import schema

    with Store.open(url) as store, store.transaction() as tx:
        for number in range(3):
            tx.add_figure(a_figure(f"f{number}"))
        tx.put_places([a_place("f0", 0.5), a_place("f1", None), a_place("f2", 0.25)])
        tx.add_decision(a_decision(a_figure("f2")))
        command.downgrade(schema.alembic_config(tx._connection), "0002")
    with Store.open(url) as store, store.transaction() as tx:
        assert ids(tx) == ["f1", "f2", "f0"]
        assert ids(tx, done=True) == ["f2"]
        assert (tx.queue_counts(), tx.next_in_queue("f1")) == (QueueCounts(3, 1), "f0")
        tx.put_places([a_place("f2", 0.25)])
        assert tx.facet_counts() == counted(tx)


@pytest.mark.live
@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
def test_a_page_is_read_off_the_index_on_postgresql_too(store: Store) -> None:
    from sqlalchemy.dialects import postgresql

    with store.transaction() as tx:
        tx._write(text("INSERT INTO figures SELECT 'f' || n, 1 FROM generate_series(0, 2999) AS n"))
        tx._write(
            text(
                "INSERT INTO queue_facets SELECT 'f' || n, 'all', '', n > 300, random() "
                "FROM generate_series(0, 2999) AS n"
            )
        )
        tx._write(text("ANALYZE queue_facets"))
    options = {"literal_binds": True}
    with store.read() as tx:
        for decided, beyond in ((False, None), (True, (0.5, "f7"))):
            statement = run((Facet.ALL, ""), decided, 51, beyond=beyond)
            sql = statement.compile(dialect=postgresql.dialect(), compile_kwargs=options)
            plan = "\n".join(row[0] for row in tx._connection.execute(text(f"EXPLAIN {sql}")))
            assert "ix_queue_facets" in plan, plan
            assert "Sort" not in plan, plan
