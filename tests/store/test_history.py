"""Reopening, waiting for another reviewer, and flags, as the store keeps them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from builders import NOON, a_decision, a_figure

from annotator.store.rows.records import QueueCounts, Revisions
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
            tx.add_figure(a_figure(name))
            tx.put_disagreement(name, agreement=number / 10, annotators=2)
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
            tx.add_decision(decision)
        assert tx.decision("f1") == said
        assert [each.error_kind for each in tx.decision_history("f1")] == [None, ErrorKind.SLIP, ErrorKind.GAP]


def test_after_a_reopening_no_decision_holds_and_all_are_kept(figured: Store) -> None:
    first, again = a_decision(), a_decision(version=3, reviewer="rev2")
    with figured.transaction() as tx:
        tx.add_decision(first)
        assert tx.next_in_queue() == "f2"
        tx.add_decision(a_reopening(note="look again"))
        assert tx.decision("f1") is None
        assert list(tx.decisions()) == []
        assert [work.decision for work in tx.figure_work()] == [None, None, None]
        assert tx.last_version("f1") == 2
        assert tx.history("f1") == [first, a_reopening(note="look again")]
        assert tx.decision_history("f1") == [first]
        assert tx.count_decided() == 0
        assert tx.count_superseded_decisions() == 1
        assert tx.next_in_queue() == "f1"
        assert tx.queue_counts() == QueueCounts(total=3, decided=0)
        entry = tx.queue_entries(["f1"])["f1"]
        assert (entry.decided, entry.version, entry.reviewer) == (None, 0, "")
    with figured.transaction() as tx:
        tx.add_decision(again)
        assert tx.decision("f1") == again
        assert tx.history("f1") == [first, a_reopening(note="look again"), again]
        assert tx.count_decided() == 1
        assert tx.count_superseded_decisions() == 1
        assert tx.next_in_queue() == "f2"


def test_a_reopening_counts_among_the_versions(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.add_decision(a_decision())
        tx.add_decision(a_reopening())
        for late in (a_decision(version=2), a_reopening()):
            with pytest.raises(Conflict, match=r'^figure "f1" is at decision 2 by "rev2", this is number 2'):
                tx.add_decision(late)


def test_a_decision_that_waits_for_another_reviewer_leaves_its_figure_open(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.add_decision(a_decision(awaits=Awaits.SECOND, note='no \\"awaits\\":\\"x'))
        assert tx.next_in_queue() == "f1"
        assert tx.count_decided() == 0
        assert tx.queue_counts() == QueueCounts(total=3, decided=0)
        entry = tx.queue_entries(["f1"])["f1"]
        assert (entry.decided, entry.version, entry.reviewer) == (Status.ACCEPTED, 1, "rev1")
        assert list(tx.decisions(final=True)) == []
        assert [each.awaits for each in tx.decisions()] == [Awaits.SECOND]
        tx.add_decision(a_decision(version=2, reviewer="rev2", note='"awaits":"second"'))
        assert tx.count_decided() == 1
        assert [each.version for each in tx.decisions(final=True)] == [2]
        assert tx.next_in_queue() == "f2"


def test_measuring_again_keeps_a_figure_reopened_or_waiting(figured: Store) -> None:
    def open_figures(tx: Transaction) -> set[str]:
        return {"f1", "f2", "f3"} - tx.decided_in_queue()

    with figured.transaction() as tx:
        tx.add_decision(a_decision())
        tx.add_decision(a_reopening())
        tx.add_decision(a_decision(a_figure("f2"), awaits=Awaits.TIE_BREAK))
        tx.add_decision(a_decision(a_figure("f3")))
        assert open_figures(tx) == {"f1", "f2"}
        for name in ("f1", "f2", "f3"):
            tx.put_disagreement(name, agreement=0.5, annotators=3)
        assert open_figures(tx) == {"f1", "f2"}


def test_reopening_is_of_the_present_revision_alone(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.add_decision(a_decision())
        new = tx.replace_figure(a_figure(caption="Another caption.", width=900))
        assert tx.decision("f1") is None
        second = a_decision(new, version=2, subfigures=())
        tx.add_decision(second)
        tx.add_decision(Reopening(new, "rev1", 3, LATER))
        assert tx.decision("f1") is None
        tx.replace_figure(a_figure())
        assert tx.decision("f1") == a_decision()
        assert list(tx.decisions(revisions=Revisions.OTHER)) == []


def test_flags_are_those_of_each_figures_last_decision(figured: Store) -> None:
    def flagged(tx: Transaction) -> list[tuple[str, str]]:
        return [(each.figure.id, each.guideline_flag) for each in tx.flagged()]

    with figured.transaction() as tx:
        tx.add_decision(a_decision(note='"guideline_flag":"no"'))
        tx.add_decision(a_decision(a_figure("f2"), guideline_flag="insets?"))
        tx.add_decision(a_decision(a_figure("f3"), guideline_flag="legends?"))
        assert flagged(tx) == [("f2", "insets?"), ("f3", "legends?")]
        tx.add_decision(a_decision(a_figure("f2"), version=2))
        tx.add_decision(a_reopening(figure="f3"))
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
        tx.add_decision(a_decision())
        tx.add_decision(a_reopening(note="rev2"))
        tx.rename_person("rev2", "p-x")
        last = tx.history("f1")[-1]
        assert isinstance(last, Reopening)
        assert (last.reviewer, last.note) == ("p-x", "rev2")
        assert isinstance(tx.history("f1")[0], Decision)
