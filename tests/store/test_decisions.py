from __future__ import annotations

import pytest
from builders import NOON, a_decision, a_figure
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from sqlalchemy.dialects import sqlite

from annotator.store.database.tables import decisions
from annotator.store.rows.records import QueueCounts, QueueEntry, QueuePlace
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Reopening
from panelwise.domain.errors import Conflict, StoreError


@pytest.fixture
def figured(store: Store) -> Store:
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3", "f4"):
            tx.figures.add(a_figure(name))
    return store


def test_decisions_count_up_and_the_last_holds(figured: Store) -> None:
    first, second = a_decision(), a_decision(version=2, reviewer="rev2", status=Status.REJECTED, note="unfit")
    with figured.transaction() as tx:
        assert tx.decisions.get("f1") is None
        tx.decisions.add(first)
        tx.decisions.add(second)
        other = a_decision(a_figure("f2"))
        tx.decisions.add(other)
    with figured.read() as tx:
        assert tx.decisions.get("f1") == second
        assert tx.decisions.history("f1") == [first, second]
        assert list(tx.decisions.all()) == [second, other]
        assert tx.decisions.history("f3") == []


@pytest.mark.parametrize("version", [1, 3])
def test_a_decision_that_does_not_follow_the_current_one_is_a_conflict(figured: Store, version: int) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
    with (
        pytest.raises(Conflict, match=r'^figure "f1" is at decision 1 by "rev1", this is number \d; load .*'),
        figured.transaction() as tx,
    ):
        tx.decisions.add(a_decision(version=version, reviewer="rev2"))
    with figured.read() as tx:
        assert tx.decisions.get("f1") == a_decision()


def test_a_first_decision_is_number_one(figured: Store) -> None:
    with pytest.raises(Conflict, match="has no such earlier decision"), figured.transaction() as tx:
        tx.decisions.add(a_decision(version=2))


