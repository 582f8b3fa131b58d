"""What can come back through the API, or of a task that is out of step: told, and nothing good is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from builders import a_figure

from annotator.annotation_server import Pulled
from annotator.label_studio.payload.items import items_data
from annotator.label_studio.payload.reading import pulled
from label_config import names
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Phase
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import NO_ITEMS, FigureKind, QAKind, QAVerdict, Verdict
from tests.label_studio.item_cases import HUMAN, QA, TYPES, record, seven_pairs, with_pairs

PAIRS = seven_pairs()
FIGURE = with_pairs(PAIRS)
WHERE = 'figure "f1", annotator "ann1": '


def choice(control: str, *values: str) -> dict[str, Any]:
    return {"from_name": control, "type": "choices", "value": {"choices": list(values)}}


def text(control: str, *values: str) -> dict[str, Any]:
    return {"from_name": control, "type": "textarea", "value": {"text": list(values)}}


def read(phase: Phase, *regions: Any, data: dict[str, Any] | None = None, **more: Any) -> Pulled:
    pairs = () if phase is TYPES else PAIRS
    task = {"data": {**items_data(FIGURE, phase, pairs), **(data or {})}}
    return pulled(task, record(list(regions), **more), FIGURE, annotator="ann1", phase=phase)


def the_verdict(*regions: Any) -> tuple[QAVerdict, tuple[str, ...]]:
    """What was said of pair 5, which has options, and what is odd about it."""
    back = read(QA, *regions)
    [verdict] = back.annotation.items.verdicts
    return verdict, back.findings


EDIT = choice("verdict5", "Incorrect.Edit")


def test_incorrect_without_an_edit_is_told() -> None:
    verdict, [finding] = the_verdict(EDIT, choice("kind5", PAIRS[4].kind.value))
    assert (verdict.verdict, verdict.edited) == (Verdict.INCORRECT, None)
    assert finding == (
        f'{WHERE}pair 5 ("q5") is Incorrect.Edit and nothing was edited; change what is wrong, or choose Correct'
    )


def test_an_edit_under_correct_is_kept_and_told() -> None:
    verdict, [finding] = the_verdict(choice("verdict5", "Correct"), text("answer5", "A"))
    assert verdict.edited == replace(PAIRS[4], answer="A")
    assert "was edited under Correct" in finding


@pytest.mark.parametrize(
    ("emptied", "what"), [("question5", "question was"), ("answer5", "answer was"), ("options5", "options were")]
)
def test_a_field_that_was_emptied_stays_as_it_was(emptied: str, what: str) -> None:
    kept = {"question5": text("answer5", "A")}.get(emptied, text("question5", "Which?"))
    verdict, [finding] = the_verdict(EDIT, text(emptied, " "), kept)
    assert verdict.edited in (replace(PAIRS[4], answer="A"), replace(PAIRS[4], question="Which?"))
    assert f"{what} emptied" in finding


def test_options_may_go_where_the_type_has_none() -> None:
    verdict, findings = the_verdict(
        EDIT, choice("kind5", QAKind.INFINITE_VISUAL.value), text("options5", ""), text("answer5", "vede")
    )
    assert verdict.edited == replace(PAIRS[4], kind=QAKind.INFINITE_VISUAL, choices=(), answer="vede")
    assert findings == ()


def test_blanks_around_an_edit_and_empty_lines_of_options_do_not_count() -> None:
    verdict, _ = the_verdict(EDIT, text("question5", "  Which?\n"), text("options5", "nero\n\n ci \nsees\nvede\n"))
    assert verdict.edited == replace(PAIRS[4], question="Which?")


def test_an_option_over_two_lines_is_no_edit_while_nobody_touches_it() -> None:
    pairs = (replace(PAIRS[4], choices=("one\ntwo", "three")),)
    figure = with_pairs(pairs)
    back = pulled(
        {"data": items_data(figure, QA, pairs)},
        record([choice("verdict1", "Incorrect.Edit"), text("options1", "one\ntwo\nthree"), text("answer1", "B")]),
        figure,
        annotator="ann1",
        phase=QA,
    )
    assert back.annotation.items.verdicts[0].edited == replace(pairs[0], answer="B")


@pytest.mark.parametrize(
    ("said", "complaint"),
    [((), "has no verdict"), ((choice("verdict1", "Perhaps"),), 'has an unknown verdict, "Perhaps"')],
)
def test_a_pair_without_a_verdict_is_left_out_and_told(said: tuple[Any, ...], complaint: str) -> None:
    others = [choice(names.numbered(names.VERDICT, block), "Correct") for block in range(2, 8)]
    back = read(QA, *said, *others)
    assert [each.item for each in back.annotation.items.verdicts] == ["q2", "q3", "q4", "q5", "q6", "q7"]
    [loss] = back.left_out
    assert f'pair 1 ("q1") {complaint}, so it is left out; choose one and press Update' in loss


def test_an_unknown_type_is_left_out() -> None:
    back = read(QA, EDIT, choice("kind5", "riddle"), text("answer5", "A"))
    [verdict] = back.annotation.items.verdicts
    assert verdict.edited == replace(PAIRS[4], answer="A")
    assert any('type "riddle" is none of the seven' in each for each in back.left_out)


def test_regions_of_foreign_controls_are_left_out() -> None:
    known = choice(names.COMPOUND, names.COMPOUND_NO)
    back = read(TYPES, choice("mine", "x"), {"from_name": names.TYPES}, choice("picked1", "A"), known)
    assert [each.split('"')[5] for each in back.left_out] == ["mine", names.TYPES, "picked1"]


@pytest.mark.parametrize("number", ["three", 2.5, -1, None, True])
def test_a_number_that_is_none_is_left_out(number: object) -> None:
    back = read(
        TYPES,
        {"from_name": names.COUNT, "value": {"number": number}},
        choice(names.COMPOUND, names.COMPOUND_NO),
    )
    assert back.annotation.items.kind == FigureKind(compound=False)
    assert "give a whole number" in back.left_out[0]


def test_a_skipped_task_says_nothing_of_its_items() -> None:
    back = read(QA, EDIT, was_cancelled=True)
    assert (back.annotation.status, back.annotation.items) == (Status.IGNORED, NO_ITEMS)
    assert (back.findings, back.left_out) == ((), ())


def test_where_no_types_are_asked_for_nothing_is_said_of_them() -> None:
    back = read(QA, choice(names.TYPES, "tree"), text(names.NOTES, "blurred"), choice("verdict1", "Correct"))
    assert back.annotation.items.kind is None
    assert sum("is left out" in each for each in back.left_out) >= 2


def test_several_answers_to_one_question_are_told() -> None:
    back = read(HUMAN, text("written1", "black"), choice("instead1", names.INSTEAD_UNKNOWN))
    assert back.annotation.items.answers[0].answer == "black"
    assert "in more than one way" in back.findings[0]


def test_not_knowing_needs_a_reason() -> None:
    back = read(HUMAN, choice("instead1", names.INSTEAD_UNKNOWN))
    assert back.annotation.items.answers[0].answer is None
    assert "without a reason" in back.findings[0]
    reasoned = read(HUMAN, choice("instead1", names.INSTEAD_UNKNOWN), text("note1", "no correct option"))
    assert reasoned.annotation.items.answers[0].note == "no correct option"
    assert reasoned.findings == ()


def test_an_option_that_the_pair_has_not_is_left_out() -> None:
    back = read(HUMAN, choice("picked5", "A", "Z"))
    assert back.annotation.items.answers[0].answer == "A"
    assert any("an option that the pair has not" in each for each in back.left_out)


def test_questions_that_nobody_answered_are_each_told() -> None:
    back = read(HUMAN)
    assert back.annotation.items == NO_ITEMS
    assert len(back.left_out) == 7


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({names.DATA_CAPTION: "older"}, "its caption in Label Studio is not the stored one"),
        ({"question3": "older"}, 'pair "q3" in Label Studio is not the stored one'),
        ({"options5": "A. older"}, 'pair "q5" in Label Studio is not the stored one'),
        ({"pair2": "x9"}, 'pair "x9" is none of the figure\'s'),
    ],
)
def test_a_task_out_of_step_is_refused(data: dict[str, str], complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=f"{WHERE}{complaint}.*; push the figure again"):
        read(QA, data=data)


@pytest.mark.parametrize("region", ["x", choice("verdict1", "Correct") | {"value": {"choices": 3}}])
def test_a_region_that_cannot_be_read_costs_only_itself(region: object) -> None:
    back = read(QA, region, choice("verdict2", "Correct"))
    assert [each.item for each in back.annotation.items.verdicts] == ["q2"]
    assert back.left_out[0].startswith(WHERE)


@pytest.mark.parametrize(
    ("phase", "regions"),
    [
        (TYPES, [choice("kind_of_figure", "tree"), choice("count", "3")]),
        (TYPES, [{"from_name": names.COUNT, "value": {"number": 0.5}}]),
        (QA, [choice("verdict1", "Richtig"), choice("verdict2", "Richtig")]),
        (QA, [choice("urteil1", "Correct")]),
        (QA, [{"from_name": "verdict1", "value": None}]),
        (HUMAN, [choice("picked5", "Z")]),
        (HUMAN, [text("answer1", "black")]),
    ],
)
def test_items_of_which_nothing_could_be_read_are_no_work_without_items(phase: Phase, regions: list[Any]) -> None:
    with pytest.raises(InvalidAnnotation, match="left out, since none of it could be read"):
        read(phase, *regions)


def test_a_figure_may_be_rejected() -> None:
    assert read(TYPES, choice(names.STATUS, names.STATUS_REJECT)).annotation.status is Status.REJECTED
    assert read(TYPES, choice(names.STATUS, names.STATUS_ACCEPT)).annotation.status is Status.ACCEPTED


def test_verdicts_of_blocks_without_a_pair_are_passed_over() -> None:
    pairs = PAIRS[:1]
    figure = with_pairs(pairs)
    back = pulled(
        {"data": items_data(figure, QA, pairs)},
        record([choice("verdict1", "Correct"), choice("verdict7", "Correct")]),
        figure,
        annotator="ann1",
        phase=QA,
    )
    assert (len(back.annotation.items.verdicts), back.left_out) == (1, ())


def test_a_figure_that_came_without_pairs_has_none_to_judge() -> None:
    back = pulled(
        {"data": {names.DATA_CAPTION: a_figure().caption.text}}, record([]), a_figure(), annotator="a", phase=QA
    )
    assert back.annotation.items == NO_ITEMS
