from __future__ import annotations

import pytest
from builders import a_decision, an_annotation

from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAVerdict, Verdict
from panelwise.domain.kinds import ANSWERS, ITEM_KINDS, KINDS, PAIRS, SUBFIGURES, TYPES, Kind

CONTENT = {
    TYPES: Items(kind=FigureKind(compound=True)),
    PAIRS: Items(verdicts=(QAVerdict("q1", Verdict.CORRECT),)),
    ANSWERS: Items(answers=(HumanAnswer("q1", "yes"),)),
}


def test_each_task_type_has_its_kind() -> None:
    assert KINDS.keys() == set(TaskType)
    assert all(Phase("1", task_type).kind.task_type is task_type for task_type in TaskType)


def test_reviewers_adjudicate_types_and_pairs_item_by_item() -> None:
    assert {TYPES, PAIRS} == ITEM_KINDS


@pytest.mark.parametrize("kind", CONTENT, ids=lambda kind: kind.task_type.value)
def test_work_has_content_of_the_kinds_that_it_holds(kind: Kind) -> None:
    for work in (
        an_annotation(subfigures=(), items=CONTENT[kind]),
        a_decision(subfigures=(), items=CONTENT[kind]),
    ):
        assert [each for each in KINDS.values() if each.there(work)] == [kind]


def test_drawn_work_has_subfigures_only() -> None:
    assert [each for each in KINDS.values() if each.there(an_annotation())] == [SUBFIGURES]
    assert not any(each.there(an_annotation(subfigures=())) for each in KINDS.values())


@pytest.mark.parametrize("task_type", TaskType)
@pytest.mark.parametrize("fine", [True, False])
def test_types_are_asked_for_in_their_own_phases_and_beside_pairs(task_type: TaskType, fine: bool) -> None:
    wanted = task_type is TaskType.FIGURE_TYPES or (fine and task_type is TaskType.FIGURE_QA)
    assert Phase("1", task_type, fine_types=fine).asks_for_kind is wanted
