"""The history of a figure: what each decision changed, bringing one back, and settling anew."""

from __future__ import annotations

from datetime import timedelta

import pytest
from adjudicated import figure_state
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from annotator.adjudication.history import UNSHOWN, Change, Mark, figure_history, reopen, restore
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.queries.figures import UnknownFigure
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Awaits, Decision, ErrorKind, Reopening
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.items import FigureKind, Items

RIGHT = (400, 0, 800, 600)
LATER = NOON + timedelta(minutes=5)


@pytest.fixture
def decided(store: Store, home: Home) -> Store:
    """f1 by two annotators, settled, changed and rejected."""
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        for name in ("ann1", "ann2"):
            tx.annotations.add(an_annotation(annotator=name))
        tx.decisions.add(
            a_decision(based_on=("ann2", "gone"), seconds=12.0, note="first", error_kind=ErrorKind.SLIP)
        )
        parts = (a_subfigure("A", tokens=(4, 6, 8)), a_subfigure("C", box=(400, 0, 800, 300), tokens=(10, 12)))
        tx.decisions.add(a_decision(version=2, reviewer="rev2", subfigures=parts, guideline_flag="why?"))
        tx.decisions.add(a_decision(version=3, status=Status.REJECTED, subfigures=()))
    score_disagreement(store, home.campaign)
    return store


def test_each_entry_says_who_when_how_long_and_from_whose_work(decided: Store, home: Home) -> None:
    found = figure_history(decided, home, "f1")
    assert [each.made.version for each in found.entries] == [3, 2, 1]
    first = found.entries[-1]
    assert (first.made.reviewer, first.made.decided_at, first.made.seconds, first.made.note) == (
        "rev1",
        NOON,
        12.0,
        "first",
    )
    assert (first.made.error_kind, found.entries[1].made.guideline_flag) == (ErrorKind.SLIP, "why?")
    names = {voice.key: voice.name for voice in figure_state(decided, home, "f1", "rev1").annotators}
    assert first.adopted[0] in names.values()
    assert first.adopted[1] == UNSHOWN
    assert "ann" not in "".join(first.adopted)
    assert [each.texts for each in first.subfigures] == [("A", "left lung"), ("B", "right lung")]
    assert (found.version, found.adjudicated) == (3, True)
    assert [(each.current, each.restorable) for each in found.entries] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_changes_are_told_in_the_captions_words(decided: Store, home: Home) -> None:
    rejected, second, first = figure_history(decided, home, "f1").entries
    assert (first.before, first.changes) == (None, ())
    assert second.before == first.made
    assert second.changes == (
        Change("A", "changed", added=(".",), removed=("lung",)),
        Change("C", "changed", label_before="B", removed=("lung",), iou=0.5),
    )
    assert rejected.before == second.made
    assert [(each.label, each.what) for each in rejected.changes] == [("A", "gone"), ("C", "gone")]


def test_the_picture_of_each_decision_has_its_boxes_and_those_that_went(decided: Store, home: Home) -> None:
    rejected, changed, first = figure_history(decided, home, "f1").entries
    a, b = (tuple(part.box.as_list()) for part in a_decision().subfigures)
    assert first.marks == (Mark("A", a, "same"), Mark("B", b, "same"))
    smaller = (400.0, 0.0, 800.0, 300.0)
    assert changed.marks == (Mark("A", a, "same"), Mark("B", b, "from"), Mark("C", smaller, "moved"))
    assert rejected.marks == (Mark("A", a, "gone"), Mark("C", smaller, "gone"))
    assert all(entry.pictured for entry in (first, changed, rejected))
    with decided.transaction() as tx:
        tx.decisions.add(a_decision(version=4))
    again = figure_history(decided, home, "f1").entries[0]
    assert [mark.what for mark in again.marks] == ["new", "new"]


def test_a_decision_on_another_image_is_not_drawn_on_the_present_one(decided: Store, home: Home) -> None:
    with decided.transaction() as tx:
        tx.figures.replace(a_figure(width=900))
    assert [entry.pictured for entry in figure_history(decided, home, "f1").entries] == [False] * 3


def test_a_decision_is_drawn_where_only_the_caption_is_another_and_the_images_hash_was_unknown(
    decided: Store, home: Home
) -> None:
    with decided.transaction() as tx:
        tx.figures.replace(a_figure(caption="Both lungs.", image_sha256="0" * 64))
    assert [entry.pictured for entry in figure_history(decided, home, "f1").entries] == [True] * 3


