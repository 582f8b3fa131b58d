"""The queue as it is kept: places, what figures are found by, and their numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from older_store import make_older
from sqlalchemy import func, select
from store.queued import FIGURES, a_place

from annotator.store.database.tables import queue_facets
from annotator.store.queries.queue.entries import UNJUDGED
from annotator.store.queries.queue.search import MOST_FOUND
from annotator.store.rows.records import Facet, QueueCounts, QueuePlace, Sought
from annotator.store.store import Store, Transaction
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Reopening
from panelwise.domain.errors import StoreError


def ids(tx: Transaction, *facets: tuple[Facet, str], done: bool | None = None, **more: Any) -> list[str]:
    sought = Sought(facets, words=more.pop("words", ()))
    return [entry.figure_id for entry in tx.queue.page(sought, reviewer_done=done, **more)]


def named(*numbers: int) -> list[str]:
    return [f"f{number:02}" for number in numbers]


def counted(tx: Transaction) -> dict[tuple[str, str], QueueCounts]:
    """What `facet_counts` should say, counted."""
    c = queue_facets.c
    columns = (c.kind, c.value, c.decided)
    rows = tx.figures._rows(select(*columns, func.count().label("n")).group_by(*columns))
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
            tx.queue.with_words(('heart" OR "lung',))


def test_other_words_replace_those_of_an_earlier_caption(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.queue.put_places([a_place("f00", words="f00 liver")])
        assert ids(tx, words=("heart",)) == named(4, 8)
        assert ids(tx, words=("liver",)) == named(0)


def test_no_more_than_so_many_figures_are_taken_for_words_and_that_is_told(
    queued: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.store.queries.queue import search

    assert MOST_FOUND == 1000
    monkeypatch.setattr(search, "MOST_FOUND", 3)
    with queued.read() as tx:
        found, more = tx.queue.with_words(("heart",))
        assert (sorted(found), more) == (named(0, 4, 8), False)
        found, more = tx.queue.with_words(("lung",))
        assert (len(found), more) == (3, True)


def test_pages_follow_each_other_and_go_back_without_a_gap(queued: Store) -> None:
    with queued.transaction() as tx:
        for number in (2, 5, 6):
            tx.decisions.add(a_decision(a_figure(f"f{number:02}")))
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
            tx.figures.add(a_figure(f"f{number:02}"))
        tx.queue.put_places([a_place(f"f{number:02}", 1.0) for number in range(FIGURES)])
        assert ids(tx, limit=3, after="f05") == named(6, 7, 8)
        assert ids(tx, limit=3, before="f05") == named(2, 3, 4)


def test_a_decision_moves_its_figure_in_every_list_and_a_reopening_moves_it_back(queued: Store) -> None:
    with queued.transaction() as tx:
        before = tx.queue.facet_counts()
        tx.decisions.add(a_decision(a_figure("f03"), status=Status.REJECTED))
        assert ids(tx, (Facet.LOSS, "no box"), done=False) == named(1, 5, 7, 9, 11)
        assert ids(tx, (Facet.STATUS, "rejected")) == ids(tx, (Facet.REVIEWER, "rev1")) == named(3)
        assert tx.queue.counts(Facet.LOSS, "no box") == QueueCounts(6, 1)
        tx.decisions.add(a_decision(a_figure("f03"), version=2, reviewer="rev2"))
        assert ids(tx, (Facet.STATUS, "rejected")) == ids(tx, (Facet.REVIEWER, "rev1")) == []
        assert tx.queue.counts() == QueueCounts(FIGURES, 1)
        tx.decisions.add(Reopening(a_figure("f03"), "rev2", 3, NOON))
        assert ids(tx, done=False) == named(*range(FIGURES))
        assert tx.queue.facet_counts() == before == counted(tx)


def test_another_caption_takes_its_figure_back_into_the_open_lists(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f03")))
        tx.figures.replace(a_figure("f03", caption="Another."))
        assert tx.queue.counts() == QueueCounts(FIGURES, 0)
        assert "f03" in ids(tx, (Facet.LOSS, "no box"), done=False)
        assert tx.queue.facet_counts() == counted(tx)


def test_measuring_again_moves_a_figure_from_list_to_list_and_keeps_its_decision(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f03")))
        tx.queue.put_places([a_place("f03", 0.99, loss=None, names=("ann3",), phases=("1",))])
        assert ids(tx)[-1] == "f03"
        assert ids(tx, (Facet.ANNOTATOR, "ann3")) == ids(tx, (Facet.REVIEWER, "rev1")) == named(3)
        assert "f03" not in ids(tx, (Facet.LOSS, "no box")) + ids(tx, (Facet.PHASE, "2"))
        entry = tx.queue.entries(["f03"])["f03"]
        assert (entry.agreement, entry.loss, entry.phases, entry.decided) == (0.99, None, ("1",), Status.ACCEPTED)
        assert tx.queue.facet_counts() == counted(tx)


def test_what_is_counted_down_to_nothing_is_offered_no_more(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.queue.put_places([a_place("f11", 1.0, agreed=False)])
        assert (Facet.AGREED, "") not in tx.queue.facet_counts()


def test_a_renamed_person_is_found_under_the_new_name_and_a_phase_of_that_name_stays(queued: Store) -> None:
    with queued.transaction() as tx:
        tx.queue.put_places([a_place("f00", None, names=("2", "ann2"), phases=("1", "2"))])
        tx.annotations.add(an_annotation(a_figure("f00"), annotator="2"))
        tx.names.rename("2", "new")
        assert ids(tx, (Facet.ANNOTATOR, "new")) == named(0)
        assert tx.queue.counts(Facet.ANNOTATOR, "new") == QueueCounts(1, 0)
        assert ids(tx, (Facet.PHASE, "2")) == named(0, 3, 6, 9)
        assert tx.queue.facet_counts() == counted(tx)


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
@pytest.mark.slow
def test_lists_and_numbers_are_those_of_a_search_through_everything(store: Store, done: list[object]) -> None:
    def compare() -> None:
        with store.transaction() as tx:
            for number in range(6):
                tx.figures.add(a_figure(f"f{number:02}"))
            there: dict[str, QueuePlace] = {}
            status: dict[str, Status | None] = {}
            for step in done:
                if isinstance(step, QueuePlace):
                    tx.queue.put_places([step])
                    there[step.figure_id] = step
                    continue
                assert isinstance(step, tuple)
                name, decided = step
                version = tx.decisions.last_version(name) + 1
                figure = a_figure(name)
                tx.decisions.add(
                    Reopening(figure, "rev1", version, NOON)
                    if decided is None
                    else a_decision(figure, version=version, status=decided)
                )
                status[name] = decided
                # A figure that nobody annotated comes in with its first decision: nobody differs there.
                there.setdefault(name, QueuePlace(name, 1.0, 0))

            def listed(has: Callable[[QueuePlace], bool], *, decided: bool | None) -> list[str]:
                wanted = [
                    place
                    for name, place in there.items()
                    if has(place) and decided in (None, status.get(name) is not None)
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
            assert tx.queue.facet_counts() == counted(tx)
            raise _Undo

    with pytest.raises(_Undo):
        compare()


def test_names_too_long_for_an_index_are_refused(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        with pytest.raises(StoreError, match=re.escape("longer than")):
            tx.queue.put_places([a_place("f1", names=("x" * 900,))])


def test_a_queue_of_an_older_store_is_listed_and_counted_at_once(url: str, tmp_path: Path) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        for number in range(3):
            tx.figures.add(a_figure(f"f{number}"))
        tx.queue.put_places([a_place("f0", 0.5), a_place("f1", None), a_place("f2", 0.25)])
        tx.decisions.add(a_decision(a_figure("f2")))
        make_older(tx.session.connection, "0002")
    with Store.open(url, copies=tmp_path) as store, store.transaction() as tx:
        assert ids(tx) == ["f1", "f2", "f0"]
        assert ids(tx, done=True) == ["f2"]
        assert (tx.queue.counts(), tx.queue.next("f1")) == (QueueCounts(3, 1), "f0")
        tx.queue.put_places([a_place("f2", 0.25)])
        assert tx.queue.facet_counts() == counted(tx)
