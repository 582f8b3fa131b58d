"""What several annotators say of a figure's type and pairs, and how far they agree."""

from __future__ import annotations

import pytest
from items_cases import CAMPAIGN, a_qa_figure, edited, judged, kinds, verdicts

from annotator.consensus.items import (
    Reading,
    agreed_items,
    common_status,
    items_agreement,
    items_differ,
    least_voices,
    readings_of,
)
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.items import (
    FigureKind,
    HumanAnswer,
    Items,
    QAVerdict,
    Verdict,
    kind_likeness,
    verdict_likeness,
)
from panelwise.domain.kinds import items_key

FIGURE = a_qa_figure()


def read(*annotations: Annotation) -> tuple[Reading, ...]:
    return readings_of(annotations, CAMPAIGN)


def two(mine: Items, theirs: Items, **more: object) -> tuple[Reading, ...]:
    return read(judged(FIGURE, mine), judged(FIGURE, theirs, annotator="ann2", **more))


def test_a_person_is_heard_over_all_phases_the_last_word_on_each_item_counting() -> None:
    first = judged(FIGURE, verdicts(FIGURE, edited(FIGURE, "q1", answer="0.7")))
    later = judged(FIGURE, Items(verdicts=(edited(FIGURE, "q1", answer="0.75"),)), phase="types", minutes=5)
    (found,) = read(later, first, judged(FIGURE, kinds(True, 2), phase="kinds"))
    assert found.verdicts["f1-q1"].edited is not None
    assert found.verdicts["f1-q1"].edited.answer == "0.75"
    assert found.verdicts["f1-q2"].verdict is Verdict.CORRECT
    assert found.kind == FigureKind(True, 2, frozenset({"line chart"}))


def test_human_evaluation_and_plain_subfigures_are_no_reading() -> None:
    answered = judged(FIGURE, Items(answers=(HumanAnswer("f1-q1", "0.8"),)), phase="eval")
    assert read(answered, judged(FIGURE, Items(), phase="1")) == ()


def test_what_was_passed_over_says_nothing_but_is_known() -> None:
    (found,) = read(judged(FIGURE, verdicts(FIGURE), status=Status.IGNORED))
    assert found.verdicts == {}
    assert common_status([found]) is None


def test_notes_and_white_space_make_no_difference() -> None:
    mine = verdicts(FIGURE, edited(FIGURE, "q1", answer="0.75 ", note="read off"))
    theirs = verdicts(FIGURE, edited(FIGURE, "q1", answer=" 0.75"))
    both = two(mine, theirs)
    assert items_agreement(both) == 1.0
    assert not items_differ(both)
    assert items_key(mine) == items_key(theirs)


def test_another_verdict_counts_nothing_another_edit_a_half() -> None:
    correct = QAVerdict("f1-q1", Verdict.CORRECT)
    wrong = edited(FIGURE, "q1", answer="0.75")
    assert verdict_likeness(correct, wrong) == 0.0
    assert verdict_likeness(wrong, edited(FIGURE, "q1", answer="0.7")) == 0.5
    assert items_agreement(two(verdicts(FIGURE), verdicts(FIGURE, wrong))) == pytest.approx(6 / 7)
    assert items_differ(two(verdicts(FIGURE), verdicts(FIGURE, wrong)))


def test_agreement_is_the_same_whoever_comes_first_and_none_where_nobody_shares_an_item() -> None:
    mine, theirs = verdicts(FIGURE, edited(FIGURE, "q2", answer="9")), verdicts(FIGURE)
    assert items_agreement(two(mine, theirs)) == items_agreement(two(theirs, mine))
    assert items_agreement(two(verdicts(FIGURE), kinds())) is None
    assert items_agreement(read(judged(FIGURE, verdicts(FIGURE)))) is None


def test_figure_types_agree_part_by_part() -> None:
    one = FigureKind(True, 2, frozenset({"line chart"}))
    assert kind_likeness(one, one) == 1.0
    other = FigureKind(True, 3, frozenset({"line chart", "bar chart"}))
    assert kind_likeness(one, other) == pytest.approx((1 + 0 + 0.5) / 3)
    assert kind_likeness(FigureKind(), FigureKind(compound=True)) is None
    assert kind_likeness(FigureKind(count=2), one) == pytest.approx(0.5)


def test_what_all_say_is_agreed_on_and_what_only_one_says_too() -> None:
    mine = verdicts(FIGURE, edited(FIGURE, "q1", answer="0.75", note="read off"))
    theirs = Items(
        verdicts=(edited(FIGURE, "q1", answer="0.75", note="by eye"), edited(FIGURE, "q3", answer="No"))
    )
    found = agreed_items([judged(FIGURE, mine), judged(FIGURE, theirs, annotator="ann2")])
    by_id = {each.item: each for each in found.verdicts}
    assert by_id["f1-q1"].note == "read off; by eye"
    assert "f1-q3" not in by_id
    assert "f1-q7" in by_id
    assert [each.item for each in found.verdicts] == sorted(by_id)


def test_status_and_fewest_voices() -> None:
    both = two(verdicts(FIGURE), Items(verdicts=(QAVerdict("f1-q1", Verdict.CORRECT),)))
    assert common_status(both) is Status.ACCEPTED
    assert least_voices(both) == 1
    assert least_voices(two(kinds(), kinds())) == 2
    assert least_voices(()) == 0
    split = two(verdicts(FIGURE), Items(), status=Status.REJECTED)
    assert common_status(split) is None
    assert items_differ(split)


def test_work_in_a_phase_of_no_campaign_counts_where_it_holds_items() -> None:
    campaign = Campaign("c", (Phase("1"),), ())
    assert len(readings_of([judged(FIGURE, kinds(), phase="stray")], campaign)) == 1