def test_an_earlier_decision_is_brought_back_as_a_new_one(decided: Store, home: Home) -> None:
    again = restore(decided, home, "f1", "rev3", 1, loaded=3, now=LATER)
    with decided.read() as tx:
        assert tx.decisions.get("f1") == again
        history = tx.decisions.history("f1")
    assert (again.version, again.reviewer, again.decided_at, again.restored_from) == (4, "rev3", LATER, 1)
    assert (again.subfigures, again.status, again.note) == (history[0].subfigures, history[0].status, "first")
    assert again.based_on == ("ann2", "gone")
    assert again.seconds is None
    assert len(history) == 4
    newest = figure_history(decided, home, "f1").entries[0]
    assert isinstance(newest.made, Decision)
    assert (newest.made.restored_from, newest.current) == (1, True)


def test_the_items_are_brought_back_too(decided: Store, home: Home) -> None:
    items = Items(FigureKind(compound=True, count=3))
    with decided.transaction() as tx:
        tx.decisions.add(a_decision(version=4, items=items))
        tx.decisions.add(a_decision(version=5))
    assert restore(decided, home, "f1", "rev1", 4, loaded=5).items == items


def test_a_history_that_went_on_is_a_conflict(decided: Store, home: Home) -> None:
    with pytest.raises(Conflict, match=r'^figure "f1" was decided on after you opened its history'):
        restore(decided, home, "f1", "rev1", 1, loaded=2)
    with pytest.raises(Conflict, match="load the page again"):
        reopen(decided, "f1", "rev1", loaded=2)


@pytest.mark.parametrize("version", [0, 4, 9])
def test_what_is_no_decision_is_not_brought_back(decided: Store, home: Home, version: int) -> None:
    reopen(decided, "f1", "rev1", loaded=3)
    with pytest.raises(InvalidAnnotation, match=f"has no decision {version} to bring back"):
        restore(decided, home, "f1", "rev1", version, loaded=4)


def test_work_on_another_caption_is_shown_and_not_brought_back(decided: Store, home: Home) -> None:
    with decided.transaction() as tx:
        new = tx.figures.replace(a_figure(caption="Another one", width=900))
        tx.decisions.add(a_decision(new, version=4, subfigures=(a_subfigure(tokens=(0,)),)))
    newest, *older = figure_history(decided, home, "f1").entries
    assert (newest.made.figure.revision, newest.before, newest.restorable) == (2, None, False)
    assert {(each.made.figure.revision, each.restorable) for each in older} == {(1, False)}
    assert older[-1].subfigures[0].texts == ("A", "left lung")
    with pytest.raises(InvalidAnnotation, match="was made on another caption or image"):
        restore(decided, home, "f1", "rev1", 1, loaded=4)


def test_a_reopened_figure_is_open_again_and_says_by_whom(decided: Store, home: Home) -> None:
    entry = reopen(decided, "f1", "rev2", loaded=3, note=" look again ", now=LATER)
    assert entry == Reopening(a_figure(), "rev2", 4, LATER, "look again")
    with decided.read() as tx:
        assert tx.queue.next() == "f1"
    state = figure_state(decided, home, "f1", "rev1")
    assert (state.decision, state.version) == (None, 4)
    assert state.reasons[0] == "rev2 reopened it: look again"
    found = figure_history(decided, home, "f1")
    assert (found.entries[0].made, found.adjudicated) == (entry, False)
    assert [each.restorable for each in found.entries] == [False, True, True, True]
    with pytest.raises(InvalidAnnotation, match="is open already"):
        reopen(decided, "f1", "rev2", loaded=4)
    assert restore(decided, home, "f1", "rev1", 3, loaded=4).version == 5


def test_what_is_checked_first_ends_it(decided: Store, home: Home) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("signed out")

    with pytest.raises(RuntimeError):
        restore(decided.checking(refuse), home, "f1", "rev1", 1, loaded=3)
    with pytest.raises(RuntimeError):
        reopen(decided.checking(refuse), "f1", "rev1", loaded=3)
    with decided.read() as tx:
        assert tx.decisions.last_version("f1") == 3


def test_bringing_back_counts_as_a_word_where_one_is_waited_for(decided: Store, home: Home) -> None:
    with decided.transaction() as tx:
        tx.decisions.add(a_decision(version=4, reviewer="rev2", awaits=Awaits.SECOND))
    assert restore(decided, home, "f1", "rev1", 2, loaded=4).awaits is Awaits.TIE_BREAK
    assert restore(decided, home, "f1", "rev3", 3, loaded=5).awaits is None


def test_a_figure_without_decisions_has_an_empty_history(store: Store, home: Home) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
    found = figure_history(store, home, "f1")
    assert (found.entries, found.version, found.adjudicated) == ((), 0, False)
    with pytest.raises(UnknownFigure):
        figure_history(store, home, "nope")
    with pytest.raises(UnknownFigure):
        reopen(store, "nope", "rev1", loaded=0)
