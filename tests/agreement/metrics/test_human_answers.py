from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import a_figure, an_annotation

from agreement.questions.human_answers import AnswerScore, answer_scores
from panelwise.domain.annotation import Annotation
from panelwise.domain.items import HumanAnswer, Items, QAItem, QAKind

OPEN, YES_NO = QAKind.INFINITE_VISUAL, QAKind.BINARY_VISUAL
GOLD = {
    ("f1", "p1"): QAItem("p1", "How high?", OPEN, (), "0.94 - 0.95"),
    ("f1", "p2"): QAItem("p2", "Is it?", YES_NO, (), "Yes"),
    ("f2", "p3"): QAItem("p3", "How many?", OPEN, (), "4"),
}


def answered(figure: str, annotator: str = "ann1", **answers: str | None) -> Annotation:
    given = tuple(HumanAnswer(item, answer) for item, answer in answers.items())
    return an_annotation(a_figure(figure), annotator=annotator, subfigures=(), items=Items(answers=given))


def test_answers_are_scored_by_type_and_in_all() -> None:
    found = answer_scores([answered("f1", p1="0.95", p2="yes"), answered("f2", p3="4.0")], GOLD)
    assert found is not None
    assert found.without_gold == 0
    assert found.scores == (
        AnswerScore(None, OPEN, 2, 0, 0.0, 0.5, pytest.approx((2 / 3 + 2 / 3) / 2), pytest.approx(2 / 3)),
        AnswerScore(None, YES_NO, 1, 0, 1.0, 1.0, 1.0, 1.0),
        AnswerScore(
            None,
            None,
            3,
            0,
            pytest.approx(1 / 3),
            pytest.approx(2 / 3),
            pytest.approx(7 / 9),
            pytest.approx(7 / 9),
        ),
    )


@pytest.mark.parametrize("said", [None, "I don't know", "i do not know."])
def test_who_does_not_know_is_wrong_and_counted(said: str | None) -> None:
    found = answer_scores([answered("f1", p2=said)], GOLD)
    assert found is not None
    assert found.scores[-1] == AnswerScore(None, None, 1, 1, 0.0, 0.0, 0.0, 0.0)


def test_people_are_told_apart_where_there_are_several() -> None:
    found = answer_scores([answered("f1", "b", p2="Yes"), answered("f1", "a", p2="No")], GOLD)
    assert found is not None
    assert [(each.annotator, each.kind, each.exact) for each in found.scores] == [
        (None, YES_NO, 0.5),
        (None, None, 0.5),
        ("a", YES_NO, 0.0),
        ("a", None, 0.0),
        ("b", YES_NO, 1.0),
        ("b", None, 1.0),
    ]


def test_answers_without_gold_are_in_no_score() -> None:
    found = answer_scores([answered("f9", p1="3")], GOLD)
    assert found is not None
    assert found.without_gold == 1
    assert found.scores == (AnswerScore(None, None, 0, 0, None, None, None, None),)


def test_where_nobody_answered_there_is_nothing() -> None:
    assert answer_scores([an_annotation()], GOLD) is None


def test_the_human_answers_to_scivqas_sample_match_in_four_of_five_questions(shared_data: Path) -> None:
    gold, work = {}, []
    for line in (shared_data / "scivqa" / "qa.jsonl").read_text().splitlines():
        pair = json.loads(line)
        item = QAItem(pair["instance_id"], pair["question"], QAKind(pair["qa_pair_type"]), (), pair["answer"])
        name = f"{pair['figure_id']} {item.id}"
        gold[name, item.id] = item
        work.append(answered(name, **{item.id: pair["human_prediction"]}))
    found = answer_scores(work, gold)
    assert found is not None
    exact = {each.kind: each.exact for each in found.scores}
    assert exact.pop(None) == pytest.approx(558 / 700)
    assert exact == {
        QAKind.INFINITE_VISUAL: 0.49,
        QAKind.INFINITE_NON_VISUAL: 0.66,
        QAKind.BINARY_VISUAL: 0.88,
        QAKind.BINARY_NON_VISUAL: 0.85,
        QAKind.CHOICE_VISUAL: 0.92,
        QAKind.CHOICE_NON_VISUAL: 0.85,
        QAKind.UNANSWERABLE: 0.93,
    }
