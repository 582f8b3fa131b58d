"""Two decisions on a figure's type and pairs: compared item by item, and merged against what both started from."""

from __future__ import annotations

from pathlib import Path

import pytest
from adjudicated import decide_items
from builders import NOON
from items_cases import a_home, a_qa_figure, judged, kinds, verdicts

from annotator.adjudication.collision import Comparison, collision, compare
from annotator.adjudication.draft import ItemsDraft, ItemsView
from annotator.adjudication.kinds.pairs import PairValue, PairWord
from annotator.adjudication.kinds.types import KindValue
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.items import QAKind, Verdict

CORRECT = PairWord("q1", Verdict.CORRECT)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path / "campaign")


def wrong(answer: str, item: str = "q1", note: str = "") -> PairWord:
    return PairWord(item, Verdict.INCORRECT, PairValue(QAKind.INFINITE_VISUAL, "What?", (), answer), note)


def compared(
    mine: tuple[PairWord, ...],
    theirs: tuple[PairWord, ...],
    base: tuple[PairWord, ...] = (CORRECT,),
    *,
    kind: tuple[KindValue | None, KindValue | None, KindValue | None] = (None, None, None),
) -> Comparison:
    draft = ItemsDraft(version=1, status=Status.ACCEPTED, kind=kind[0], verdicts=mine, based_on=("k2",))
    current = ItemsView(
        version=2,
        status=Status.ACCEPTED,
        note="",
        reviewer="rev2",
        decided_at=NOON,
        based_on=("k1",),
        kind=kind[1],
        verdicts=theirs,
    )
    start = ItemsDraft(version=1, status=Status.ACCEPTED, kind=kind[2], verdicts=base)
    return compare(draft, current, start, loaded=1, send=2)


def test_what_only_one_changed_is_taken_from_that_one() -> None:
    mine = compared((wrong("2"), PairWord("q2", Verdict.CORRECT)), (CORRECT, wrong("7", "q2")), (
        CORRECT, PairWord("q2", Verdict.CORRECT)
    ))  # fmt: skip
    assert [each.merged for each in mine.pairs] == [wrong("2"), wrong("7", "q2")]
    assert mine.clashes == 0
    assert mine.merged.verdicts == (wrong("2"), wrong("7", "q2"))
    assert mine.merged.version == 2
    assert mine.merged.based_on == ("k1", "k2")


def test_what_both_changed_otherwise_is_a_clash_in_which_mine_stands() -> None:
    found = compared((wrong("2"),), (wrong("3"),))
    assert found.pairs[0].clash
    assert found.pairs[0].merged == wrong("2")
    assert found.clashes == 1


def test_what_both_changed_alike_does_not_differ() -> None:
    found = compared((wrong("2"),), (wrong(" 2 "),))
    assert not found.pairs[0].differs
    assert found.clashes == 0


def test_another_note_is_a_difference() -> None:
    found = compared((wrong("2", note="mine"),), (wrong("2"),), (wrong("2"),))
    assert found.pairs[0].differs
    assert found.pairs[0].merged == wrong("2", note="mine")


def test_a_pair_that_one_side_says_nothing_of_is_not_lost() -> None:
    found = compared((CORRECT,), (wrong("3", "q2"),))
    assert {each.id: each.merged for each in found.pairs} == {"q1": CORRECT, "q2": wrong("3", "q2")}


def test_a_type_is_merged_part_by_part() -> None:
    base = KindValue(True, 2, ("line chart",))
    mine = KindValue(True, 3, ("line chart",))
    theirs = KindValue(False, 2, ("line chart", "tree"), "a note")
    found = compared((), (), (), kind=(mine, theirs, base))
    assert found.kind is not None
    assert found.kind.merged == KindValue(False, 3, ("line chart", "tree"), "a note")
    assert not found.kind.clash
    assert found.merged.kind == found.kind.merged


def test_a_count_that_both_changed_clashes_and_a_type_of_one_side_only_is_kept() -> None:
    base = KindValue(True, 2, ("tree",))
    found = compared((), (), (), kind=(KindValue(True, 3, ("tree",)), KindValue(True, 4, ("tree",)), base))
    assert found.kind is not None
    assert found.kind.clash
    assert found.clashes == 1
    alone = compared((), (), (), kind=(None, KindValue(True, 4, ("tree",)), None))
    assert alone.merged.kind == KindValue(True, 4, ("tree",))


def test_without_a_base_differing_types_clash() -> None:
    found = compared((), (), (), kind=(KindValue(True, 2, ("tree",)), KindValue(True, 2, ("graph",)), None))
    assert found.kind is not None
    assert found.kind.clash
    assert found.kind.merged == KindValue(True, 2, ("tree",))


def test_a_draft_that_came_too_late_is_compared_with_what_holds(home: Home, store: Store) -> None:
    figure = a_qa_figure()
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(judged(figure, verdicts(figure)))
        tx.annotations.add(judged(figure, kinds(), phase="types"))
    same = tuple(PairWord(f"f1-q{n}", Verdict.CORRECT) for n in range(1, 8))
    first = ItemsDraft(
        version=0, status=Status.ACCEPTED, kind=KindValue(True, 2, ("line chart",)), verdicts=same, note="theirs"
    )
    late = ItemsDraft(
        version=0, status=Status.ACCEPTED, kind=KindValue(True, 3, ("line chart",)), verdicts=same, note="mine"
    )
    assert collision(store, home, "f1", late).current is None
    decide_items(store, home, "f1", "rev2", first)
    found = collision(store, home, "f1", late)
    assert found.version == 1
    assert found.current is not None
    assert found.current.reviewer == "rev2"
    assert found.comparison is not None
    assert found.comparison.base is None
    assert found.comparison.note.merged == "theirs\nmine"
    assert found.comparison.kind is not None
    assert found.comparison.kind.merged == KindValue(True, 3, ("line chart",))
    decide_items(
        store,
        home,
        "f1",
        "rev1",
        ItemsDraft(version=1, status=Status.ACCEPTED, kind=first.kind, verdicts=same, note="again"),
    )
    after = collision(
        store,
        home,
        "f1",
        ItemsDraft(version=1, status=Status.ACCEPTED, kind=late.kind, verdicts=same, note="theirs"),
    )
    assert after.comparison is not None
    assert after.comparison.base == 1
    assert after.comparison.note.merged == "again"
