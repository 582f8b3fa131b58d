"""The pages of a figure's history and of the flags for the guidelines."""

from __future__ import annotations

import pytest
from builders import a_decision, a_figure
from flask.testing import FlaskClient
from web.asking import ANNOTATORS, a_draft, save, token_of
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people
from annotator.store.store import Store
from panelwise.domain.decision import Reopening

HISTORY = "/figures/f1/history"
NASTY = '<script>alert("x")</script> שלום 😀'


def press(client: FlaskClient, action: str, **fields: object) -> TestResponse:
    """Send one of the page's forms, with its token."""
    token = token_of(client.get(HISTORY).text)
    return client.post(f"{HISTORY}/{action}", data={"csrf_token": token, **fields})


def versions(store: Store) -> list[tuple[int, str]]:
    with store.read() as tx:
        return [(each.version, each.reviewer) for each in tx.decisions.history("f1")]


def test_a_figure_without_decisions_says_so(client: FlaskClient) -> None:
    page = client.get(HISTORY)
    assert page.status_code == 200
    assert "No decisions yet" in page.text
    assert "Reopen" not in page.text


def test_every_decision_is_listed_with_its_changes_and_nobodys_real_name(
    client: FlaskClient, sign_in: SignIn
) -> None:
    keys = [each["key"] for each in client.get("/api/figures/f1").get_json()["annotators"]]
    save(client, a_draft(based_on=keys, error_kind="slip", guideline_flag="insets?"))
    parts = [{"label": "B", "box": [0, 0, 400, 300], "tokens": [4, 6]}]
    save(sign_in("rev2"), a_draft(version=1, subfigures=parts, note="tighter", seconds=75))
    text = client.get(HISTORY).text
    for expected in (
        "2: accepted", "1: accepted", "rev1", "rev2", "1 min 15 s", "tighter", "slip", "insets?", "was A",
        "Annotator 1, Annotator 2, Annotator 3", "overlap 50 %", "<q>lung</q>", "Restore 1", "Reopen",
    ):  # fmt: skip
        assert expected in text, expected
    assert "Restore 2" not in text
    assert not any(name.casefold() in text.casefold() for name in ANNOTATORS)


def test_what_people_wrote_shows_as_text(client: FlaskClient, store: Store) -> None:
    save(client, a_draft(note=NASTY, guideline_flag=NASTY))
    press(client, "reopen", loaded=1, note=NASTY)
    for address in (HISTORY, "/flags"):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "שלום 😀" in page
    with store.read() as tx:
        last = tx.decisions.history("f1")[-1]
        assert isinstance(last, Reopening)
        assert last.note == NASTY


def test_bringing_back_makes_a_new_decision(client: FlaskClient, sign_in: SignIn, store: Store) -> None:
    save(client)
    save(client, a_draft(version=1, status="rejected", subfigures=[]))
    answer = press(sign_in("rev2"), "restore", version=1, loaded=2)
    assert (answer.status_code, answer.location) == (303, HISTORY)
    assert versions(store) == [(1, "rev1"), (2, "rev1"), (3, "rev2")]
    assert 'from <a href="#v1">1</a>' in client.get(HISTORY).text


def test_reopening_leads_to_the_figure_which_is_open_again(client: FlaskClient, store: Store) -> None:
    save(client)
    answer = press(client, "reopen", loaded=1, note="look again")
    assert (answer.status_code, answer.location) == (303, "/figures/f1")
    state = client.get("/api/figures/f1").get_json()
    assert (state["decision"], state["version"], state["progress"]["decided"]) == (None, 2, 0)
    assert "rev1 reopened it: look again" in state["reasons"]
    before = state["starts_from"]
    assert (state["decision"], before["version"], before["reviewer"]) == (None, 1, "rev1")
    assert [each["label"] for each in before["subfigures"]] == ["A"]
    assert versions(store) == [(1, "rev1"), (2, "rev1")]
    assert "Reopen figure" not in client.get(HISTORY).text
    assert save(client, a_draft(version=2)).status_code == 200


@pytest.mark.parametrize("action", ["restore", "reopen"])
def test_a_page_that_is_out_of_date_changes_nothing(client: FlaskClient, store: Store, action: str) -> None:
    save(client)
    save(client, a_draft(version=1))
    answer = press(client, action, version=1, loaded=1)
    assert answer.status_code == 409
    assert "decided on after you opened its history" in answer.text
    assert len(versions(store)) == 2


@pytest.mark.parametrize(
    ("action", "fields", "code"),
    [
        ("restore", {"loaded": 1}, 400),
        ("restore", {"version": "x", "loaded": 1}, 400),
        ("restore", {"version": 7, "loaded": 1}, 422),
        ("reopen", {}, 400),
        ("reopen", {"loaded": 1, "note": "x" * 10_001}, 422),
    ],
)
@pytest.mark.slow
def test_forms_that_make_no_sense_are_refused(
    client: FlaskClient, store: Store, action: str, fields: dict[str, object], code: int
) -> None:
    save(client)
    assert press(client, action, **fields).status_code == code
    assert len(versions(store)) == 1


