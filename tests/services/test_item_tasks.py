"""Phases of figure types, question-answer pairs and human evaluation, pushed and pulled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders import NOON, a_figure, a_prediction

from annotator.campaign.home import Home
from annotator.imports.exports_of_others import import_from
from annotator.label_studio.payload.items import items_annotation
from annotator.store.store import Store
from label_config import names
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import Decision
from panelwise.domain.items import (
    IMPOSSIBLE,
    FigureKind,
    HumanAnswer,
    Items,
    QAItem,
    QAVerdict,
    Verdict,
)
from panelwise.files.jsonl import Problems
from panelwise.formats.scivqa import SEED_IMPORTED
from panelwise.settings.campaign_toml import FILE_NAME
from tests.label_studio.fake import FakeServer
from tests.label_studio.item_cases import HUMAN, QA, TYPES, done, seven_pairs, with_pairs
from tests.services.pushed_and_pulled import pulled, pushed, task_of

PAIRS = seven_pairs()
GIVEN = {"figure_type": "Line Chart", "compound": False, "figs_numb": "1"}
FIGURE = with_pairs(PAIRS, extra=GIVEN)
PHASES = (TYPES, QA, HUMAN)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    path = tmp_path / "home"
    Home.create(path, labels=("A",))
    text = (path / FILE_NAME).read_text(encoding="utf-8")
    tables = "".join(f'[[phases]]\nname = "{each.name}"\ntask_type = "{each.task_type}"\n' for each in PHASES)
    (path / FILE_NAME).write_text(text[: text.index("[[phases]]")] + tables, encoding="utf-8")
    return Home.find(path)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(FIGURE)
            tx.tasks.add([Task("f1", "ann1", phase.name) for phase in PHASES])
        yield store


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


def the_task(home: Home, store: Store, server: FakeServer, phase: str, figure: str = "f1") -> dict[str, Any]:
    [step] = pushed(home, store, server, phase=phase).values()
    assert step.problems == []
    return task_of(server, step.project_id, figure)


def decide(store: Store, *edited: QAItem) -> None:
    """A reviewer settles the figure's pairs, those given changed."""
    verdicts = tuple(QAVerdict(each.id, Verdict.INCORRECT, each) for each in edited)
    items = Items(verdicts=verdicts)
    with store.transaction() as tx:
        tx.decisions.add(Decision(FIGURE, "rev1", 1, Status.ACCEPTED, (), (), NOON, items=items))


def works() -> tuple[Annotation, ...]:
    """What an annotator makes of the figure in each phase."""
    edited = replace(PAIRS[4], answer="A")
    return (
        done(FIGURE, TYPES, Items(kind=FigureKind(True, 2, frozenset({"tree", "heat map"}), "odd"))),
        done(
            FIGURE,
            QA,
            Items(
                verdicts=(
                    *(QAVerdict(pair.id, Verdict.CORRECT) for pair in PAIRS[:4]),
                    QAVerdict("q5", Verdict.INCORRECT, edited, "wrong letter"),
                    *(QAVerdict(pair.id, Verdict.CORRECT) for pair in PAIRS[5:]),
                )
            ),
        ),
        done(FIGURE, HUMAN, Items(answers=tuple(HumanAnswer(pair.id, None, "unclear") for pair in PAIRS))),
    )


def test_what_is_done_in_each_phase_arrives_and_a_second_push_and_pull_change_nothing(
    home: Home, store: Store, server: FakeServer
) -> None:
    for phase, work in zip(PHASES, works(), strict=True):
        task = the_task(home, store, server, phase.name)
        server.add_annotation(task["id"], items_annotation(work, phase, PAIRS if phase is not TYPES else ()))
        [step] = pulled(home, store, server, phase=phase.name).values()
        assert (step.added, step.open, step.findings, step.problems) == (1, 0, [], [])
        with store.read() as tx:
            [back] = tx.annotations.all(phase=phase.name)
        assert (back.items, back.status) == (work.items, Status.ACCEPTED)
        assert [step.added for step in pulled(home, store, server, phase=phase.name).values()] == [0]
    calls = len(server.calls)
    assert all(step.added == step.seeded == 0 for step in pushed(home, store, server).values())
    assert len(server.calls) == calls


