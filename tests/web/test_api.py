"""What the figure screen reads and writes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import NOON, a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, a_draft, save
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.operations.rename_person import rename
from annotator.store.store import Store
from annotator.web.app import sessions
from panelwise.domain.annotation import Status


def state(client: FlaskClient, figure: str = "f1") -> dict:
    return client.get(f"/api/figures/{figure}").get_json()


def test_the_state_holds_what_the_screen_needs(client: FlaskClient) -> None:
    found = state(client)
    assert found["figure_id"] == "f1"
    assert (found["width"], found["height"]) == (800, 600)
    assert found["image_url"] == "/figures/f1/image"
    assert found["version"] == 0
    assert found["decision"] is None
    assert found["progress"] == {"decided": 0, "total": 2}
    assert found["next_url"] == "/figures/f2"
    assert found["reviewer"] == "rev1"
    assert found["phase"] == "1"
    assert found["references"] == ["See Fig 1."]
    assert found["reference_panels"] == [[]]
    assert 0 < found["agreement"] < 1
    assert found["palette"][0] == {"label": "A", "color": "#0072B2"}
    assert found["labels"][:2] == ["A", "B"]


def test_tokens_rebuild_the_caption(client: FlaskClient) -> None:
    caption = state(client)["caption"]
    for token in caption["tokens"]:
        assert caption["text"][token["start"] : token["end"]] == token["text"]
    by_text = {token["text"]: token for token in caption["tokens"]}
    assert by_text["Fig"]["space"] is True
    assert by_text["("]["space"] is False
    assert [token["text"] for token in caption["tokens"] if token["newline"]] == [","]
    assert [token["id"] for token in caption["tokens"]] == list(range(len(caption["tokens"])))


def test_conflicts_come_with_their_reasons_and_votes(client: FlaskClient) -> None:
    first, second = state(client)["candidates"]
    assert first["label"] == "A"
    assert first["conflict"] is True
    assert first["reasons"] == ["text differs: 1 token"]
    assert len(first["supporters"]) == 3
    assert len(first["votes"]["7"]) == 2
    assert first["tokens"] == [4, 6, 7]
    assert (second["label"], second["conflict"], second["reasons"]) == ("B", False, [])


def test_annotators_are_keys_that_fit_together(client: FlaskClient) -> None:
    found = state(client)
    keys = [each["key"] for each in found["annotators"]]
    assert len(set(keys)) == 3
    assert [each["name"] for each in found["annotators"]] == ["Annotator 1", "Annotator 2", "Annotator 3"]
    assert [each["annotator"] for each in found["annotations"]] == keys
    assert set(found["candidates"][0]["supporters"]) == set(keys)
    assert state(client)["annotators"] == found["annotators"]
    assert not set(keys) & {each["key"] for each in state(client, "f2")["annotators"]}


@pytest.mark.slow
def test_no_response_of_the_screen_names_an_annotator(client: FlaskClient, sign_in: SignIn) -> None:
    keys = [each["key"] for each in state(client)["annotators"]]
    answers = [
        save(client, a_draft(based_on=keys)),
        save(sign_in("rev2"), a_draft()),
        save(client, a_draft(based_on=["x"])),
    ]
    assert [answer.status_code for answer in answers] == [200, 409, 409]
    for address in ("/", "/?show=all", "/figures/f1", "/figures/f2", "/api/figures/f1", "/api/figures/f2"):
        answers.append(client.get(address))
    for answer in answers:
        whole = answer.text + str(answer.headers)
        assert not any(name.casefold() in whole.casefold() for name in ANNOTATORS)


def test_a_decision_is_kept_with_the_real_names(client: FlaskClient, store: Store) -> None:
    found = state(client)
    chosen = [each["key"] for each in found["annotators"]][1:]
    answer = save(client, a_draft(based_on=chosen, note=" clear "))
    assert answer.status_code == 200
    assert answer.get_json() == {
        "version": 1,
        "next_url": "/figures/f2",
        "progress": {"decided": 1, "total": 2},
        "awaits": None,
    }
    with store.read() as tx:
        decision = tx.decisions.get("f1")
    assert decision is not None
    assert decision.reviewer == "rev1"
    assert len(decision.based_on) == 2
    assert set(decision.based_on) < set(ANNOTATORS)
    assert decision.note == "clear"
    assert decision.seconds == 12.5
    assert decision.subfigures[0].subcaption == {4, 6, 7}
    again = state(client)["decision"]
    assert again["based_on"] == chosen
    assert again["reviewer"] == "rev1"
    assert state(client)["version"] == 1


def test_the_last_figure_has_no_next(client: FlaskClient) -> None:
    save(client, figure="f1")
    assert save(client, figure="f2").get_json()["next_url"] is None
    assert state(client)["next_url"] is None


def test_a_later_save_of_an_old_version_is_refused_with_the_current_decision(
    sign_in: SignIn, store: Store
) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    assert save(theirs, a_draft(note="theirs")).status_code == 200
    answer = save(mine, a_draft(note="mine"))
    assert answer.status_code == 409
    body = answer.get_json()
    assert "rev2" in body["error"]
    assert "\n" not in body["error"]
    assert (body["current"]["version"], body["current"]["note"]) == (1, "theirs")
    assert save(mine, a_draft(version=1, note="mine")).get_json()["version"] == 2
    with store.read() as tx:
        assert [each.note for each in tx.decisions.history("f1")] == ["theirs", "mine"]


def test_a_version_that_never_was_is_a_conflict(client: FlaskClient) -> None:
    answer = save(client, a_draft(version=7))
    assert answer.status_code == 409
    assert answer.get_json()["current"] is None


@pytest.mark.slow
@pytest.mark.parametrize("round_", range(3))
def test_of_two_who_save_at_once_one_wins_and_one_hears_of_it(sign_in: SignIn, store: Store, round_: int) -> None:
    clients = [sign_in("rev1"), sign_in("rev2")]
    tokens = [state(client)["csrf"] for client in clients]

    def post(number: int) -> int:
        headers = {"X-CSRFToken": tokens[number]}
        return clients[number].post("/api/figures/f1/decision", json=a_draft(), headers=headers).status_code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(post, range(2))) == [200, 409]
    with store.read() as tx:
        assert len(tx.decisions.history("f1")) == 1


A = {"label": "A", "box": [0, 0, 400, 600], "tokens": [4]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"surprise": 1}, "surprise"),
        ({"version": "0"}, "version"),
        ({"version": -1}, "version"),
        ({"version": 0.5}, "version"),
        ({"status": "perfect"}, "status"),
        ({"note": 7}, "note"),
        ({"note": "x" * 10_001}, "note"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": "long"}, "seconds"),
        ({"based_on": ["a1"]}, "based_on[0]"),
        ({"based_on": "a1"}, "based_on"),
        ({"based_on": ["Zebulon"]}, "based_on[0]"),
        ({"subfigures": None}, "subfigures"),
        ({"subfigures": [{**A, "rot": 3}]}, "subfigures[0]"),
        ({"subfigures": [{**A, "label": ""}]}, "subfigures[0].label"),
        ({"subfigures": [{**A, "label": "  "}]}, "subfigures[0].label"),
        ({"subfigures": [{**A, "box": [0, 0, 1]}]}, "subfigures[0].box"),
        ({"subfigures": [{**A, "box": [0, 0, "1", 2]}]}, "subfigures[0].box"),
        ({"subfigures": [{**A, "box": [9, 0, 1, 5]}]}, "subfigures[0].box"),
        ({"subfigures": [{**A, "box": [900, 0, 1000, 5]}]}, "subfigures[0].box"),
        ({"subfigures": [{**A, "box": [1, 1, 1.001, 5]}]}, "subfigures[0].box"),
        ({"subfigures": [{**A, "tokens": [999]}]}, "subfigures[0].tokens"),
        ({"subfigures": [{**A, "tokens": [-1]}]}, "subfigures[0].tokens"),
        ({"subfigures": [{**A, "tokens": ["4"]}]}, "subfigures[0].tokens"),
        ({"subfigures": [A, {**A, "box": [1, 1, 9, 9]}]}, "label"),
        ({"subfigures": [A] * 501}, "subfigures"),
    ],
)
def test_what_breaks_a_rule_is_refused_in_one_line_that_names_the_field(
    client: FlaskClient, store: Store, changes: dict[str, object], named: str
) -> None:
    answer = save(client, a_draft(**changes))
    assert answer.status_code == 422
    body = answer.get_json()
    assert set(body) == {"error"}
    assert named in body["error"]
    assert "\n" not in body["error"]
    with store.read() as tx:
        assert tx.decisions.get("f1") is None


@pytest.mark.parametrize("missing", ["version", "status", "subfigures"])
def test_a_missing_field_is_named(client: FlaskClient, missing: str) -> None:
    draft = a_draft()
    del draft[missing]
    answer = save(client, draft)
    assert answer.status_code == 422
    assert missing in answer.get_json()["error"]


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"version": NaN}', b"[" * 100_000])
def test_what_is_no_decision_is_refused(client: FlaskClient, body: bytes) -> None:
    headers = {"X-CSRFToken": state(client)["csrf"], "Content-Type": "application/json"}
    answer = client.post("/api/figures/f1/decision", data=body, headers=headers)
    assert answer.status_code == 422
    assert set(answer.get_json()) == {"error"}


@pytest.mark.parametrize("what", ["decision", "findings"])
def test_a_body_that_is_not_utf_8_is_refused(client: FlaskClient, what: str) -> None:
    headers = {"X-CSRFToken": state(client)["csrf"], "Content-Type": "application/json"}
    answer = client.post(f"/api/figures/f1/{what}", data=b'{"note": "\xff"}', headers=headers)
    assert answer.status_code == 400
    assert "is not UTF-8" in answer.get_json()["error"]


def test_a_body_that_is_too_large_or_no_json_is_refused(client: FlaskClient) -> None:
    headers = {"X-CSRFToken": state(client)["csrf"], "Content-Type": "application/json"}
    big = json.dumps(a_draft(note="x" * 1_100_000))
    assert client.post("/api/figures/f1/decision", data=big, headers=headers).status_code == 413
    headers["Content-Type"] = "text/plain"
    assert client.post("/api/figures/f1/decision", data=json.dumps(a_draft()), headers=headers).status_code == 415


def test_boxes_are_cut_at_the_edge_and_rounded(client: FlaskClient, store: Store) -> None:
    save(client, a_draft(subfigures=[{"label": "A", "box": [-5, 0.123456, 1e9, 600.2], "tokens": [4, 4]}]))
    with store.read() as tx:
        decision = tx.decisions.get("f1")
    assert decision is not None
    assert decision.subfigures[0].box.as_list() == [0, 0.12, 800, 600]
    assert decision.subfigures[0].subcaption == {4}


@pytest.mark.parametrize("status", ["rejected", "ignored"])
def test_a_figure_can_be_rejected_or_put_off_without_subfigures(
    client: FlaskClient, store: Store, status: str
) -> None:
    assert save(client, a_draft(status=status, subfigures=[])).status_code == 200
    with store.read() as tx:
        decision = tx.decisions.get("f1")
    assert decision is not None
    assert decision.status is Status(status)


def test_notes_come_back_as_data(client: FlaskClient) -> None:
    note = "</script><script>alert(1)</script> \u2028 😀"
    save(client, a_draft(note=note))
    answer = client.get("/api/figures/f1")
    assert answer.mimetype == "application/json"
    assert answer.get_json()["decision"]["note"] == note


def test_without_annotations_the_prediction_is_proposed_and_named_by_no_version(
    client: FlaskClient, store: Store
) -> None:
    figure = a_figure("f9")
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.predictions.put(a_prediction(figure, model_version="secret-model-9"))
    answer = client.get("/api/figures/f9")
    assert "secret-model-9" not in answer.text
    found = answer.get_json()
    assert [each["name"] for each in found["annotators"]] == ["Prediction"]
    assert all(each["conflict"] and "prediction" in each["reasons"][0] for each in found["candidates"])
    key = found["annotators"][0]["key"]
    assert save(client, a_draft(based_on=[key]), "f9").status_code == 200
    with store.read() as tx:
        decision = tx.decisions.get("f9")
    assert decision is not None
    assert decision.based_on == ("secret-model-9",)


def test_a_figure_with_nothing_can_still_be_settled(client: FlaskClient, store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f9", caption=""))
    found = state(client, "f9")
    assert found["annotators"] == found["candidates"] == []
    assert found["reasons"] == ["no annotator has annotated this figure"]
    assert save(client, a_draft(subfigures=[{**A, "tokens": []}]), "f9").status_code == 200


def test_those_who_rejected_are_told_of_but_not_by_name(client: FlaskClient, store: Store) -> None:
    with store.transaction() as tx:
        status = Status.REJECTED
        tx.annotations.add(an_annotation(annotator=ANNOTATORS[0], status=status, subfigures=(), minutes=5))
    found = state(client)
    assert found["reasons"] == ["one of 3 annotators rejected the figure"]
    assert sorted(each["status"] for each in found["annotations"]) == ["accepted", "accepted", "rejected"]


def test_decisions_of_people_who_left_no_annotation_are_shown(
    client: FlaskClient, store: Store, home: Home
) -> None:
    with store.transaction() as tx:
        tx.decisions.add(a_decision(based_on=("Walburga-Q",), decided_at=NOON))
    found = state(client)
    assert len(found["decision"]["based_on"]) == 1
    assert found["decision"]["decided_at"] == "2026-11-21T12:00:00Z"
    assert "Walburga" not in client.get("/api/figures/f1").text
    assert save(client, a_draft(version=1, based_on=found["decision"]["based_on"])).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("forget", [False, True])
def test_whoever_is_renamed_while_a_decision_is_on_its_way_does_not_save_it_under_the_old_name(
    client: FlaskClient, home: Home, store: Store, monkeypatch: pytest.MonkeyPatch, forget: bool
) -> None:
    asked = sessions.reviewer

    def asked_then_renamed() -> str:
        name = asked()
        monkeypatch.setattr(sessions, "reviewer", asked)
        rename(home, store, "rev1", "rev1" if forget else "ruth", forget=forget)
        return name

    csrf = state(client)["csrf"]
    monkeypatch.setattr(sessions, "reviewer", asked_then_renamed)
    answer = client.post("/api/figures/f1/decision", json=a_draft(), headers={"X-CSRFToken": csrf})
    assert answer.status_code == 401
    with store.read() as tx:
        assert tx.decisions.last_version("f1") == 0


def test_what_the_checks_find_is_told_of_each_annotator_and_of_a_draft(client: FlaskClient, store: Store) -> None:
    figure = a_figure("f3")
    twice = an_annotation(figure, annotator=ANNOTATORS[0], subfigures=(a_subfigure("A"), a_subfigure("A")))
    with store.transaction() as tx:
        tx.figures.add(figure)
        tx.annotations.add(twice)
    found = state(client, "f3")
    (key,) = (each["key"] for each in found["annotators"])
    assert "label-repeated" in {each["check"] for each in found["findings"][key]}
    headers = {"X-CSRFToken": found["csrf"]}
    drawn = [{"label": "A", "box": [0, 0, 400, 600], "tokens": []}]
    answer = client.post(found["findings_url"], json=a_draft(subfigures=drawn), headers=headers)
    told = answer.get_json()["findings"]
    assert "text-missing" in {each["check"] for each in told if each["item"] == "A"}
    assert client.post(found["findings_url"], data="{}", headers=headers).status_code == 415
    for wrong in (
        a_draft(status="perhaps"),
        a_draft(subfigures=[{"label": " ", "box": [0, 0, 9, 9], "tokens": []}]),
    ):
        assert client.post(found["findings_url"], json=wrong, headers=headers).status_code == 422
    with store.read() as tx:
        assert tx.decisions.get("f3") is None
