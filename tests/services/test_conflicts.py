"""Two decisions compared and merged, subfigure by subfigure."""

from __future__ import annotations

import msgspec
import pytest
from adjudicated import decide
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from hypothesis import given
from hypothesis import strategies as st

from annotator.adjudication.collision import Comparison, collision, compare
from annotator.adjudication.compare.subfigures import Part, pairs
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import Draft, SubfiguresDraft, SubfiguresView
from annotator.adjudication.history import reopen
from annotator.campaign.home import Home
from annotator.store.queries.figures import UnknownFigure
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import ErrorKind

LEFT, RIGHT = (0.0, 0.0, 400.0, 600.0), (400.0, 0.0, 800.0, 600.0)
A, B = Panel("A", LEFT, (4, 6)), Panel("B", RIGHT, (10, 12))


def compared(mine: object, theirs: object, base: object = (A, B), **more: object) -> Comparison:
    """Panels (or whole drafts) compared; `more` are fields of mine."""
    first, second, start = (
        each
        if isinstance(each, Draft)
        else SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=tuple(each))
        for each in (mine, theirs, base)
    )
    draft = msgspec.structs.replace(first, seconds=3.0, **more)
    view = SubfiguresView(
        version=2,
        status=second.status,
        note=second.note,
        reviewer="rev2",
        decided_at=NOON,
        based_on=second.based_on,
        error_kind=second.error_kind,
        guideline_flag=second.guideline_flag,
        subfigures=second.subfigures,
        seconds=None,
    )
    return compare(draft, view, start, loaded=1, send=2)


def merged(found: Comparison) -> list[tuple[str, tuple[float, ...], tuple[int, ...]]]:
    return [(each.label, each.box, each.tokens) for each in found.merged.subfigures]


def the(found: Comparison, label: str) -> Part:
    return next(part for part in found.subfigures if part.label == label)


def plain(*panels: Panel) -> list[tuple[str, tuple[float, ...], tuple[int, ...]]]:
    return [(each.label, each.box, each.tokens) for each in panels]


def with_tokens(panel: Panel, *tokens: int) -> Panel:
    return Panel(panel.label, panel.box, tokens)


def test_two_who_say_the_same_differ_in_nothing() -> None:
    found = compared((A, B), (A, B))
    assert [part.differs for part in found.subfigures] == [(), ()]
    assert [part.line for part in found.subfigures] == ["", ""]
    assert found.clashes == 0
    assert merged(found) == plain(A, B)
    assert found.merged.version == 2


def test_changes_to_different_subfigures_are_both_kept() -> None:
    mine, theirs = with_tokens(A, 4, 6, 7), Panel("B", (400.0, 0.0, 800.0, 300.0), (10, 12))
    found = compared((mine, B), (A, theirs))
    assert merged(found) == plain(mine, theirs)
    assert found.clashes == 0
    part = the(found, "A")
    assert (part.differs, part.only_mine, part.only_theirs, part.clash) == (("tokens",), (7,), (), False)
    assert part.line == "A: 1 token fewer in theirs"
    assert the(found, "B").line == "B: box differs (overlap 50 %)"
    assert the(found, "B").iou == 0.5


def test_tokens_of_one_subcaption_are_merged_each_for_itself() -> None:
    found = compared((with_tokens(A, 4, 6, 7), B), (with_tokens(A, 6, 8), B))
    assert the(found, "A").merged == with_tokens(A, 6, 7, 8)
    assert found.clashes == 0
    assert the(found, "A").line == "A: 1 token more in theirs; 2 tokens fewer in theirs"


def test_what_both_changed_otherwise_is_a_clash_in_which_mine_stands() -> None:
    mine, theirs = Panel("A", (0.0, 0.0, 300.0, 600.0), (4, 6)), Panel("A", (0.0, 0.0, 390.0, 500.0), (4, 6))
    found = compared((mine, B), (theirs, B))
    assert the(found, "A").clash
    assert the(found, "A").merged == mine
    assert found.clashes == 1


