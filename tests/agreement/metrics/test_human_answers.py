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
    # Of p1 the answer is one of the gold's two words, twice "0"; p3's "4.0" has a word more than "4".
    ours = tuple(map(pytest.approx, (2 / 3, 3 / 4, 3 / 4)))
    together = tuple(map(pytest.approx, (7 / 9, 5 / 6, 5 / 6)))
    third = pytest.approx(1 / 3)
    assert found.scores == (
        AnswerScore(None, OPEN, 2, 0, 0.0, 0.5, *ours, *ours),
        AnswerScore(None, YES_NO, 1, 0, 1.0, 1.0, *(1.0,) * 6),
        AnswerScore(None, None, 3, 0, third, pytest.approx(2 / 3), *together, *together),
    )


def test_the_sentence_for_unanswerable_questions_is_scored_as_any_text() -> None:
    """As the shared task's script does: not to know shares "not" with it, if it is written out."""
    sentence = "It is not possible to answer this question based only on the provided data."
    gold = {("f1", "p1"): QAItem("p1", "Why?", QAKind.UNANSWERABLE, (), sentence)}
    said, written, ticked = (
        answer_scores([answered("f1", p1=answer)], gold).scores[-1] for answer in (sentence, "I do not know", None)
    )
    assert (said.exact, said.unknown, said.rouge_1) == (1.0, 0, 1.0)
    assert (written.exact, written.unknown) == (0.0, 1)
    assert (written.rouge_1_precision, written.rouge_1_recall) == (1 / 4, pytest.approx(1 / 14))
    assert written.rouge_1 == pytest.approx(2 / 18)
    assert (ticked.unknown, ticked.rouge_1) == (1, 0.0)


@pytest.mark.parametrize("said", [None, "I don't know", "i do not know."])
def test_who_does_not_know_is_wrong_and_counted(said: str | None) -> None:
    found = answer_scores([answered("f1", p2=said)], GOLD)
    assert found is not None
    assert found.scores[-1] == AnswerScore(None, None, 1, 1, 0.0, 0.0, *(0.0,) * 6)


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
    assert found.scores == (AnswerScore(None, None, 0, 0, *(None,) * 8),)


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
    # The shared task's own script: ROUGE-1 and ROUGE-L of its 700 human answers.
    assert found.scores[-1].rouge_1 == pytest.approx(0.843752, abs=5e-7)
    assert found.scores[-1].rouge_l == pytest.approx(0.843371, abs=5e-7)
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
