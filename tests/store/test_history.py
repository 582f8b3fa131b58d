"""Reopening, waiting for another reviewer, and flags, as the store keeps them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import NOON, a_decision, a_figure

from annotator.store.rows.records import QueueCounts, QueuePlace, Revisions
from annotator.store.store import Store, Transaction
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Awaits, Decision, ErrorKind, Reopening
from panelwise.domain.errors import Conflict, InvalidAnnotation

LATER = NOON + timedelta(hours=1)


def a_reopening(*, figure: str = "f1", version: int = 2, note: str = "") -> Reopening:
    return Reopening(a_figure(figure), "rev2", version, LATER, note)


@pytest.fixture
def figured(store: Store) -> Store:
    """f1, f2 and f3 in the queue, f1 the worst."""
    with store.transaction() as tx:
        for number, name in enumerate(("f1", "f2", "f3")):
            tx.figures.add(a_figure(name))
            tx.queue.put_places([QueuePlace(name, number / 10, 2)])
    return store


def test_a_decision_is_read_back_with_all_that_it_says(figured: Store) -> None:
    said = a_decision(
        version=3,
        error_kind=ErrorKind.GAP,
        guideline_flag='a scale bar: "part" of A?',
        restored_from=1,
        awaits=Awaits.SECOND,
        seconds=4.5,
    )
    with figured.transaction() as tx:
        for decision in (a_decision(), a_decision(version=2, error_kind=ErrorKind.SLIP), said):
            tx.decisions.add(decision)
        assert tx.decisions.get("f1") == said
        assert [each.error_kind for each in tx.decisions.history("f1")] == [None, ErrorKind.SLIP, ErrorKind.GAP]


def test_after_a_reopening_no_decision_holds_and_all_are_kept(figured: Store) -> None:
    first, again = a_decision(), a_decision(version=3, reviewer="rev2")
    with figured.transaction() as tx:
        tx.decisions.add(first)
        assert tx.queue.next() == "f2"
        tx.decisions.add(a_reopening(note="look again"))
        assert tx.decisions.get("f1") is None
        assert list(tx.decisions.all()) == []
        assert [work.decision for work in tx.work.all()] == [None, None, None]
        assert tx.decisions.last_version("f1") == 2
        assert tx.decisions.history("f1") == [first, a_reopening(note="look again")]
        assert tx.decisions.count() == 0
        assert tx.decisions.count_superseded() == 1
        assert tx.queue.next() == "f1"
        assert tx.queue.counts() == QueueCounts(total=3, decided=0)
        entry = tx.queue.entries(["f1"])["f1"]
        assert (entry.decided, entry.version, entry.reviewer) == (None, 0, "")
    with figured.transaction() as tx:
        tx.decisions.add(again)
        assert tx.decisions.get("f1") == again
        assert tx.decisions.history("f1") == [first, a_reopening(note="look again"), again]
        assert tx.decisions.count() == 1
        assert tx.decisions.count_superseded() == 1
        assert tx.queue.next() == "f2"


def test_a_reopening_counts_among_the_versions(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        tx.decisions.add(a_reopening())
        for late in (a_decision(version=2), a_reopening()):
            with pytest.raises(Conflict, match=r'^figure "f1" is at decision 2 by "rev2", this is number 2'):
                tx.decisions.add(late)


def test_a_decision_that_waits_for_another_reviewer_leaves_its_figure_open(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision(awaits=Awaits.SECOND, note='no \\"awaits\\":\\"x'))
        assert tx.queue.next() == "f1"
        assert tx.decisions.count() == 0
        assert tx.queue.counts() == QueueCounts(total=3, decided=0)
        entry = tx.queue.entries(["f1"])["f1"]
        assert (entry.decided, entry.version, entry.reviewer) == (Status.ACCEPTED, 1, "rev1")
        assert list(tx.decisions.all(final=True)) == []
        assert [each.awaits for each in tx.decisions.all()] == [Awaits.SECOND]
        tx.decisions.add(a_decision(version=2, reviewer="rev2", note='"awaits":"second"'))
        assert tx.decisions.count() == 1
        assert [each.version for each in tx.decisions.all(final=True)] == [2]
        assert tx.queue.next() == "f2"


def test_measuring_again_keeps_a_figure_reopened_or_waiting(figured: Store) -> None:
    def open_figures(tx: Transaction) -> set[str]:
        return {"f1", "f2", "f3"} - tx.queue.decided()

    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        tx.decisions.add(a_reopening())
        tx.decisions.add(a_decision(a_figure("f2"), awaits=Awaits.TIE_BREAK))
        tx.decisions.add(a_decision(a_figure("f3")))
        assert open_figures(tx) == {"f1", "f2"}
        for name in ("f1", "f2", "f3"):
            tx.queue.put_places([QueuePlace(name, 0.5, 3)])
        assert open_figures(tx) == {"f1", "f2"}


def test_reopening_is_of_the_present_revision_alone(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        new = tx.figures.replace(a_figure(caption="Another caption.", width=900))
        assert tx.decisions.get("f1") is None
        second = a_decision(new, version=2, subfigures=())
        tx.decisions.add(second)
        tx.decisions.add(Reopening(new, "rev1", 3, LATER))
        assert tx.decisions.get("f1") is None
        tx.figures.replace(a_figure())
        assert tx.decisions.get("f1") == a_decision()
        assert list(tx.decisions.all(revisions=Revisions.OTHER)) == []


def test_flags_are_those_of_each_figures_last_decision(figured: Store) -> None:
    def flagged(tx: Transaction) -> list[tuple[str, str]]:
        return [(each.figure.id, each.guideline_flag) for each in tx.decisions.flagged()]

    with figured.transaction() as tx:
        tx.decisions.add(a_decision(note='"guideline_flag":"no"'))
        tx.decisions.add(a_decision(a_figure("f2"), guideline_flag="insets?"))
        tx.decisions.add(a_decision(a_figure("f3"), guideline_flag="legends?"))
        assert flagged(tx) == [("f2", "insets?"), ("f3", "legends?")]
        tx.decisions.add(a_decision(a_figure("f2"), version=2))
        tx.decisions.add(a_reopening(figure="f3"))
        assert flagged(tx) == [("f3", "legends?")]


@pytest.mark.parametrize("version", [0, 3, 4])
def test_what_is_brought_back_came_before(version: int) -> None:
    with pytest.raises(InvalidAnnotation, match=f"decision 3 cannot restore version {version}"):
        a_decision(version=3, restored_from=version)


def test_a_reopening_needs_its_reviewer_and_a_version() -> None:
    with pytest.raises(InvalidAnnotation, match="needs its reviewer"):
        Reopening(a_figure(), "", 1, NOON)
    with pytest.raises(InvalidAnnotation, match="count from 1"):
        Reopening(a_figure(), "rev", 0, NOON)


def test_a_renamed_reviewer_is_renamed_in_reopenings_too(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.decisions.add(a_decision())
        tx.decisions.add(a_reopening(note="rev2"))
        tx.names.rename("rev2", "p-x")
        last = tx.decisions.history("f1")[-1]
        assert isinstance(last, Reopening)
        assert (last.reviewer, last.note) == ("p-x", "rev2")
        assert isinstance(tx.decisions.history("f1")[0], Decision)
