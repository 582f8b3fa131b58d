"""The screen of a figure's types and pairs: what it reads and writes, and how one gets there."""

from __future__ import annotations

from typing import Any

import pytest
from builders import a_subfigure, an_annotation
from flask.testing import FlaskClient
from items_cases import TOML, a_qa_figure, edited, judged, kinds, verdicts
from web.asking import ANNOTATORS, a_draft, save
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.items import Items

FIGURE = a_qa_figure("q/1")
ADDRESS = "/api/figures/q~2F1/items"


@pytest.fixture
def home(home: Home) -> Home:
    (home.path / "campaign.toml").write_text(TOML, encoding="utf-8")
    return Home.find(home.path)


@pytest.fixture
def store(home: Home, store: Store) -> Store:
    """Beside f1 and f2, q/1: two who differ on one pair and on the type."""
    first, second = ANNOTATORS[:2]
    with store.transaction() as tx:
        tx.figures.add(FIGURE)
        wrong = edited(FIGURE, "q1", answer="<b>0.75</b>", note="שלום 🙂")
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE, wrong), annotator=first))
        tx.annotations.add(judged(FIGURE, verdicts(FIGURE), annotator=second))
        tx.annotations.add(judged(FIGURE, kinds(True, 2), annotator=first, phase="types"))
        tx.annotations.add(judged(FIGURE, kinds(True, 2, "tree"), annotator=second, phase="types"))
    score_disagreement(store, home.campaign)
    return store


def state(client: FlaskClient) -> dict[str, Any]:
    return client.get(ADDRESS).get_json()


def draft(found: dict[str, Any], **changes: Any) -> dict[str, Any]:
    words = [each["proposal"] for each in found["pairs"]]
    return {
        "version": found["version"],
        "status": "accepted",
        "kind": found["kind"]["proposal"],
        "verdicts": words,
        **changes,
    }


def post(client: FlaskClient, what: str, body: Any) -> TestResponse:
    return client.post(f"{ADDRESS}/{what}", json=body, headers={"X-CSRFToken": state(client)["csrf"]})


@pytest.mark.usefixtures("store")
def test_the_state_holds_what_the_screen_needs_and_no_annotators_name(client: FlaskClient) -> None:
    answer = client.get(ADDRESS)
    found = answer.get_json()
    assert [each["id"] for each in found["pairs"]] == [f"q/1-q{n}" for n in range(1, 8)]
    assert found["pairs"][0]["conflict"]
    assert found["pairs"][0]["reasons"] == ["1 of 2 finds it incorrect"]
    assert {each["verdict"] for each in found["pairs"][0]["readings"]} == {"Correct", "Incorrect.Edit"}
    assert found["kind"]["disputed"] == ["line chart", "tree"]
    assert found["image_url"] == "/figures/q~2F1/image"
    assert found["next_url"]
    assert "unanswerable" in found["qa_types"]
    assert set(found["type_words"]) == set(found["qa_types"])
    words = found["type_words"]["closed-ended infinite answer set visual"]
    assert words == "closed-ended, infinite answer set, visual"
    assert found["progress"] == {"decided": 0, "total": 3}
    for name in ANNOTATORS:
        assert name not in answer.text


@pytest.mark.usefixtures("store")
def test_a_figure_with_items_only_opens_on_their_screen(client: FlaskClient) -> None:
    answer = client.get("/figures/q~2F1?loss=figure+type+or+answers")
    assert answer.status_code == 302
    assert answer.location == "/figures/q~2F1/items?loss=figure+type+or+answers"
    page = client.get("/figures/q~2F1/items").text
    assert 'data-mode="items"' in page
    assert 'data-save-url="/api/figures/q~2F1/items/decision?revision=1"' in page
    assert client.get("/figures/f1").status_code == 200


def test_what_is_saved_is_the_decision_and_what_comes_next_is_told(client: FlaskClient, store: Store) -> None:
    found = state(client)
    answer = post(client, "decision", draft(found, note="seen", based_on=[found["annotators"][1]["key"]]))
    assert answer.status_code == 200
    assert answer.get_json() == {
        "version": 1,
        "next_url": "/figures/f1",
        "progress": {"decided": 1, "total": 3},
        "awaits": None,
    }
    with store.read() as tx:
        decision = tx.decisions.get("q/1")
    assert decision is not None
    assert len(decision.items.verdicts) == 7
    assert decision.based_on[0] in ANNOTATORS
    again = state(client)
    assert again["decision"]["reviewer"] == "rev1"
    assert again["decision"]["verdicts"][0]["item"] == "q/1-q1"
    history = client.get("/figures/q~2F1/history").text
    assert "Pair 2: Correct" in history
    assert "<dd>Annotator 2</dd>" in history
    assert "Figure type and pairs" in history