def test_the_current_decision_can_be_read_after_a_conflict_in_the_same_transaction(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        with pytest.raises(Conflict):
            tx.decisions.add(a_decision())
        assert tx.decisions.get("f1") == a_decision()


def test_the_database_itself_refuses_a_version_twice(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
    row = "'f1', 1, 1, 'r', 'accepted', '', '{}'"
    with pytest.raises(StoreError), figured.transaction() as tx:
        tx.figures._write(
            text(
                "INSERT INTO decisions (figure_id, revision, version, reviewer, status, decided_at, payload) "
                f"VALUES ({row})"
            )
        )


def test_a_version_that_only_the_database_sees_twice_is_a_conflict(
    figured: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.store.queries.decisions import DecisionQueries

    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
    monkeypatch.setattr(DecisionQueries, "_last", lambda _self, _figure: None)
    with pytest.raises(Conflict, match="has another decision by now"), figured.transaction() as tx:
        tx.decisions.add(a_decision())


@pytest.mark.parametrize("statement", ["UPDATE decisions SET version = 9", "DELETE FROM decisions"])
def test_the_database_itself_refuses_to_change_decisions(figured: Store, statement: str) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
    with pytest.raises(StoreError, match="decisions are append-only"), figured.transaction() as tx:
        tx.figures._write(text(statement))


def test_the_queue_goes_from_no_agreement_to_the_best_then_by_id(figured: Store) -> None:
    with figured.transaction() as tx:
        for name, agreement in (("f1", 0.9), ("f3", 0.2), ("f2", 0.2), ("f4", None)):
            tx.queue.put_places([QueuePlace(name, agreement, 3)])
    with figured.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f4", "f2", "f3", "f1"]
        assert [entry.figure_id for entry in tx.queue.page(limit=2, offset=1)] == ["f2", "f3"]
        assert tx.queue.page()[0] == QueueEntry("f4", None, 3, None, 0, "")
        assert tx.queue.page(limit=0) == []
        assert tx.queue.next() == "f4"
        assert tx.queue.next("f4") == "f2"
        assert tx.queue.counts() == QueueCounts(total=4, decided=0)


def test_a_decision_takes_its_figure_out_of_the_open_queue(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.queue.put_places([QueuePlace("f1", 0.5, 3)])
        tx.queue.put_places([QueuePlace("f2", 0.6, 2)])
        tx.decisions.add(a_decision(status=Status.IGNORED))
        assert tx.queue.next() == "f2"
        assert tx.queue.next("f2") is None
        assert [entry.figure_id for entry in tx.queue.page(reviewer_done=False)] == ["f2"]
        assert tx.queue.page(reviewer_done=True) == [QueueEntry("f1", 0.5, 3, Status.IGNORED, 1, "rev1")]
        tx.decisions.add(a_decision(version=2, reviewer="rev2"))
        assert tx.queue.page(reviewer_done=True) == [QueueEntry("f1", 0.5, 3, Status.ACCEPTED, 2, "rev2")]
        assert tx.queue.counts() == QueueCounts(total=2, decided=1)


def test_measuring_again_moves_a_figure_and_keeps_its_decision(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        tx.queue.put_places([QueuePlace("f1", None, 1)])
        tx.queue.put_places([QueuePlace("f1", 0.25, 2)])
        assert tx.queue.page() == [QueueEntry("f1", 0.25, 2, Status.ACCEPTED, 1, "rev1")]


def test_the_queue_takes_image_names_and_numbers_only(figured: Store) -> None:
    with figured.transaction() as tx:
        with pytest.raises(StoreError, match=r'figure "x" is not in the store; import it first'):
            tx.queue.put_places([QueuePlace("x", 0.1, 2)])
        with pytest.raises(StoreError, match="agreement nan is no number"):
            tx.queue.put_places([QueuePlace("f1", float("nan"), 2)])


class _Undo(Exception):
    pass


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15)
@given(
    st.dictionaries(
        st.sampled_from([f"g{number}" for number in range(12)]),
        st.none() | st.sampled_from([0.0, 0.25, 1.0]) | st.floats(-1, 1),
    ),
    st.sets(st.sampled_from([f"g{number}" for number in range(12)])),
)
def test_the_queue_equals_a_sort_in_memory(
    store: Store, agreements: dict[str, float | None], decided: set[str]
) -> None:
    def compare() -> None:
        with store.transaction() as tx:
            for name in sorted({*agreements, *decided}):
                tx.figures.add(a_figure(name))
            for name in decided:
                tx.decisions.add(a_decision(a_figure(name)))
            for name, agreement in agreements.items():
                tx.queue.put_places([QueuePlace(name, agreement, 2)])
            # A figure that nobody annotated comes in with its decision: nobody differs there.
            scores = {**dict.fromkeys(decided, 1.0), **agreements}
            worst = sorted(scores, key=lambda name: (scores[name] is not None, scores[name] or 0, name))
            assert [entry.figure_id for entry in tx.queue.page()] == worst
            still = [name for name in worst if name not in decided]
            assert [entry.figure_id for entry in tx.queue.page(reviewer_done=False)] == still
            assert tx.queue.next() == next(iter(still), None)
            raise _Undo

    with pytest.raises(_Undo):
        compare()


def test_current_decisions_and_annotations_are_found_without_a_sort_of_the_whole_table() -> None:
    with Store.open("sqlite://", create=True) as store, store.read() as tx:
        statement = decisions.select().where(decisions.c.figure_id == "f1").order_by(decisions.c.version.desc())
        sql = str(statement.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
        plan = " ".join(row[3] for row in tx.session.connection.execute(text(f"EXPLAIN QUERY PLAN {sql}")))
    assert "TEMP B-TREE" not in plan, plan


def test_entries_of_the_queue_are_found_by_id_and_those_decided_on_are_told(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.queue.put_places([QueuePlace("f1", 0.25, 2)])
        tx.queue.put_places([QueuePlace("f2", None, 1)])
        tx.decisions.add(a_decision(a_figure("f2"), status=Status.REJECTED))
        tx.decisions.add(a_decision(a_figure("f3")))  # nobody annotated it
    with figured.read() as tx:
        assert tx.queue.entries(["f2", "f1", "f3", "nope"]) == {
            "f1": QueueEntry("f1", 0.25, 2, None, 0, ""),
            "f2": QueueEntry("f2", None, 1, Status.REJECTED, 1, "rev1"),
            "f3": QueueEntry("f3", 1.0, 0, Status.ACCEPTED, 1, "rev1"),
        }
        assert tx.queue.entries([]) == {}
        assert tx.queue.entries([f"x{number}" for number in range(600)] + ["f1"]).keys() == {"f1"}
        assert tx.queue.decided() == {"f2", "f3"}


def test_figures_reopened_and_not_settled_since_are_told_with_the_reason(figured: Store) -> None:
    with figured.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.decisions.add(a_decision(a_figure(name)))
        for name in ("f1", "f2"):
            tx.decisions.add(Reopening(a_figure(name), "rev2", 2, NOON, note="look again"))
        tx.decisions.add(a_decision(a_figure("f2"), version=3))
    with figured.read() as tx:
        found = tx.decisions.reopened(["f1", "f2", "f3", "f4", "nope", *(f"x{number}" for number in range(600))])
    assert {name: (entry.reviewer, entry.note) for name, entry in found.items()} == {"f1": ("rev2", "look again")}
