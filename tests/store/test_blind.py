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
            tx.figures.add(a_figure(name))
        tx.tasks.add([Task("f1", "rev1", "2"), Task("f2", "rev1", "2", 2, False), Task("f2", "rev2", "2")])
        tx.queue.put_places([a_place(name, 0.1 * place) for place, name in enumerate(FIGURES, start=1)])
        tx.decisions.add(a_decision(a_figure("f2"), reviewer="rev2"))
    return store


def a_given(figure: str = "f1", *, revision: int = 1, source: str = "gold", label: str = "A") -> BlindBoxes:
    return BlindBoxes(figure, revision, source, (a_subfigure(label),))


def test_what_is_given_first_stays_and_holds_no_token(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.blind.put_boxes("2", a_given(), NOON)
        tx.blind.put_boxes("2", a_given(label="B", source="annotation"), NOON)
        tx.blind.put_boxes("3", a_given(label="C"), NOON)
    with dealt.read() as tx:
        bare = Subfigure("A", a_subfigure().box)
        assert tx.blind.boxes("2", FIGURES) == {"f1": BlindBoxes("f1", 1, "gold", (bare,))}
        assert tx.blind.boxes("3", ["f1"])["f1"].subfigures[0].label == "C"
        assert tx.blind.boxes("2", []) == {}


def test_a_replaced_figure_is_given_anew(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.blind.put_boxes("2", a_given(), NOON)
        tx.figures.replace(a_figure("f1", caption="Fig 1: (A) another one."))
        assert tx.blind.boxes("2", ["f1"]) == {}
        tx.blind.put_boxes("2", a_given(revision=2, label="D"), NOON)
        assert tx.blind.boxes("2", ["f1"])["f1"].subfigures[0].label == "D"


def test_what_is_given_is_of_a_figure_that_there_is(dealt: Store) -> None:
    with pytest.raises(StoreError), dealt.transaction() as tx:
        tx.blind.put_boxes("2", a_given("nope"), NOON)


def test_figures_are_hidden_from_their_reviewer_until_they_are_handed_in(dealt: Store) -> None:
    with dealt.read() as tx:
        assert tx.blind.hidden_figures(MINE) == {"f1", "f2"}
        assert tx.blind.hidden_figures(Hidden("rev2", ("2",))) == {"f2"}
        assert tx.blind.hidden_figures(Hidden("rev1", ("3",))) == set()
        assert tx.blind.hides(MINE)
        assert tx.blind.hides(MINE, ["f3", "f2"])
        assert not tx.blind.hides(MINE, ["f3"])
        assert not tx.blind.hides(MINE, [])
        assert not tx.blind.hides(Hidden("rev1", ()))
    with dealt.transaction() as tx:
        assert tx.blind.hand_in("2", "rev1", ["f1"], NOON) == 1
        assert tx.blind.hand_in("2", "rev1", ["f1", "f2"], NOON) == 1
        assert tx.blind.hand_in("2", "rev1", [], NOON) == 0
    with dealt.read() as tx:
        assert tx.blind.handed_in("2", "rev1") == {"f1", "f2"}
        assert tx.blind.handed_in("2", "rev2") == set()
        assert not tx.blind.hides(MINE)
        assert tx.blind.hides(Hidden("rev2", ("2",)))


def test_only_figures_of_the_store_are_handed_in(dealt: Store) -> None:
    with pytest.raises(StoreError, match="nope"), dealt.transaction() as tx:
        tx.blind.hand_in("2", "rev1", ["nope"], NOON)


def test_the_queue_leaves_out_what_is_hidden(dealt: Store) -> None:
    sought = Sought(hidden=MINE)
    with dealt.read() as tx:
        assert [entry.figure_id for entry in tx.queue.page()] == ["f1", "f2", "f3"]
        assert [entry.figure_id for entry in tx.queue.page(sought)] == ["f3"]
        assert tx.queue.next(sought=sought, reviewer="rev1") == "f3"
        assert tx.queue.next("f3", sought=sought, reviewer="rev1") is None
        assert tx.queue.next(sought=sought) == "f3"


def test_counts_leave_out_what_is_hidden(dealt: Store) -> None:
    with dealt.read() as tx:
        assert tx.queue.facet_counts()[Facet.ALL, ""] == QueueCounts(3, 1)
        assert tx.blind.hidden_facets(MINE)[Facet.ALL, ""] == QueueCounts(2, 1)
        found = tx.queue.facet_counts(MINE)
        assert found[Facet.ALL, ""] == QueueCounts(1, 0)
        assert (Facet.STATUS, "accepted") not in found  # f2's alone
        assert (Facet.REVIEWER, "rev2") not in found


def test_what_a_reviewer_did_before_is_known(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="rev2", phase="1"))
        tx.annotations.add(an_annotation(a_figure("f1"), annotator="rev2", phase="2"))
        assert tx.annotations.phases_of("rev2") == {"f1": {"1", "2"}}
        assert tx.annotations.phases_of("rev1") == {}
        assert tx.decisions.figures_of("rev2") == {"f2"}
        assert tx.decisions.figures_of("rev1") == set()


def test_tasks_and_predictions_of_some_figures_come_together(dealt: Store) -> None:
    with dealt.transaction() as tx:
        for version in ("old", "new"):
            tx.predictions.put(a_prediction(a_figure("f1"), model_version=version))
        assert tx.predictions.of(FIGURES)["f1"].model_version == "new"
        assert tx.predictions.of(FIGURES, "old")["f1"].model_version == "old"
        assert tx.predictions.of(FIGURES, "none") == {}
        assert tx.tasks.on(["f2"]) == [Task("f2", "rev1", "2", 2, False), Task("f2", "rev2", "2")]


def test_a_renamed_reviewer_has_handed_in_the_same(dealt: Store) -> None:
    with dealt.transaction() as tx:
        tx.blind.hand_in("2", "rev1", ["f1"], NOON)
        assert tx.names.rename("rev1", "p-one")["handed_in"] == 1
        assert tx.blind.handed_in("2", "p-one") == {"f1"}
        assert tx.blind.hidden_figures(Hidden("p-one", ("2",))) == {"f2"}