def test_who_comes_too_late_gets_both_decisions_and_a_merge(sign_in: SignIn, store: Store) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    found = state(mine)
    words = [dict(each["proposal"]) for each in found["pairs"]]
    pair = found["pairs"][1]["original"]
    words[1] = {"item": words[1]["item"], "verdict": "Incorrect.Edit", "edited": {**pair, "answer": "900"}}
    assert post(theirs, "decision", draft(found, verdicts=words)).status_code == 200
    kind = {"compound": False, "count": 1, "types": ["tree"], "note": ""}
    answer = post(mine, "decision", draft(found, kind=kind))
    assert answer.status_code == 409
    body = answer.get_json()
    assert body["version"] == 1
    assert body["current"]["reviewer"] == "rev2"
    assert [each["id"] for each in body["conflict"]["pairs"] if each["differs"]] == ["q/1-q2"]
    assert body["conflict"]["kind"]["merged"]["types"] == ["tree"]
    assert body["conflict"]["clashes"] == 0
    for name in ANNOTATORS:
        assert name not in answer.text
    merged = post(mine, "decision", body["conflict"]["merged"])
    assert merged.status_code == 200
    with store.read() as tx:
        decision = tx.decisions.get("q/1")
    assert decision is not None
    assert decision.items.kind is not None
    assert decision.items.kind.types == {"tree"}
    by_id = {each.item: each for each in decision.items.verdicts}
    assert by_id["q/1-q2"].edited is not None
    assert by_id["q/1-q2"].edited.answer == "900"


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"verdicts": [{"item": "q/1-q1", "verdict": "Maybe"}]}, "verdicts[0].verdict: "),
        (
            {"verdicts": [{"item": "nope", "verdict": "Correct"}]},
            'verdicts[0].item: the figure has no pair "nope"',
        ),
        ({"kind": {"compound": True, "count": -1, "types": []}}, "kind.count: "),
        ({"surprise": 1}, "surprise"),
        ({"version": None}, "version: "),
    ],
)
@pytest.mark.slow
def test_what_is_no_decision_is_refused_with_the_field(
    client: FlaskClient, store: Store, changes: dict[str, Any], line: str
) -> None:
    for what in ("decision", "findings"):
        answer = post(client, what, draft(state(client), **changes))
        assert answer.status_code == 422, what
        assert line in answer.get_json()["error"]
    with store.read() as tx:
        assert tx.decisions.get("q/1") is None


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("field", ["kind", "verdicts"])
def test_a_decision_without_a_field_that_the_figure_asks_for_is_refused_on_the_screen_and_in_the_api(
    client: FlaskClient, store: Store, field: str
) -> None:
    lacking = draft(state(client))
    del lacking[field]
    csrf = {"X-CSRFToken": state(client)["csrf"]}
    answers = [
        post(client, "decision", lacking),
        client.post("/api/v1/figures/q~2F1/decisions", json=lacking, headers=csrf),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert f"{field}: is missing, and this figure asks for it" in answer.text
    with store.read() as tx:
        assert tx.decisions.history(FIGURE.id) == []


@pytest.mark.usefixtures("store")
def test_a_decision_on_some_pairs_is_refused_on_the_screen_and_in_the_api(
    client: FlaskClient, store: Store
) -> None:
    found = state(client)
    partial = draft(found, verdicts=[each["proposal"] for each in found["pairs"]][:5])
    answers = [
        post(client, "decision", partial),
        post(client, "findings", partial),
        client.post(
            "/api/v1/figures/q~2F1/decisions", json=partial, headers={"X-CSRFToken": state(client)["csrf"]}
        ),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert r"verdicts: pairs 6 (\"q/1-q6\"), 7 (\"q/1-q7\") are missing" in answer.text
    with store.read() as tx:
        assert tx.decisions.history(FIGURE.id) == []


def test_figures_some_of_whose_pairs_nobody_judged_are_not_adjudicated_together(
    client: FlaskClient, home: Home, store: Store
) -> None:
    alike, partial = a_qa_figure("alike"), a_qa_figure("partial")
    with store.transaction() as tx:
        for figure, number in ((alike, 7), (partial, 6)):
            tx.figures.add(figure)
            items = Items(verdicts=verdicts(figure).verdicts[:number])
            for name in ANNOTATORS[:2]:
                tx.annotations.add(judged(figure, items, annotator=name))
    score_disagreement(store, home.campaign)
    page = client.get("/agreed/").text
    assert 'aria-label="Adjudicate alike"' in page
    assert "partial" not in page


def test_what_is_not_json_is_refused(client: FlaskClient) -> None:
    token = state(client)["csrf"]
    for what in ("decision", "findings"):
        answer = client.post(f"{ADDRESS}/{what}", data="{}", headers={"X-CSRFToken": token})
        assert answer.status_code == 415


@pytest.mark.usefixtures("store")
def test_a_body_that_is_not_utf_8_is_refused(client: FlaskClient) -> None:
    headers = {"X-CSRFToken": state(client)["csrf"], "Content-Type": "application/json"}
    for what in ("decision", "findings"):
        answer = client.post(f"{ADDRESS}/{what}", data=b'{"note": "\xff"}', headers=headers)
        assert answer.status_code == 400
        assert "is not UTF-8" in answer.get_json()["error"]


def test_findings_in_a_draft_are_told_and_nothing_is_kept(client: FlaskClient, store: Store) -> None:
    found = state(client)
    words = [{"item": each["id"], "verdict": "Incorrect.Edit"} for each in found["pairs"]]
    answer = post(client, "findings", draft(found, verdicts=words))
    told = answer.get_json()["findings"]
    assert {(each["item"], each["check"]) for each in told} >= {("q/1-q1", "edit-missing")}
    assert told[0]["severity"] == "error"
    with store.read() as tx:
        assert tx.decisions.get("q/1") is None


@pytest.mark.usefixtures("store")
def test_saving_puts_an_end_to_skipping_and_a_figure_with_no_image_says_so(
    client: FlaskClient, store: Store
) -> None:
    bare = a_qa_figure("bare", image="")
    with store.transaction() as tx:
        tx.figures.add(bare)
        tx.annotations.add(judged(bare, verdicts(bare), annotator=ANNOTATORS[0]))
    found = client.get("/api/figures/bare/items").get_json()
    assert found["image_url"] is None
    assert found["kind"] is None
    token = found["csrf"]
    client.post(found["skip_url"], json={}, headers={"X-CSRFToken": token})
    with store.read() as tx:
        assert tx.presence.skipped("rev1")
    body = {"version": 0, "status": "accepted", "verdicts": [each["proposal"] for each in found["pairs"]]}
    client.post("/api/figures/bare/items/decision", json=body, headers={"X-CSRFToken": token})
    with store.read() as tx:
        assert not tx.presence.skipped("rev1")
        assert tx.decisions.get("bare") is not None


def test_after_subfigures_the_way_leads_to_pairs_that_are_open_and_back(client: FlaskClient, store: Store) -> None:
    with store.transaction() as tx:
        drawn = an_annotation(FIGURE, annotator=ANNOTATORS[0], subfigures=(a_subfigure("A", tokens=(2,)),))
        tx.annotations.add(drawn)
    assert client.get("/api/figures/f1").get_json()["items_url"] is None
    assert client.get("/api/figures/q~2F1").get_json()["items_url"] == "/figures/q~2F1/items"
    answer = save(client, a_draft(subfigures=[{"label": "A", "box": [0, 0, 9, 9], "tokens": []}]), "q~2F1")
    assert answer.get_json()["next_url"] == "/figures/q~2F1/items"
    assert state(client)["subfigures_url"] == "/figures/q~2F1"
    assert post(client, "decision", draft(state(client))).status_code == 200
    with store.read() as tx:
        decision = tx.decisions.get("q/1")
    assert decision is not None
    assert [each.label for each in decision.subfigures] == ["A"]


def test_figures_on_whose_pairs_all_agree_are_shown_together(
    client: FlaskClient, home: Home, store: Store
) -> None:
    alike = a_qa_figure("alike")
    with store.transaction() as tx:
        tx.figures.add(alike)
        for name in ANNOTATORS[:2]:
            tx.annotations.add(judged(alike, verdicts(alike, edited(alike, "q1", answer="1")), annotator=name))
    score_disagreement(store, home.campaign)
    page = " ".join(client.get("/agreed/").text.split())
    assert "7 pairs, 1 edited" in page


def test_a_figure_without_pairs_is_rejected_and_leaves_the_queue(
    client: FlaskClient, store: Store, home: Home
) -> None:
    bare = a_qa_figure("bare", pairs=())
    with store.transaction() as tx:
        tx.figures.add(bare)
        for name in ANNOTATORS[:2]:
            tx.annotations.add(judged(bare, Items(), annotator=name, status=Status.IGNORED))
    score_disagreement(store, home.campaign)
    csrf = state(client)["csrf"]

    def decided(status: str) -> TestResponse:
        body = {"version": 0, "status": status, "kind": None, "verdicts": [], "note": "no pairs"}
        address = "/api/figures/bare/items/decision"
        return client.post(address, json=body, headers={"X-CSRFToken": csrf})

    # The phase of types asks for one everywhere; this figure was asked for its pairs only.
    refused = decided("accepted")
    assert (refused.status_code, refused.get_json()["error"].partition(":")[0]) == (
        422,
        'figure "bare" has no type and no pairs to accept',
    )
    assert decided("rejected").status_code == 200
    with store.read() as tx:
        decision = tx.decisions.get("bare")
    assert decision is not None
    assert (decision.status, decision.note, decision.items) == (Status.REJECTED, "no pairs", Items())
    assert "bare" not in client.get("/?state=open").text