@pytest.mark.parametrize("action", ["restore", "reopen"])
def test_nothing_is_done_without_the_token_or_after_signing_out(
    client: FlaskClient, store: Store, action: str
) -> None:
    save(client)
    fields = {"version": 1, "loaded": 1}
    assert client.post(f"{HISTORY}/{action}", data=fields).status_code == 400
    token = token_of(client.get(HISTORY).text)
    people.set_password(store, "rev1", "another good one")
    assert client.post(f"{HISTORY}/{action}", data={**fields, "csrf_token": token}).status_code in (400, 401)
    assert len(versions(store)) == 1


def test_a_figure_that_is_not_there_has_no_history(client: FlaskClient) -> None:
    assert client.get("/figures/nope/history").status_code == 404


def test_flags_are_listed_with_their_figures(client: FlaskClient, store: Store) -> None:
    assert "No flagged figures" in client.get("/flags").text
    with store.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f2"), guideline_flag="legends?", note="see B"))
    save(client, a_draft(guideline_flag=" insets? ", error_kind="guideline gap"))
    page = client.get("/flags").text
    for expected in (
        "2 figures; guideline gap: 1",
        "insets?",
        "legends?",
        "see B",
        "/figures/f2",
        "/figures/f1/history",
    ):
        assert expected in page


def test_the_state_tells_kinds_of_error_and_where_the_history_is(client: FlaskClient) -> None:
    state = client.get("/api/figures/f1").get_json()
    assert state["error_kinds"] == ["ambiguous text", "guideline gap", "slip", "edge case"]
    assert state["history_url"] == HISTORY
    assert state["review"] == {"needs": None, "may": False, "told": ""}
    answer = save(client, a_draft(error_kind="edge case", guideline_flag="insets?", second=True)).get_json()
    assert (answer["awaits"], answer["progress"]["decided"]) == ("second", 0)
    decision = client.get("/api/figures/f1").get_json()["decision"]
    said = ("error_kind", "guideline_flag", "seconds", "awaits", "restored_from")
    assert {name: decision[name] for name in said} == {
        "error_kind": "edge case", "guideline_flag": "insets?", "seconds": 12.5, "awaits": "second",
        "restored_from": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"error_kind": "sloth"}, "error_kind"),
        ({"guideline_flag": "x" * 2001}, "guideline_flag"),
        ({"second": "yes"}, "second"),
    ],
)
def test_kinds_and_flags_are_checked(client: FlaskClient, changes: dict[str, object], field: str) -> None:
    answer = save(client, a_draft(**changes))
    assert answer.status_code == 422
    assert answer.get_json()["error"].startswith(f"{field}: ")


def test_a_conflict_is_answered_with_what_differs_and_a_merge_that_can_be_sent(
    client: FlaskClient, sign_in: SignIn, store: Store
) -> None:
    right = {"label": "B", "box": [400, 0, 800, 600], "tokens": [10, 12, 13]}
    left = {"label": "A", "box": [0, 0, 400, 600]}
    save(sign_in("rev2"), a_draft(subfigures=[{**left, "tokens": [4, 6]}, right], note="theirs"))
    mine = [{**left, "tokens": [4, 5, 6, 7]}, {**right, "box": [400, 0, 800, 300]}]
    answer = save(client, a_draft(subfigures=mine, seconds=3))
    assert answer.status_code == 409
    body = answer.get_json()
    assert (body["version"], body["current"]["note"]) == (1, "theirs")
    conflict = body["conflict"]
    assert (conflict["base"], conflict["clashes"]) == (None, 0)
    assert conflict["note"] == {"mine": "", "theirs": "theirs", "merged": "theirs", "clash": False}
    first, second = conflict["subfigures"]
    assert (first["id"], first["label"], first["differs"], first["only_mine"]) == ("p0", "A", ["tokens"], [5, 7])
    assert first["merged"]["tokens"] == [4, 5, 6]
    assert (second["iou"], second["line"]) == (0.5, "B: box differs (overlap 50 %)")
    merged = conflict["merged"]
    assert merged["version"] == 1
    assert save(client, merged).get_json()["version"] == 2
    with store.read() as tx:
        held = tx.decisions.get("f1")
    assert held is not None
    assert [sorted(each.subcaption) for each in held.subfigures] == [[4, 5, 6], [10, 12, 13]]
    assert (held.note, held.seconds) == ("theirs", 3)


def test_a_conflict_with_a_reopening_tells_the_version_to_send(client: FlaskClient, sign_in: SignIn) -> None:
    save(client)
    press(sign_in("rev2"), "reopen", loaded=1)
    body = save(client, a_draft(version=1)).get_json()
    assert "rev2 reopened this figure" in body["error"]
    assert (body["version"], body["current"], body["conflict"]) == (2, None, None)
