from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_figure, an_annotation

from agreement.questions.items import item_report
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict

PAIR = QAItem("p1", "How high?", QAKind.INFINITE_VISUAL, (), "20")
CHOICE = QAItem("p2", "Which?", QAKind.CHOICE_VISUAL, ("a", "b", "c", "d"), "A")
CAME = {("f1", "p1"): PAIR, ("f1", "p2"): CHOICE}
CORRECT, INCORRECT = Verdict.CORRECT, Verdict.INCORRECT


def work(annotator: str = "ann1", *, status: Status = Status.ACCEPTED, **items: object) -> Annotation:
    return an_annotation(a_figure(), annotator=annotator, status=status, subfigures=(), items=Items(**items))


def verdicts(*given: QAVerdict, annotator: str = "ann1") -> Annotation:
    return work(annotator, verdicts=given)


def test_work_without_items_has_no_report() -> None:
    assert item_report([an_annotation()], {}) is None
    assert item_report([work(status=Status.IGNORED, kind=FigureKind(True))], {}) is None


def test_each_part_is_told_where_somebody_judged_it() -> None:
    kinds = (FigureKind(True, 2, frozenset({"Tree", "graph"})), FigureKind(True, 3, frozenset({"tree"})))
    found = item_report([work(name, kind=kind) for name, kind in zip("ab", kinds, strict=True)], {})
    assert found is not None
    assert found.compound is not None
    assert found.types is not None
    assert found.count is not None
    assert (found.annotations, found.compound.all.observed, found.count.difference) == (2, 1.0, 1.0)
    assert [(tag.tag, tag.given, tag.positive) for tag in found.tags] == [("tree", 2, 1.0), ("graph", 1, 0.0)]
    assert (found.verdicts, found.edits, found.answers, found.unknown) == ((), (), None, 0)


def test_what_is_not_judged_is_not_told() -> None:
    found = item_report([work(kind=FigureKind(note="unclear"))], {})
    assert found is not None
    assert (found.compound, found.types, found.tags, found.count) == (None, None, (), None)


def test_verdicts_are_told_by_type_of_pair_and_in_all() -> None:
    every = [
        verdicts(QAVerdict("p1", CORRECT), QAVerdict("p2", INCORRECT), annotator="a"),
        verdicts(QAVerdict("p1", CORRECT), QAVerdict("p2", CORRECT), annotator="b"),
    ]
    found = item_report(every, CAME)
    assert found is not None
    assert [(kind, score.all.units, score.all.observed) for kind, score in found.verdicts] == [
        (QAKind.INFINITE_VISUAL, 1, 1.0),
        (QAKind.CHOICE_VISUAL, 1, 0.0),
        (None, 2, 0.5),
    ]
    # Gwet's: expected from two categories, whatever occurs.
    whole = found.verdicts[-1][1].all
    assert whole.ac1 == pytest.approx((0.5 - 0.375) / (1 - 0.375))


def test_edits_are_counted_by_type_and_by_what_was_changed() -> None:
    every = [
        verdicts(
            QAVerdict("p1", INCORRECT, replace(PAIR, question="How high is it?", answer="21")),
            QAVerdict(
                "p2", INCORRECT, replace(CHOICE, choices=("a", "b", "c", "e"), kind=QAKind.CHOICE_NON_VISUAL)
            ),
            annotator="a",
        ),
        verdicts(
            QAVerdict("p1", INCORRECT), QAVerdict("p2", CORRECT, replace(CHOICE, answer="A ")), annotator="b"
        ),
    ]
    found = item_report(every, CAME)
    assert found is not None
    rows = [
        (e.kind, e.judged, e.incorrect, e.edited, e.question, e.options, e.answer, e.type) for e in found.edits
    ]
    assert rows == [
        (QAKind.INFINITE_VISUAL, 2, 2, 1, 1, 0, 1, 0),
        (QAKind.CHOICE_VISUAL, 2, 1, 1, 0, 1, 0, 1),
        (None, 4, 3, 2, 1, 1, 1, 1),
    ]
    assert [edit.rate for edit in found.edits] == [1.0, 0.5, 0.75]
    assert replace(found.edits[0], judged=0).rate is None


def test_pairs_of_no_known_type_are_counted_in_all_and_said() -> None:
    found = item_report([verdicts(QAVerdict("p9", INCORRECT, replace(PAIR, id="p9")))], CAME)
    assert found is not None
    assert found.unknown == 1
    assert [(edit.kind, edit.judged, edit.edited, edit.answer) for edit in found.edits] == [(None, 1, 1, 0)]
    assert [kind for kind, _ in found.verdicts] == [None]


def test_answers_are_held_against_the_gold_where_it_differs_from_what_came() -> None:
    answered = work(answers=(HumanAnswer("p1", "21"),))
    as_came, as_settled = (
        item_report([answered], CAME),
        item_report([answered], CAME, {("f1", "p1"): replace(PAIR, answer="21")}),
    )
    assert as_came is not None
    assert as_settled is not None
    assert as_came.answers is not None
    assert as_settled.answers is not None
    assert (as_came.answers.scores[-1].exact, as_settled.answers.scores[-1].exact) == (0.0, 1.0)