def test_types_come_filled_in_from_a_model_or_from_what_the_figure_came_with(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        tx.figures.add(replace(FIGURE, id="f2"))
        kind = Items(kind=FigureKind(count=4, types=frozenset({"graph"})))
        tx.predictions.put(replace(a_prediction(replace(FIGURE, id="f2"), model_version="types-1"), items=kind))
        tx.tasks.add([Task("f2", "ann1", TYPES.name)])
    given, predicted = (the_task(home, store, server, TYPES.name, figure) for figure in ("f1", "f2"))

    def filled(task: dict[str, Any]) -> dict[str, Any]:
        [prediction] = task["predictions"]
        return {each["from_name"]: each["value"] for each in prediction["result"]}

    assert filled(given)[names.TYPES] == {"choices": ["line chart"]}
    assert filled(predicted) == {names.TYPES: {"choices": ["graph"]}, names.COUNT: {"number": 4}}
    assert [each["data"][names.DATA_SEED] for each in (given, predicted)] == [SEED_IMPORTED, "types-1"]


def test_without_prelabels_pairs_can_be_edited_all_the_same(home: Home, store: Store, server: FakeServer) -> None:
    steps = {
        phase: next(iter(pushed(home, store, server, phase=phase, seeded=False).values()))
        for phase in (TYPES.name, QA.name)
    }
    assert {phase: step.seeded for phase, step in steps.items()} == {TYPES.name: 0, QA.name: 1}


def test_human_evaluation_asks_what_the_gold_settled(home: Home, store: Store, server: FakeServer) -> None:
    mended = replace(PAIRS[4], question="Which word is lowest?", choices=("a", "b", "c"))
    given_up = replace(PAIRS[2], question=IMPOSSIBLE, answer=IMPOSSIBLE)
    decide(store, mended, given_up)
    data = the_task(home, store, server, HUMAN.name)["data"]
    shown = [data[names.numbered(names.DATA_PAIR, block)] for block in range(1, 8)]
    assert shown == ["q1", "q2", "q4", "q5", "q6", "q7", ""]
    assert data["question4"] == "Which word is lowest?"
    assert [each["value"] for each in data["options4"]] == ["A. a", "B. b", "C. c"]
    asked = tuple(replace(pair, choices=mended.choices) if pair.id == "q5" else pair for pair in PAIRS)
    work = done(FIGURE, HUMAN, Items(answers=(HumanAnswer("q5", "C"),)))
    task = the_task(home, store, server, HUMAN.name)
    server.add_annotation(
        task["id"], items_annotation(work, HUMAN, tuple(each for each in asked if each.id != "q3"))
    )
    pulled(home, store, server, phase=HUMAN.name)
    with store.read() as tx:
        [back] = tx.annotations.all(phase=HUMAN.name)
    assert back.items.answers == (HumanAnswer("q5", "C"),)


def test_untouched_tasks_follow_the_gold_and_validation_does_not(
    home: Home, store: Store, server: FakeServer
) -> None:
    before = {phase.name: the_task(home, store, server, phase.name)["data"] for phase in (QA, HUMAN)}
    decide(store, replace(PAIRS[0], question="Anew?"))
    after = {phase.name: the_task(home, store, server, phase.name)["data"] for phase in (QA, HUMAN)}
    assert after[QA.name] == before[QA.name]
    assert (before[HUMAN.name]["question1"], after[HUMAN.name]["question1"]) == (PAIRS[0].question, "Anew?")


def test_a_figure_without_pairs_or_picture_is_named_and_the_rest_goes(
    home: Home, store: Store, server: FakeServer
) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("bare"))
        tx.figures.add(replace(FIGURE, id="blind", image=""))
        tx.tasks.add([Task(each, "ann1", QA.name) for each in ("bare", "blind")])
    [step] = pushed(home, store, server, phase=QA.name).values()
    assert step.added == 1
    assert [each.split(":")[0] for each in step.problems] == ['figure "bare"', 'figure "blind"']


def test_instructions_follow_the_guidelines_and_are_sent_when_they_change(
    home: Home, store: Store, server: FakeServer
) -> None:
    pushed(home, store, server, phase=QA.name)
    guidelines = home.path / home.campaign.guideline_file
    guidelines.write_text("Be *kind*.\n", encoding="utf-8")
    for _ in range(2):
        pushed(home, store, server, phase=QA.name)
    assert server.calls.count("set_instructions") == 2
    [project] = server.projects()
    assert project.instructions.endswith("<p>Be <em>kind</em>.</p>")
    guidelines.write_bytes(b"\xff\xfe\xff")
    [step] = pushed(home, store, server, phase=QA.name).values()
    assert "is not UTF-8" in step.problems[0]


def test_an_export_by_hand_says_the_same_as_a_pull(
    home: Home, store: Store, server: FakeServer, tmp_path: Path
) -> None:
    task = the_task(home, store, server, QA.name)
    work = works()[1]
    server.add_annotation(task["id"], items_annotation(work, QA, PAIRS))
    exported = next(each for each in server.tasks(server.projects()[0].id))
    path = tmp_path / "export.json"
    path.write_text(json.dumps([exported]), encoding="utf-8")
    problems = Problems()
    list(import_from("label-studio", store, home.campaign, path, problems, annotator="ann1", phase=QA.name))
    assert problems.lines == []
    with store.read() as tx:
        [back] = tx.annotations.all(phase=QA.name)
    assert back.items == work.items


def test_the_short_export_cannot_tell_fields_apart(home: Home, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    row = {"id": 1, names.DATA_SOURCE: "f1", "caption": FIGURE.caption.text, "image": "x", "annotation_id": 3}
    path.write_text(json.dumps([{**row, "annotator": 1, "updated_at": NOON.isoformat()}]), encoding="utf-8")
    problems = Problems()
    list(import_from("label-studio", store, home.campaign, path, problems, annotator="ann1", phase=QA.name))
    [problem] = problems.lines
    assert "export as JSON" in problem
