from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_decision, an_annotation

from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.domain.kinds import ANSWERS, ITEM_KINDS, KINDS, PAIRS, SUBFIGURES, TYPES, Kind, items_key

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


each_kind = pytest.mark.parametrize("kind", CONTENT, ids=lambda kind: kind.task_type.value)


@each_kind
def test_work_has_content_of_the_kinds_that_it_holds(kind: Kind) -> None:
    items = CONTENT[kind]
    for work in (an_annotation(subfigures=(), items=items), a_decision(subfigures=(), items=items)):
        assert [each for each in KINDS.values() if each.there(work)] == [kind]


@each_kind
def test_items_are_made_again_of_their_parts(kind: Kind) -> None:
    parts = kind.parts(CONTENT[kind])
    assert Items(parts=parts.values()) == CONTENT[kind]
    assert [*CONTENT[kind].parts] == [*parts.values()]


def test_parts_make_the_same_items_in_any_order_of_their_kinds() -> None:
    every = [part for items in CONTENT.values() for part in items.parts]
    assert Items(parts=every) == Items(parts=reversed(every)) == Items(*every[:1], every[1:2], every[2:])
    assert hash(Items(parts=every)) == hash(Items(parts=reversed(every)))


def test_parts_named_by_their_kind_take_the_place_of_others() -> None:
    items = Items(parts=[part for items in CONTENT.values() for part in items.parts])
    changed = replace(items, kind=FigureKind(compound=False))
    assert (changed.kind, changed.verdicts, changed.answers) == (
        FigureKind(compound=False),
        items.verdicts,
        items.answers,
    )


@pytest.mark.parametrize(
    ("twice", "message"),
    [
        (QAVerdict("q1", Verdict.CORRECT), 'question-answer pair "q1" is judged twice'),
        (HumanAnswer("q1", "no"), 'question-answer pair "q1" is judged twice'),
        (FigureKind(count=2), "the figure is judged twice"),
    ],
)
def test_nothing_is_judged_twice(twice: QAVerdict | HumanAnswer | FigureKind, message: str) -> None:
    with pytest.raises(InvalidAnnotation, match=message):
        Items(parts=[twice, twice])


def test_free_texts_are_notes_and_what_people_answered() -> None:
    parts = (FigureKind(note="a"), QAVerdict("q1", Verdict.CORRECT, note="b"), HumanAnswer("q1", "yes", note="c"))
    assert [part.texts for part in parts] == [("a",), ("b",), ("yes", "c")]
    assert HumanAnswer("q1", None).texts == ("", "")


@each_kind
def test_a_note_changes_nothing_of_what_a_part_says(kind: Kind) -> None:
    (part,) = kind.parts(CONTENT[kind]).values()
    assert kind.key(part) == kind.key(replace(part, note="but see the legend"))


def test_subfigures_are_no_items() -> None:
    assert SUBFIGURES.parts(CONTENT[PAIRS]) == {}


def test_items_that_say_the_same_have_one_key() -> None:
    one, other = (Items(kind=FigureKind(count=2, note=note)) for note in ("", "as the legend says"))
    assert items_key(one) == items_key(other)
    assert len({items_key(items) for items in (one, Items(), *CONTENT.values())}) == 5


def test_drawn_work_has_subfigures_only() -> None:
    assert [each for each in KINDS.values() if each.there(an_annotation())] == [SUBFIGURES]
    assert not any(each.there(an_annotation(subfigures=())) for each in KINDS.values())


@pytest.mark.parametrize("task_type", TaskType)
@pytest.mark.parametrize("fine", [True, False])
def test_types_are_asked_for_in_their_own_phases_and_beside_pairs(task_type: TaskType, fine: bool) -> None:
    wanted = task_type is TaskType.FIGURE_TYPES or (fine and task_type is TaskType.FIGURE_QA)
    assert Phase("1", task_type, fine_types=fine).asks_for_kind is wanted


@each_kind
def test_equal_parts_agree_wholly(kind: Kind) -> None:
    [part] = kind.parts(CONTENT[kind]).values()
    assert kind.likeness(part, part) == 1.0


def test_parts_that_differ_agree_as_far_as_their_kind_says() -> None:
    wrong, right = QAVerdict("q1", Verdict.INCORRECT), QAVerdict("q1", Verdict.CORRECT)
    pair = QAItem("q1", "How many?", QAKind.INFINITE_VISUAL, (), "2")
    assert PAIRS.likeness(wrong, right) == 0.0
    assert PAIRS.likeness(wrong, replace(wrong, edited=pair)) == 0.5
    assert ANSWERS.likeness(HumanAnswer("q1", "yes"), HumanAnswer("q1", "no")) == 0.0
    one, other = FigureKind(True, 2, frozenset({"tree"})), FigureKind(True, 3, frozenset({"tree", "graph"}))
    assert TYPES.likeness(one, other) == pytest.approx((1 + 0 + 0.5) / 3)
    assert TYPES.likeness(FigureKind(), FigureKind(compound=True)) is None