def test_without_a_common_start_other_tokens_are_a_clash() -> None:
    found = compared((with_tokens(A, 4),), (with_tokens(A, 6),), ())
    assert (the(found, "A").clash, the(found, "A").merged) == (True, with_tokens(A, 4))


def test_labels_are_told_and_merged() -> None:
    c = Panel("C", LEFT, (4, 6))
    found = compared((A, B), (c, B))
    assert the(found, "A").differs == ("label",)
    assert the(found, "A").line == "A: labelled C by them"
    assert merged(found) == plain(c, B)


def test_what_one_added_or_took_out_is_added_and_taken_out() -> None:
    c = Panel("C", (0.0, 0.0, 50.0, 50.0), (1,))
    assert merged(compared((A, B, c), (A, B))) == plain(A, B, c)
    assert merged(compared((A, B), (A, B, c))) == plain(A, B, c)
    gone = compared((A,), (A, B))
    assert merged(gone) == plain(A)
    assert (the(gone, "B").differs, the(gone, "B").line) == (("only theirs",), "B: only theirs")
    assert merged(compared((A, B), (B,))) == plain(B)


def test_taking_out_what_the_other_changed_is_a_clash() -> None:
    changed = with_tokens(B, 10)
    mine = compared((A, changed), (A,))
    assert (the(mine, "B").clash, the(mine, "B").merged) == (True, changed)
    theirs = compared((A,), (A, changed))
    assert (the(theirs, "B").clash, the(theirs, "B").merged) == (True, None)
    assert merged(theirs) == plain(A)


def test_one_label_for_two_new_boxes_is_a_clash_of_both() -> None:
    mine, theirs = Panel("C", LEFT, (4, 6)), Panel("C", (0.0, 0.0, 40.0, 40.0), ())
    found = compared((mine, B), (A, B, theirs))
    assert [part.clash for part in found.subfigures if part.merged and part.merged.label == "C"] == [True, True]


def test_fields_are_merged_and_no_note_is_lost() -> None:
    base = SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=(A,), note="start")
    mine = SubfiguresDraft(
        version=1,
        status=Status.ACCEPTED,
        subfigures=(A,),
        based_on=("k1",),
        note="mine",
        error_kind=ErrorKind.SLIP,
    )
    theirs = SubfiguresDraft(
        version=1,
        status=Status.REJECTED,
        subfigures=(A,),
        based_on=("k2", "k1"),
        note="theirs",
        guideline_flag="insets?",
    )
    found = compared(mine, theirs, base)
    assert (found.status.merged, found.status.clash) == (Status.REJECTED, False)
    assert (found.note.merged, found.note.clash) == ("theirs\nmine", True)
    assert (found.error_kind.merged, found.error_kind.clash) == (ErrorKind.SLIP, False)
    assert found.guideline_flag.merged == "insets?"
    assert found.clashes == 1
    assert found.merged.based_on == ("k2", "k1")
    assert found.merged.note == "theirs\nmine"
    assert found.merged.guideline_flag == "insets?"
    assert found.merged.seconds == 3.0


def test_the_better_partner_wins_whatever_the_order() -> None:
    near, far = Panel("X", LEFT, ()), Panel("A", (10.0, 10.0, 20.0, 20.0), ())
    assert pairs((A,), (near, far)) == {0: 1}
    assert pairs((A, B), (B, A)) == {0: 1, 1: 0}
    assert pairs((A,), (Panel("Z", RIGHT, ()),)) == {}


boxes = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
    lambda at: (at[0] * 100.0, at[1] * 100.0, at[0] * 100.0 + 90, at[1] * 100.0 + 90)
)
panel_lists = st.lists(
    st.builds(
        Panel,
        st.sampled_from("ABCD"),
        boxes,
        st.sets(st.integers(0, 12), max_size=4).map(lambda each: tuple(sorted(each))),
    ),
    max_size=4,
    unique_by=(lambda panel: panel.label, lambda panel: panel.box),
).map(tuple)


