"""Figure types, verdicts and answers as Label Studio's JSON and back: what an annotator said is what arrives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import a_figure, a_prediction
from hypothesis import given
from hypothesis import strategies as st
from label_studio_sdk.label_interface import LabelInterface

from annotator.label_studio.adapter import task_of
from annotator.label_studio.payload.items import (
    items_annotation,
    items_config,
    items_data,
    items_prediction,
    items_result,
)
from annotator.label_studio.payload.reading import pulled
from label_config import names
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Campaign, Phase
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.items import FigureKind, Items, QAItem, QAKind
from panelwise.formats.scivqa import SEED_IMPORTED
from tests.label_studio.item_cases import (
    HUMAN,
    OPTIONS,
    QA,
    QA_AND_TYPE,
    QA_AND_TYPES,
    SAVED,
    TYPES,
    answers,
    done,
    kinds,
    pairs,
    record,
    seven_pairs,
    statuses,
    verdicts,
    with_pairs,
)

CAMPAIGN = Campaign("c", (TYPES, QA, QA_AND_TYPES, QA_AND_TYPE, HUMAN), ("A",))
INTERFACES = {phase.name: LabelInterface(items_config(phase)) for phase in CAMPAIGN.phases}


def there_and_back(annotation, phase: Phase, pairs: tuple[QAItem, ...]):
    """What a pull makes of an annotation as it was submitted."""
    task = {"data": items_data(annotation.figure, phase, pairs)}
    sent = items_annotation(annotation, phase, pairs)
    return pulled(
        task,
        {**sent, "id": 7, "updated_at": SAVED.isoformat()},
        annotation.figure,
        annotator=annotation.annotator,
        phase=phase,
    )


@given(st.data())
def test_verdicts_edits_and_notes_round_trip(data: st.DataObject) -> None:
    listed = data.draw(pairs())
    figure = with_pairs(listed)
    said = tuple(data.draw(verdicts(pair)) for pair in listed)
    annotation = done(figure, QA, Items(verdicts=said), status=data.draw(statuses))
    back = there_and_back(annotation, QA, listed)
    assert (back.annotation, back.left_out) == (annotation, ())
    nothing_edited = sum(each.verdict.value == names.VERDICT_EDIT and each.edited is None for each in said)
    assert len(back.findings) == nothing_edited


@given(st.data())
def test_answers_round_trip(data: st.DataObject) -> None:
    listed = data.draw(pairs())
    annotation = done(with_pairs(listed), HUMAN, Items(answers=tuple(data.draw(answers(pair)) for pair in listed)))
    back = there_and_back(annotation, HUMAN, listed)
    assert (back.annotation, back.left_out) == (annotation, ())


@given(kinds(), statuses)
def test_figure_types_round_trip(kind: FigureKind, status: Status) -> None:
    annotation = done(a_figure(), TYPES, Items(kind=kind), status=status)
    back = there_and_back(annotation, TYPES, ())
    assert (back.annotation, back.findings, back.left_out) == (annotation, (), ())


def test_a_type_that_the_campaign_does_not_list_is_named_and_never_stored() -> None:
    campaign = Campaign("c", (TYPES,), ("A",), figure_types=("scan", "chart"))
    (phase,) = campaign.phases
    annotation = done(a_figure(), TYPES, Items(kind=FigureKind(True, 2, frozenset({"scan"}))))
    assert there_and_back(annotation, phase, ()).annotation == annotation
    sent = items_annotation(annotation, phase, ())
    (types,) = [region for region in sent["result"] if region["from_name"] == names.TYPES]
    types["value"]["choices"] = ["scan", "tree"]
    sent |= {"id": 7, "updated_at": SAVED.isoformat()}
    task = {"data": items_data(annotation.figure, phase, ())}
    back = pulled(task, sent, annotation.figure, annotator=annotation.annotator, phase=phase)
    assert back.annotation == replace(annotation, partly_read=True)
    assert any(
        'type "tree" is none of the campaign\'s figure_types (scan, chart)' in line for line in back.left_out
    )


def test_types_of_another_list_are_not_filled_in() -> None:
    (phase,) = Campaign("c", (TYPES,), ("A",), figure_types=("scan", "chart")).phases
    prediction = items_prediction(phase, (), FigureKind(True, 2, frozenset({"Scans", "tree"})))
    assert prediction is not None
    named = {region["from_name"]: region["value"] for region in prediction["result"]}
    assert named[names.TYPES] == {"choices": ["scan"]}
    assert names.OTHER_TYPES not in named


@given(st.data())
def test_what_is_filled_in_passes_label_studios_own_validation(data: st.DataObject) -> None:
    listed, kind = data.draw(pairs()), data.draw(kinds())
    for phase in (QA, QA_AND_TYPES, QA_AND_TYPE, TYPES):
        prediction = items_prediction(phase, listed, kind)
        if prediction is not None:
            assert INTERFACES[phase.name].validate_prediction(prediction, return_errors=True) == []


@given(st.data())
def test_what_is_filled_in_and_approved_is_what_was_there(data: st.DataObject) -> None:
    """Submitting what was filled in, and Correct for every pair, changes nothing."""
    listed, kind = data.draw(pairs()), data.draw(kinds())
    kind = replace(kind, note="")
    filled = items_prediction(QA_AND_TYPES, listed, kind)
    assert filled is not None
    correct = [
        {"from_name": names.numbered(names.VERDICT, block), "value": {"choices": [names.VERDICT_CORRECT]}}
        for block in range(1, len(listed) + 1)
    ]
    back = pulled(
        {"data": items_data(with_pairs(listed), QA_AND_TYPES, listed)},
        record([*filled["result"], *correct]),
        with_pairs(listed),
        annotator="ann1",
        phase=QA_AND_TYPES,
    )
    assert back.annotation.items.kind == kind
    assert all(each.edited is None for each in back.annotation.items.verdicts)
    assert (len(back.annotation.items.verdicts), back.findings, back.left_out) == (len(listed), (), ())


def test_a_block_without_a_pair_is_empty_and_its_verdict_filled_in() -> None:
    listed = seven_pairs()[:5]
    data = items_data(with_pairs(listed), QA, listed)
    assert [data[names.numbered(names.DATA_PAIR, block)] for block in range(1, 8)] == [
        *("q1", "q2", "q3", "q4", "q5", "", "")
    ]
    assert data[names.numbered(names.QUESTION, 6)] == ""
    filled = items_prediction(QA, listed, None)
    assert filled is not None
    preset = [each["from_name"] for each in filled["result"] if each["from_name"].startswith(names.VERDICT)]
    assert preset == ["verdict6", "verdict7"]


def test_options_are_lettered_on_the_screen_and_plain_in_the_field() -> None:
    listed = seven_pairs()
    data = items_data(with_pairs(listed), QA, listed)
    assert data["options5"] == "A. nero\nB. ci\nC. sees\nD. vede"
    filled = items_prediction(QA, listed, None)
    assert filled is not None
    [options] = [each["value"]["text"] for each in filled["result"] if each["from_name"] == "options5"]
    assert options == ["\n".join(OPTIONS)]


def test_human_evaluation_tells_no_answers_anywhere_and_fills_nothing_in() -> None:
    listed = tuple(replace(pair, answer="SECRET") for pair in seven_pairs())
    figure = with_pairs(listed, references=("The article says SECRET.",))
    sent = task_of(figure, a_prediction(figure), CAMPAIGN, HUMAN)
    assert "SECRET" not in str(sent.data)
    assert {kind.value for kind in QAKind} <= {value for value in sent.data.values() if isinstance(value, str)}
    assert sent.prediction is None
    choices = sent.data["options5"]
    assert [(each["value"], each["alias"]) for each in choices] == [
        *(("A. nero", "A"), ("B. ci", "B"), ("C. sees", "C"), ("D. vede", "D"))
    ]


def test_keys_of_options_are_none_of_the_configs() -> None:
    listed = tuple(replace(pair, choices=tuple("abcdefghijkl")) for pair in seven_pairs())
    data = items_data(with_pairs(listed), HUMAN, listed)
    keys = [each["hotkey"] for block in range(1, 8) for each in data[names.numbered(names.OPTIONS, block)]]
    assert len(set(keys)) == len(keys) == 84
    assert not any(f'"{key}"' in items_config(HUMAN) for key in keys)


@pytest.mark.parametrize(
    ("pairs", "complaint"),
    [
        ((), "no question-answer pairs; import them"),
        ((*seven_pairs(), *seven_pairs()), "14 question-answer pairs, and the screen has 7"),
        ((replace(seven_pairs()[4], choices=("x",) * 13),), 'pair "q5": 13 options are more than the 12'),
    ],
)
def test_a_figure_that_the_screen_cannot_show_is_refused(pairs: tuple[QAItem, ...], complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        items_data(with_pairs(pairs), QA, pairs)


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ("Line Chart,Heat Map", {names.TYPES: ["line chart"], names.OTHER_TYPES: ["Heat Map"]}),
        ("neural networks", {names.TYPES: ["neural network"]}),
    ],
)
def test_types_that_came_with_the_figure_are_filled_in(given: str, filled: dict[str, list[str]]) -> None:
    figure = a_figure(extra={"figure_type": given, "compound": True, "figs_numb": "2"})
    sent = task_of(figure, None, CAMPAIGN, TYPES)
    assert sent.prediction is not None
    values = {each["from_name"]: next(iter(each["value"].values())) for each in sent.prediction["result"]}
    assert values == {names.COMPOUND: [names.COMPOUND_YES], names.COUNT: 2, **filled}
    assert sent.data[names.DATA_SEED] == SEED_IMPORTED


def test_a_models_types_come_before_those_that_the_figure_came_with() -> None:
    figure = a_figure(extra={"figure_type": "tree"})
    prediction = replace(a_prediction(figure), items=Items(kind=FigureKind(types=frozenset({"graph"}))))
    sent = task_of(figure, prediction, CAMPAIGN, TYPES)
    assert sent.prediction is not None
    assert sent.prediction["result"][0]["value"] == {"choices": ["graph"]}
    assert sent.data[names.DATA_SEED] == prediction.model_version


def test_a_phase_without_prelabels_fills_in_no_types_but_the_pairs_to_edit() -> None:
    bare = replace(QA_AND_TYPES, seeded=False)
    figure = with_pairs(seven_pairs(), extra={"figure_type": "tree"})
    sent = task_of(figure, None, CAMPAIGN, bare)
    assert sent.prediction is not None
    filled = {each["from_name"] for each in sent.prediction["result"]}
    assert names.TYPES not in filled
    assert "question1" in filled
    assert task_of(figure, None, CAMPAIGN, replace(TYPES, seeded=False)).prediction is None


def test_who_began_from_given_types_is_told_and_who_saw_pairs_only_began_from_nothing() -> None:
    figure = with_pairs(seven_pairs(), extra={"figure_type": "tree"})
    for phase, seed in ((TYPES, SEED_IMPORTED), (QA, None)):
        sent = task_of(figure, None, CAMPAIGN, phase)
        result = items_result(done(figure, phase, Items()), phase, seven_pairs())
        back = pulled(
            {"data": sent.data}, record(result, parent_prediction=3), figure, annotator="ann1", phase=phase
        )
        assert back.annotation.seeded_by == seed
