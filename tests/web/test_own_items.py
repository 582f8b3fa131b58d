"""Figure types, pairs and answers on Panelwise's own screen: each annotator alone with theirs, up to gold."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from builders import a_decision, a_prediction
from flask.testing import FlaskClient
from items_cases import PAIRS, TOML, a_qa_figure, edited, judged, kinds, pairs_in, verdicts
from PIL import Image
from web.asking import PASSWORD, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.adjudication.messages.send_back import returns_of
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Role, Task
from panelwise.domain.decision import Gold, GoldSource
from panelwise.domain.items import UNANSWERABLE, FigureKind, HumanAnswer, Items, QAKind
from panelwise.formats.scivqa import SEED_IMPORTED
from panelwise.settings.campaign_toml import FILE_NAME

NAMES = ("ada", "bea")
PHASES = ("types", "qa", "eval", "bare")
#: Its type is none of the guidelines', so that it shows wherever it is offered.
FIGURE = a_qa_figure("q", references=("The article says 0.8.",), extra={"figure_type": "heat map"})
IDS = [f"q-{pair.id}" for pair in PAIRS]
KIND = {"compound": True, "count": 2, "types": ["heat map"]}
TYPE = kinds(True, 2, "heat map")


@pytest.fixture
def home(home: Home) -> Home:
    """Figure q in a phase of each type that is annotated here, and one without pre-labels, for two annotators."""
    own = TOML.replace('task_type = "f', 'annotate_in = "panelwise"\ntask_type = "f').replace(
        'task_type = "h', 'annotate_in = "panelwise"\ntask_type = "h'
    )
    bare = '[[phases]]\nname = "bare"\nseeded = false\nannotate_in = "panelwise"\ntask_type = "figure-types"\n'
    (home.path / FILE_NAME).write_text(own + bare, encoding="utf-8")
    home = Home.find(home.path)
    Image.new("RGB", (800, 600), "white").save(home.images / "q.png")
    with home.open_store() as store:
        for name in NAMES:
            people.add_person(store, name, roles=[Role.ANNOTATOR], password=PASSWORD)
        with store.transaction() as tx:
            tx.figures.add(FIGURE)
            tx.tasks.add([Task("q", name, phase) for name in NAMES for phase in PHASES])
    return home


def key_of(home: Home, phase: str, name: str) -> str:
    return TaskKeys(home.secret()).of(Task("q", name, phase))


def state(client: FlaskClient, home: Home, phase: str, name: str) -> dict[str, Any]:
    return client.get(f"/api/tasks/{key_of(home, phase, name)}").get_json()


def post(client: FlaskClient, address: str, body: object = None) -> TestResponse:
    csrf = token_of(client.get("/account").text)
    return client.post(address, json={} if body is None else body, headers={"X-CSRFToken": csrf})


def a_draft(phase: str, **changes: object) -> dict[str, object]:
    """All pairs correct, or all questions answered as the pairs have it, or the type as imported."""
    content: dict[str, object] = {"kind": None, "verdicts": [], "answers": []}
    if phase == "qa":
        content["verdicts"] = [{"item": name, "verdict": "Correct"} for name in IDS]
    elif phase == "eval":
        content["answers"] = [{"item": f"q-{pair.id}", "answer": pair.answer} for pair in PAIRS]
    else:
        content["kind"] = KIND
    return {"version": 0, "status": "accepted", "seconds": 9.5, **content, **changes}


def submit(client: FlaskClient, home: Home, phase: str, name: str, **changes: object) -> TestResponse:
    return post(client, f"/api/tasks/{key_of(home, phase, name)}?revision=1", a_draft(phase, **changes))


def history(store: Store, phase: str, name: str) -> list[Annotation]:
    with store.read() as tx:
        return tx.annotations.history("q", name, phase)


def gold_of(store: Store, home: Home) -> Gold | None:
    return next((each for each in gold(store, home.campaign, GoldTally()) if each.figure.id == "q"), None)


def test_a_type_that_the_campaign_does_not_list_is_refused(sign_in: SignIn, home: Home) -> None:
    settings = home.path / FILE_NAME
    settings.write_text(f'figure_types = ["heat map", "scan"]\n{settings.read_text()}', encoding="utf-8")
    client = sign_in("ada")
    found = state(client, home, "bare", "ada")
    assert found["type_names"] == ["heat map", "scan"]
    refused = submit(client, home, "bare", "ada", kind=KIND | {"types": ["scan", "tree"]})
    assert refused.status_code == 422
    assert "is none of the campaign's figure_types (heat map, scan)" in refused.text
    assert submit(client, home, "bare", "ada", kind=KIND).status_code == 200


def test_the_type_begins_from_what_the_figure_came_with(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    found = state(client, home, "types", "ada")
    assert found["kind"]["proposal"] == {**KIND, "note": ""}
    assert (found["kind"]["preselected"], found["pairs"], found["annotators"]) == (True, [], [])
    assert submit(client, home, "types", "ada").status_code == 200
    (saved,) = history(store, "types", "ada")
    assert saved.items == TYPE
    assert (saved.seeded_by, saved.seconds, saved.subfigures) == (SEED_IMPORTED, 9.5, ())


def test_the_type_begins_from_a_models_prediction_and_never_names_it(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    kind = FigureKind(False, 1, frozenset({"tree"}))
    model = replace(a_prediction(FIGURE, model_version="types-1"), items=Items(kind))
    with store.transaction() as tx:
        tx.predictions.put(model)
    client = sign_in("ada")
    answer = client.get(f"/api/tasks/{key_of(home, 'types', 'ada')}")
    found = answer.get_json()
    assert found["kind"]["proposal"]["types"] == ["tree"]
    assert [each["name"] for each in found["annotators"]] == ["Prediction"]
    assert "types-1" not in answer.text
    submit(client, home, "types", "ada")
    assert history(store, "types", "ada")[0].seeded_by == "types-1"


def test_the_type_of_a_phase_without_pre_labels_begins_from_nothing(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    client = sign_in("ada")
    answer = client.get(f"/api/tasks/{key_of(home, 'bare', 'ada')}")
    assert "heat map" not in answer.text
    found = answer.get_json()["kind"]
    assert (found["original"], found["preselected"]) == (None, False)
    assert found["proposal"] == {"compound": None, "count": None, "types": [], "note": ""}
    submit(client, home, "bare", "ada")
    assert history(store, "bare", "ada")[0].seeded_by is None


@pytest.mark.parametrize(("phase", "comes_back"), [("qa", True), ("eval", False)])
def test_whoever_only_answered_questions_is_not_to_expect_a_figure_back(
    sign_in: SignIn, home: Home, store: Store, phase: str, comes_back: bool
) -> None:
    people.add_person(store, "eva", roles=[Role.ANNOTATOR], password=PASSWORD)
    with store.transaction() as tx:
        tx.tasks.add([Task("q", "eva", phase)])
    client = sign_in("eva")
    assert submit(client, home, phase, "eva").status_code == 200
    page = client.get("/tasks").text
    assert ("All done" in page, "send a figure back to you" in page) == (True, comes_back)


def test_pairs_are_open_until_they_are_judged(sign_in: SignIn, home: Home) -> None:
    found = state(sign_in("ada"), home, "qa", "ada")
    assert [(each["id"], each["readings"], each["preselected"]) for each in found["pairs"]] == [
        (name, [], False) for name in IDS
    ]
    assert (found["kind"], found["questions"], found["phase"]) == (None, [], "qa")


def test_a_question_is_asked_without_its_answer_and_without_the_article(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    with store.transaction() as tx:
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE, edited(FIGURE, "q1", answer="0.75")), annotator="bea"))
        tx.annotations.add(
            judged(FIGURE, Items(answers=(HumanAnswer(IDS[0], "0.77"),)), annotator="bea", phase="eval")
        )
    answer = sign_in("ada").get(f"/api/tasks/{key_of(home, 'eval', 'ada')}")
    found = answer.get_json()
    assert [each["id"] for each in found["questions"]] == IDS
    assert found["questions"][4] == {
        "id": "q-q5",
        "type": PAIRS[4].kind.value,
        "question": PAIRS[4].question,
        "choices": list(PAIRS[4].choices),
    }
    assert (found["kind"], found["pairs"], found["references"]) == (None, [], [])
    assert {each["type"] for each in found["questions"]} == {kind.value for kind in QAKind}
    assert [word for word in ("0.8", "0.75", "0.77", '"1000"', "article") if word in answer.text] == []


def test_questions_are_asked_as_the_gold_has_them(sign_in: SignIn, home: Home, store: Store) -> None:
    wanted = edited(FIGURE, "q1", question="What is the red line's value at step 400?")
    with store.transaction() as tx:
        tx.decisions.add(a_decision(FIGURE, subfigures=(), items=verdicts(FIGURE, wanted)))
    found = state(sign_in("ada"), home, "eval", "ada")
    assert found["questions"][0]["question"] == "What is the red line's value at step 400?"


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.slow
def test_no_answer_holds_a_trace_of_what_others_did(sign_in: SignIn, home: Home, store: Store, phase: str) -> None:
    client = sign_in("ada")
    before = {**state(client, home, phase, "ada"), "csrf": ""}
    answers = Items(answers=(HumanAnswer(IDS[0], "0.77"),))
    with store.transaction() as tx:
        tx.annotations.add(judged(FIGURE, kinds(False, 5, "flow chart"), annotator="bea", phase="types"))
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator="bea"))
        tx.annotations.add(judged(FIGURE, answers, annotator="bea", phase="eval"))
    assert {**state(client, home, phase, "ada"), "csrf": ""} == before


@pytest.mark.parametrize("thief", ["bea", "rev1", "lead"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.slow
def test_anothers_key_opens_and_changes_nothing(
    sign_in: SignIn, home: Home, store: Store, thief: str, phase: str
) -> None:
    client, key = sign_in(thief), key_of(home, phase, "ada")
    pages = [f"/tasks/{key}", f"/tasks/{key}/image", f"/tasks/{key}/thumbnail", f"/api/tasks/{key}"]
    assert [client.get(page).status_code for page in pages] == [404] * 4
    assert submit(client, home, phase, "ada").status_code == 404
    assert post(client, f"/api/tasks/{key}/skip").status_code == 404
    assert not history(store, phase, "ada")
    assert not history(store, phase, thief)


@pytest.mark.slow
def test_verdicts_on_which_two_agree_are_gold_without_a_reviewer(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    for name in NAMES:
        for phase in ("types", "bare", "qa"):
            assert submit(sign_in(name), home, phase, name).status_code == 200
    found = gold_of(store, home)
    assert found is not None
    assert found.provenance.source is GoldSource.UNANIMOUS
    assert found.items == Items(TYPE.kind, verdicts(FIGURE).verdicts)


@pytest.mark.slow
def test_an_edit_on_which_two_differ_waits_for_a_reviewer(sign_in: SignIn, home: Home, store: Store) -> None:
    right = pairs_in(FIGURE)["q1"]
    own = {"type": right.kind.value, "question": right.question, "choices": [], "answer": "0.75"}
    words = [{"item": name, "verdict": "Correct"} for name in IDS]
    wrong = [{"item": IDS[0], "verdict": "Incorrect.Edit", "edited": own, "note": "look"}, *words[1:]]
    for name in NAMES:
        for phase in ("types", "bare"):
            submit(sign_in(name), home, phase, name)
    submit(sign_in("ada"), home, "qa", "ada", verdicts=wrong)
    submit(sign_in("bea"), home, "qa", "bea")
    assert history(store, "qa", "ada")[0].items.verdicts[0].edited == replace(right, answer="0.75")
    assert gold_of(store, home) is None
    reviewer = sign_in("rev1")
    shown = reviewer.get("/api/figures/q/items").get_json()
    assert shown["pairs"][0]["reasons"] == ["1 of 2 finds it incorrect"]
    draft = {"version": 0, "status": "accepted", "kind": shown["kind"]["proposal"], "verdicts": wrong}
    answer = reviewer.post(
        "/api/figures/q/items/decision?revision=1", json=draft, headers={"X-CSRFToken": shown["csrf"]}
    )
    assert answer.status_code == 200
    found = gold_of(store, home)
    assert found is not None
    assert found.items.verdicts[0].edited == replace(right, answer="0.75")


def test_answers_are_saved_as_they_were_given(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    said: list[dict[str, object]] = [{"item": name, "answer": None, "note": "blurred"} for name in IDS]
    said[0]["answer"] = " 0.8 "
    said[4]["answer"] = "A,C"
    said[6]["answer"] = UNANSWERABLE
    assert submit(client, home, "eval", "ada", answers=said).status_code == 200
    (saved,) = history(store, "eval", "ada")
    assert [each.answer for each in saved.items.answers] == ["0.8", None, None, None, "A,C", None, UNANSWERABLE]
    assert state(client, home, "eval", "ada")["decision"]["answers"][4]["answer"] == "A,C"


WORDS = [{"item": name, "verdict": "Correct"} for name in IDS]


@pytest.mark.parametrize(
    ("phase", "changes", "said"),
    [
        ("types", {"kind": None}, "kind: whether the figure is compound is missing"),
        ("types", {"kind": {**KIND, "compound": None}}, "kind: whether the figure is compound is missing"),
        ("types", {"kind": {**KIND, "count": None}}, "kind: the number of subfigures is missing"),
        ("types", {"verdicts": WORDS}, 'verdicts[0].item: this task has no pair "q-q1"'),
        ("types", {"subfigures": []}, "unknown field subfigures"),
        ("qa", {"verdicts": WORDS[:6]}, 'verdicts: pair 7 ("q-q7") is missing'),
        ("qa", {"verdicts": WORDS[2:]}, 'verdicts: pairs 1 ("q-q1"), 2 ("q-q2") are missing'),
        ("qa", {"verdicts": [*WORDS, WORDS[0]]}, "judged twice"),
        ("qa", {"verdicts": [{**WORDS[0], "item": "x"}]}, 'the figure has no pair "x"'),
        ("qa", {"kind": KIND}, "kind: this phase does not ask"),
        ("qa", {"answers": [{"item": IDS[0], "answer": "1"}]}, "answers[0].item: this task has no pair"),
        (
            "eval",
            {"answers": []},
            'answers: pairs 1 ("q-q1"), 2 ("q-q2"), 3 ("q-q3"), 4 ("q-q4"), 5 ("q-q5"), ... are',
        ),
        ("eval", {"verdicts": WORDS}, 'verdicts[0].item: this task has no pair "q-q1"'),
    ],
)
@pytest.mark.slow
def test_incomplete_or_foreign_work_is_refused_with_its_place(
    sign_in: SignIn, home: Home, store: Store, phase: str, changes: dict[str, object], said: str
) -> None:
    answer = submit(sign_in("ada"), home, phase, "ada", **changes)
    assert answer.status_code == 422
    assert said in answer.get_json()["error"]
    assert not history(store, phase, "ada")


@pytest.mark.parametrize(("number", "text", "said"), [(0, " ", "is blank"), (4, "E", "none of the options")])
def test_an_answer_that_is_none_is_refused(sign_in: SignIn, home: Home, number: int, text: str, said: str) -> None:
    answers: list[dict[str, object]] = [{"item": name, "answer": None} for name in IDS]
    answers[number]["answer"] = text
    answer = submit(sign_in("ada"), home, "eval", "ada", answers=answers)
    assert answer.status_code == 422
    assert f"answers[{number}].answer: " in answer.get_json()["error"]
    assert said in answer.get_json()["error"]


def test_phases_with_open_tasks_come_before_those_that_are_done(sign_in: SignIn, home: Home) -> None:
    client = sign_in("ada")

    def order() -> list[str]:
        return re.findall(r"<h2 id=\"phase-\d\">Phase (\w+)</h2>", client.get("/tasks").text)

    assert order() == list(PHASES)
    submit(client, home, "types", "ada", kind=KIND)
    assert order() == ["qa", "eval", "bare", "types"]


def test_undo_takes_verdicts_back_as_the_start_of_new_work(sign_in: SignIn, home: Home, store: Store) -> None:
    client, key = sign_in("ada"), key_of(home, "qa", "ada")
    submit(client, home, "qa", "ada")
    assert post(client, "/api/tasks/undo").get_json() == {"next_url": f"/tasks/{key}"}
    assert history(store, "qa", "ada")[-1].status is Status.IGNORED
    found = state(client, home, "qa", "ada")
    assert (found["decision"], found["version"]) == (None, 2)
    assert [each["item"] for each in found["starts_from"]["verdicts"]] == IDS
    assert submit(client, home, "qa", "ada", version=2).status_code == 200


def test_an_answer_that_was_undone_is_shown_to_no_reviewer(sign_in: SignIn, home: Home, store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator="bea"))
    client, reviewer = sign_in("ada"), sign_in("rev1")
    submit(client, home, "eval", "ada")
    shown = [each["answers"] for each in reviewer.get("/api/figures/q/items").get_json()["pairs"]]
    assert [len(each) for each in shown] == [1] * 7
    post(client, "/api/tasks/undo")
    shown = [each["answers"] for each in reviewer.get("/api/figures/q/items").get_json()["pairs"]]
    assert shown == [[]] * 7


def test_verdicts_that_were_sent_back_come_with_the_reason_as_work_to_correct(
    sign_in: SignIn, home: Home, store: Store
) -> None:
    client, lead = sign_in("ada"), sign_in("lead")
    submit(client, home, "qa", "ada")
    (recipient,) = returns_of(store, home, "q").recipients
    token = token_of(lead.get("/account").text)
    form = {"csrf_token": token, "annotator": f"{recipient.key} {recipient.phase}", "reason": "Pair 2 has no unit"}
    assert lead.post("/figures/q/history/send-back", data=form).status_code == 303
    found = state(client, home, "qa", "ada")
    assert (found["reasons"], found["decision"]) == (["To correct: Pair 2 has no unit"], None)
    assert [each["item"] for each in found["starts_from"]["verdicts"]] == IDS
    assert submit(client, home, "qa", "ada", version=1).status_code == 200
    assert state(client, home, "qa", "ada")["reasons"] == []


def test_skip_and_reject_say_nothing_of_the_items(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    assert post(client, f"/api/tasks/{key_of(home, 'eval', 'ada')}/skip").status_code == 200
    assert submit(client, home, "types", "ada", status="rejected").status_code == 422
    assert submit(client, home, "qa", "ada", status="ignored", note="not in my language").status_code == 200
    assert submit(client, home, "types", "ada", status="rejected", note="a logo").status_code == 200
    left_out, rejected = history(store, "qa", "ada")[-1], history(store, "types", "ada")[-1]
    assert (left_out.status, rejected.status) == (Status.IGNORED, Status.REJECTED)
    assert (left_out.items, rejected.items) == (Items(), Items())
    assert (left_out.reason, rejected.reason) == ("not in my language", "a logo")
    assert not history(store, "eval", "ada")


def test_a_save_in_another_tab_is_shown_and_nothing_overwritten(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("ada")
    submit(client, home, "eval", "ada")
    answer = submit(client, home, "eval", "ada")
    assert answer.status_code == 409
    assert answer.get_json()["current"]["answers"][0]["answer"] == "0.8"
    assert len(history(store, "eval", "ada")) == 1


def test_each_phase_says_on_the_list_what_it_asks(sign_in: SignIn) -> None:
    page = sign_in("ada").get("/tasks").text
    asked = ("compound", "Correct or Incorrect.Edit", "from the figure and its caption alone")
    assert [words for words in asked if words not in page] == []


@pytest.mark.parametrize(("phase", "field"), [("types", "kind"), ("qa", "verdicts"), ("eval", "answers")])
def test_work_without_the_field_that_its_phase_asks_for_is_refused_not_stored_as_empty(
    sign_in: SignIn, home: Home, store: Store, phase: str, field: str
) -> None:
    draft = a_draft(phase)
    del draft[field]
    client = sign_in("ada")
    answer = post(client, f"/api/tasks/{key_of(home, phase, 'ada')}?revision=1", draft)
    assert answer.status_code == 422
    assert answer.get_json()["error"].startswith(f"{field}: ")
    assert re.search("(is|are) missing", answer.get_json()["error"])
    assert not history(store, phase, "ada")
