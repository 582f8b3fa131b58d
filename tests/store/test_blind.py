"""What blind phases keep: what is given, what is handed in, and what is hidden from whom."""

from __future__ import annotations

import pytest
from builders import NOON, a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from store.queued import a_place

from annotator.store.rows.records import BlindBoxes, Facet, Hidden, QueueCounts, Sought
from annotator.store.store import Store
from panelwise.domain.annotation import Subfigure
from panelwise.domain.campaign import Task
from panelwise.domain.errors import StoreError

FIGURES = ("f1", "f2", "f3")
MINE = Hidden("rev1", ("2", "3"))


@pytest.fixture
def dealt(store: Store) -> Store:
    """f1 and f2 are rev1's in phase 2, f2 is rev2's, f3 is in the queue alone; f2 is decided on."""
    with store.transaction() as tx:
        for name in FIGURES:
            tx.add_figure(a_figure(name))
        tx.add_tasks([Task("f1", "rev1", "2"), Task("f2", "rev1", "2", 2, False), Task("f2", "rev2", "2")])
        tx.put_places([a_place(name, 0.1 * place) for place, name in enumerate(FIGURES, start=1)])
        tx.add_decision(a_decision(a_figure("f2"), reviewer="rev2"))
    return store


def a_given(figure: str = "f1", *, revision: int = 1, source: str = "gold", label: str = "A") -> BlindBoxes:
    return BlindBoxes(figure, revision, source, (a_subfigure(label),))


def test_what_is_given_first_stays_and_holds_no_token(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.put_boxes("2", a_given(), NOON)
        tx.put_boxes("2", a_given(label="B", source="annotation"), NOON)
        tx.put_boxes("3", a_given(label="C"), NOON)
    with dealt.read() as tx:
        bare = Subfigure("A", a_subfigure().box)
        assert tx.blind_boxes("2", FIGURES) == {"f1": BlindBoxes("f1", 1, "gold", (bare,))}
        assert tx.blind_boxes("3", ["f1"])["f1"].subfigures[0].label == "C"
        assert tx.blind_boxes("2", []) == {}


def test_a_replaced_figure_is_given_anew(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.put_boxes("2", a_given(), NOON)
        tx.replace_figure(a_figure("f1", caption="Fig 1: (A) another one."))
        assert tx.blind_boxes("2", ["f1"]) == {}
        tx.put_boxes("2", a_given(revision=2, label="D"), NOON)
        assert tx.blind_boxes("2", ["f1"])["f1"].subfigures[0].label == "D"


def test_what_is_given_is_of_a_figure_that_there_is(dealt: Store) -> None:
    with pytest.raises(StoreError), dealt.transaction() as tx:
        tx.put_boxes("2", a_given("nope"), NOON)


def test_figures_are_hidden_from_their_reviewer_until_they_are_handed_in(dealt: Store) -> None:
    with dealt.read() as tx:
        assert tx.hidden_figures(MINE) == {"f1", "f2"}
        assert tx.hidden_figures(Hidden("rev2", ("2",))) == {"f2"}
        assert tx.hidden_figures(Hidden("rev1", ("3",))) == set()
        assert tx.hides(MINE)
        assert tx.hides(MINE, ["f3", "f2"])
        assert not tx.hides(MINE, ["f3"])
        assert not tx.hides(MINE, [])
        assert not tx.hides(Hidden("rev1", ()))
    with dealt.transaction() as tx:
        assert tx.hand_in("2", "rev1", ["f1"], NOON) == 1
        assert tx.hand_in("2", "rev1", ["f1", "f2"], NOON) == 1
        assert tx.hand_in("2", "rev1", [], NOON) == 0
    with dealt.read() as tx:
        assert tx.handed_in("2", "rev1") == {"f1", "f2"}
        assert tx.handed_in("2", "rev2") == set()
        assert not tx.hides(MINE)
        assert tx.hides(Hidden("rev2", ("2",)))


def test_only_figures_of_the_store_are_handed_in(dealt: Store) -> None:
    with pytest.raises(StoreError, match="nope"), dealt.transaction() as tx:
        tx.hand_in("2", "rev1", ["nope"], NOON)


def test_the_queue_leaves_out_what_is_hidden(dealt: Store) -> None:
    sought = Sought(hidden=MINE)
    with dealt.read() as tx:
        assert [entry.figure_id for entry in tx.queue()] == ["f1", "f2", "f3"]
        assert [entry.figure_id for entry in tx.queue(sought)] == ["f3"]
        assert tx.next_in_queue(sought=sought, reviewer="rev1") == "f3"
        assert tx.next_in_queue("f3", sought=sought, reviewer="rev1") is None
        assert tx.next_in_queue(sought=sought) == "f3"


def test_counts_leave_out_what_is_hidden(dealt: Store) -> None:
    with dealt.read() as tx:
        assert tx.facet_counts()[Facet.ALL, ""] == QueueCounts(3, 1)
        assert tx.hidden_facets(MINE)[Facet.ALL, ""] == QueueCounts(2, 1)
        found = tx.facet_counts(MINE)
        assert found[Facet.ALL, ""] == QueueCounts(1, 0)
        assert (Facet.STATUS, "accepted") not in found  # f2's alone
        assert (Facet.REVIEWER, "rev2") not in found


def test_what_a_reviewer_did_before_is_known(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.add_annotation(an_annotation(a_figure("f1"), annotator="rev2", phase="1"))
        tx.add_annotation(an_annotation(a_figure("f1"), annotator="rev2", phase="2"))
        assert tx.worked_in("rev2") == {"f1": {"1", "2"}}
        assert tx.worked_in("rev1") == {}
        assert tx.decided_by("rev2") == {"f2"}
        assert tx.decided_by("rev1") == set()


def test_tasks_and_predictions_of_some_figures_come_together(dealt: Store) -> None:
    with dealt.transaction() as tx:
        for version in ("old", "new"):
            tx.put_prediction(a_prediction(a_figure("f1"), model_version=version))
        assert tx.predictions_of(FIGURES)["f1"].model_version == "new"
        assert tx.predictions_of(FIGURES, "old")["f1"].model_version == "old"
        assert tx.predictions_of(FIGURES, "none") == {}
        assert tx.tasks_on(["f2"]) == [Task("f2", "rev1", "2", 2, False), Task("f2", "rev2", "2")]


def test_a_renamed_reviewer_has_handed_in_the_same(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.hand_in("2", "rev1", ["f1"], NOON)
        assert tx.rename_person("rev1", "p-one")["handed_in"] == 1
        assert tx.handed_in("2", "p-one") == {"f1"}
        assert tx.hidden_figures(Hidden("p-one", ("2",))) == {"f2"}
