"""What the screen of types and pairs starts from, item by item."""

from __future__ import annotations

from items_cases import CAMPAIGN, a_qa_figure, edited, judged, kinds, pairs_in, verdicts

from annotator.adjudication.kinds.pairs import PairItem, pair_item
from annotator.adjudication.kinds.support import UNJUDGED, Voices
from annotator.adjudication.kinds.types import KindItem, KindValue, kind_item, type_place
from annotator.consensus.items import readings_of
from panelwise.domain.annotation import Annotation
from panelwise.domain.items import FigureKind, Items, QAItem, QAVerdict, Verdict

FIGURE = a_qa_figure()
Q1 = pairs_in(FIGURE)["q1"]


def heard(*annotations: Annotation, quorum: int = 2) -> Voices:
    return Voices(readings_of(annotations, CAMPAIGN), str.upper, quorum)


def on_q1(*words: QAVerdict | None, quorum: int = 2, original: QAItem | None = Q1) -> PairItem:
    work = [
        judged(FIGURE, Items(verdicts=() if word is None else (word,)), annotator=f"ann{number}")
        for number, word in enumerate(words, start=1)
    ]
    return pair_item(heard(*work, quorum=quorum), "f1-q1", original)


def typed(*said: Items, original: FigureKind | None = None) -> KindItem:
    work = [judged(FIGURE, each, annotator=f"ann{n}", phase="types") for n, each in enumerate(said, start=1)]
    return kind_item(heard(*work), original)


CORRECT = QAVerdict("f1-q1", Verdict.CORRECT)


def wrong(answer: str) -> QAVerdict:
    return edited(FIGURE, "q1", answer=answer)


def test_nobody_judged_it() -> None:
    found = on_q1()
    assert (found.reasons, found.conflict, found.preselected) == ((UNJUDGED,), True, False)
    assert found.proposal.verdict is Verdict.CORRECT
    assert typed().reasons == (UNJUDGED,)
    assert typed().proposal == KindValue(None, None, ())
    came = FigureKind(True, 2, frozenset({"tree"}))
    assert typed(original=came).proposal == KindValue(True, 2, ("tree",))


def test_one_of_two_did_not_judge_it() -> None:
    found = on_q1(CORRECT, None)
    assert found.reasons == ("one of 2 did not judge it",)
    assert not found.conflict
    assert found.preselected
    assert on_q1(CORRECT, None, None).reasons == ("2 of 3 did not judge it",)


def test_of_a_single_annotator_nothing_is_missed() -> None:
    found = on_q1(wrong("1"))
    assert (found.reasons, found.conflict, found.preselected) == ((), False, True)
    assert found.supporters == ("ANN1",)


def test_of_groups_that_are_as_large_the_verdict_that_most_give_is_proposed() -> None:
    found = on_q1(wrong("1"), wrong("2"), CORRECT)
    assert found.proposal.verdict is Verdict.INCORRECT
    assert found.conflict
    assert not found.preselected
    assert on_q1(wrong("1"), wrong("1"), CORRECT, quorum=3).preselected is False


def test_what_edits_differ_in_is_told_by_part() -> None:
    one = edited(FIGURE, "q1", answer="1", question="What else?")
    assert on_q1(one, wrong("2")).reasons == ("the edits differ: question, answer",)
    bare = QAVerdict("f1-q1", Verdict.INCORRECT)
    assert on_q1(bare, wrong("2")).reasons == ("the edits differ: answer",)
    same = edited(FIGURE, "q1")
    assert on_q1(bare, same).reasons == ("one edits it, another calls it incorrect without an edit",)


def test_a_pair_that_the_figure_lacks_is_told() -> None:
    found = on_q1(wrong("1"), QAVerdict("f1-q1", Verdict.INCORRECT), original=None)
    assert found.original is None
    assert found.reasons[0] == "the edits differ"
    assert found.reasons[1].startswith("the figure does not have this pair")


def test_a_type_on_which_all_differ_is_put_together_part_by_part() -> None:
    found = typed(
        kinds(True, 2, "line chart"),
        kinds(True, 3, "line chart", "tree"),
        kinds(False, 3, "line chart", "tree", "graph"),
    )
    assert found.proposal == KindValue(True, 3, ("line chart", "tree"))
    assert found.disputed == ("compound", "count", "tree", "graph")
    assert found.reasons == ("compound differs", "count differs", "types differ: tree, graph")


def test_where_as_many_say_one_thing_as_another_it_stays_as_it_came() -> None:
    came = FigureKind(False, 1, frozenset({"tree"}))
    found = typed(kinds(True, 2, "tree", "graph"), kinds(False, 1, "graph"), original=came)
    assert found.proposal == KindValue(False, 1, ("graph", "tree"))
    other = typed(kinds(True, 2, "tree"), kinds(False, 1, "graph"))
    assert other.proposal.compound in (True, False)
    assert other.proposal.types == ()


def test_notes_of_those_who_agree_stand_together() -> None:
    found = typed(kinds(True, 2, note="one"), kinds(True, 2, note="two"))
    assert found.proposal.note == "one; two"
    assert found.supporters == ("ANN1", "ANN2")
    assert not found.conflict


def test_types_stand_in_the_guidelines_order_others_after_them() -> None:
    assert sorted(["zebra", "tree", "bar chart", "alpine"], key=type_place) == [
        "bar chart",
        "tree",
        "alpine",
        "zebra",
    ]


def test_all_seven_pairs_of_two_who_agree_are_settled() -> None:
    voices = heard(judged(FIGURE, verdicts(FIGURE)), judged(FIGURE, verdicts(FIGURE), annotator="ann2"))
    for name, pair in pairs_in(FIGURE).items():
        found = pair_item(voices, pair.id, pair)
        assert (found.conflict, found.preselected, found.reasons) == (False, True, ()), name