@given(panel_lists, panel_lists)
def test_where_only_one_side_changed_anything_the_merge_is_that_side(start: tuple, changed: tuple) -> None:
    mine = compared(changed, start, start)
    assert sorted(merged(mine)) == sorted(plain(*changed))
    assert not any(part.clash for part in mine.subfigures)
    theirs = compared(start, changed, start)
    assert sorted(merged(theirs)) == sorted(plain(*changed))


@given(panel_lists, panel_lists, panel_lists)
def test_every_subfigure_of_each_side_is_listed_once(start: tuple, mine: tuple, theirs: tuple) -> None:
    found = compared(mine, theirs, start)
    assert [part.mine for part in found.subfigures if part.mine] == list(mine)
    there = [part.theirs for part in found.subfigures if part.theirs]
    assert sorted(plain(*there)) == sorted(plain(*theirs))
    assert len({part.id for part in found.subfigures}) == len(found.subfigures)
    for part in found.subfigures:
        assert bool(part.line) == bool(part.differs)


@pytest.fixture
def settled(store: Store) -> Store:
    """f1, on which three agree."""
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        for name in ("ann1", "ann2", "ann3"):
            tx.annotations.add(an_annotation(annotator=name))
    return store


def a_draft(version: int, *tokens: int) -> Draft:
    right = Panel("B", RIGHT, (10, 12, 13))
    return SubfiguresDraft(version=version, status=Status.ACCEPTED, subfigures=(Panel("A", LEFT, tokens), right))


def test_the_first_decisions_are_merged_against_the_candidates(settled: Store, home: Home) -> None:
    """All annotators say 4, 6, 7: the one reviewer takes 7 out, the other puts 5 in."""
    decide(settled, home, "f1", "rev2", a_draft(0, 4, 6))
    found = collision(settled, home, "f1", a_draft(0, 4, 5, 6, 7))
    assert found.comparison is not None
    assert found.comparison.base is None
    assert found.comparison.merged == a_draft(1, 4, 5, 6)
    assert found.comparison.clashes == 0
    assert found.version == 1


def test_later_ones_are_merged_against_the_version_that_was_loaded(settled: Store, home: Home) -> None:
    decide(settled, home, "f1", "rev1", a_draft(0, 4))
    decide(settled, home, "f1", "rev2", a_draft(1, 4, 5))
    found = collision(settled, home, "f1", a_draft(1))
    assert found.comparison is not None
    assert found.comparison.base == 1
    assert found.comparison.merged == a_draft(2, 5)
    assert decide(settled, home, "f1", "rev1", found.comparison.merged).version == 3


def test_a_reopening_is_nothing_to_compare_with(settled: Store, home: Home) -> None:
    decide(settled, home, "f1", "rev1", a_draft(0, 4))
    reopen(settled, "f1", "rev2", loaded=1)
    found = collision(settled, home, "f1", a_draft(1, 4, 5))
    assert (found.version, found.current, found.comparison) == (2, None, None)


def test_a_decision_on_another_revision_is_no_common_start(settled: Store, home: Home) -> None:
    with settled.transaction() as tx:
        tx.decisions.add(a_decision(subfigures=(a_subfigure(tokens=(1, 2)),)))
        new = tx.figures.replace(a_figure(caption="A other caption", width=900))
        tx.decisions.add(a_decision(new, version=2, subfigures=(a_subfigure(tokens=(0,)),)))
    found = collision(settled, home, "f1", a_draft(1, 1, 2))
    assert found.comparison is not None
    assert found.comparison.base is None


def test_an_unknown_figure_is_told(settled: Store, home: Home) -> None:
    with pytest.raises(UnknownFigure):
        collision(settled, home, "nope", a_draft(0))
