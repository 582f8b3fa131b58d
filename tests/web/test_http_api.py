"""The HTTP API: tokens, who may read what, pages, and errors in one line."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from flask import Flask
from running import Done, run_command
from sqlalchemy import text
from web.asking import ANNOTATORS, a_draft, token_of
from web.blind_campaign import BLIND, SECRETS, blind_home
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import people, tokens
from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Person, Role, Task

PROBLEM, JSON = "application/problem+json", "application/json"


def ask(app: Flask, token: str, address: str, method: str = "GET", **more: object) -> TestResponse:
    return app.test_client().open(
        f"/api/v1{address}", method=method, headers={"Authorization": f"Bearer {token}"}, **more
    )


@pytest.fixture
def lead(store: Store) -> str:
    return tokens.make_token(store, "lead", "tests")


@pytest.fixture
def reviewer(store: Store) -> str:
    return tokens.make_token(store, "rev1", "tests")


def problem(answer: TestResponse) -> str:
    """The line of a problem, after a look at the rest of it."""
    assert answer.mimetype == PROBLEM
    body = json.loads(answer.text)
    assert body["status"] == answer.status_code
    assert "\n" not in body["detail"]
    return str(body["detail"])


# -- tokens -------------------------------------------------------------------------------------------------------


def make_on_page(sign_in: SignIn, label: str = "nightly") -> str:
    client = sign_in("ann")
    data = {"csrf_token": token_of(client.get("/account").text), "label": label}
    shown = client.post("/account/tokens", data=data).text
    found = re.search(r'id="made-token" readonly value="([^"]+)"', shown)
    assert found is not None
    return unescape(found[1])


def test_a_token_made_on_the_page_is_shown_once_and_stored_as_a_hash(
    app: Flask, sign_in: SignIn, store: Store
) -> None:
    made = make_on_page(sign_in)
    assert ask(app, made, "/me").get_json() == {"name": "ann", "roles": ["annotator"]}
    page = sign_in("ann").get("/account").text
    assert "nightly" in page
    assert made not in page
    with store.read() as tx:
        row = tx.session.connection.execute(text("SELECT * FROM api_tokens")).mappings().one()
    assert made not in map(str, row.values())
    assert len(row["digest"]) == 64


def test_a_revoked_token_is_refused_at_once(app: Flask, sign_in: SignIn) -> None:
    made, client = make_on_page(sign_in), sign_in("ann")
    seal = token_of(client.get("/account").text)
    gone = client.post("/account/tokens/revoke", data={"csrf_token": seal, "label": "nightly"})
    assert "revoked" in client.get(gone.location).text
    answer = ask(app, made, "/me")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert "make one on your account page" in problem(answer)


@pytest.mark.parametrize(("label", "line"), [(" ", "needs a name"), ("a" * 101, "1 to 100"), ("tests", "already")])
def test_a_token_needs_a_name_of_its_own(sign_in: SignIn, reviewer: str, label: str, line: str) -> None:
    client = sign_in("rev1")
    data = {"csrf_token": token_of(client.get("/account").text), "label": label}
    answer = client.post("/account/tokens", data=data)
    assert answer.status_code == 422
    assert line in answer.text


def test_a_token_has_the_roles_that_its_person_has_now(app: Flask, store: Store, lead: str) -> None:
    assert ask(app, lead, "/jobs").status_code == 200
    people.set_roles(store, "lead", [Role.REVIEWER])
    assert "this page is for leads" in problem(ask(app, lead, "/jobs"))
    people.set_active(store, "lead", active=False)
    assert ask(app, lead, "/me").status_code == 401


def test_the_last_use_is_stored_to_the_hour(app: Flask, store: Store, reviewer: str) -> None:
    first = datetime(2026, 11, 21, 10, tzinfo=UTC)
    for minutes, seen in ((0, 0), (59, 0), (60, 60)):
        (token,) = tokens.tokens_of(store, "rev1")
        tokens.note_use(store, token, reviewer, now=first + timedelta(minutes=minutes))
        (token,) = tokens.tokens_of(store, "rev1")
        assert token.used_at == first + timedelta(minutes=seen)
    ask(app, reviewer, "/me")
    (token,) = tokens.tokens_of(store, "rev1")
    assert token.used_at is not None
    assert token.used_at > first + timedelta(hours=2)


@pytest.mark.parametrize("address", ["/", "/account", "/api/figures/f1", "/figures/f1/image", "/api/v1"])
@pytest.mark.slow
def test_a_token_opens_nothing_but_the_api(app: Flask, reviewer: str, address: str) -> None:
    answer = app.test_client().get(address, headers={"Authorization": f"Bearer {reviewer}"})
    assert answer.status_code in (302, 401, 404)
    assert "login" in answer.headers.get("Location", "login")


def test_a_token_makes_no_other_token(app: Flask, store: Store, reviewer: str) -> None:
    client = app.test_client()
    headers = {"Authorization": f"Bearer {reviewer}"}
    assert client.post("/account/tokens", data={"label": "more"}, headers=headers).status_code == 401
    assert len(tokens.tokens_of(store, "rev1")) == 1


def test_beside_a_wrong_token_a_session_does_not_count(sign_in: SignIn) -> None:
    client = sign_in("lead")
    assert client.get("/api/v1/me").get_json()["name"] == "lead"
    assert client.get("/api/v1/me", headers={"Authorization": "Bearer pwt_wrong"}).status_code == 401


def test_the_command_makes_lists_and_revokes(home: Home, store: Store, app: Flask) -> None:
    def run(*words: str) -> Done:
        return run_command(group, "annotator", "user", "token", *words, "--home", home.path)

    made = run("ann", "script").stdout.strip()
    assert ask(app, made, "/me").get_json()["name"] == "ann"
    assert re.fullmatch(r"\S+  \d{4}-\d\d-\d\d  script\n", run("ann").stdout)
    assert "revoked" in run("ann", "script", "--revoke").stdout
    assert ask(app, made, "/me").status_code == 401
    for wrong in (("nobody", "script"), ("ann", "script", "--revoke")):
        done = run(*wrong)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)


@pytest.mark.parametrize("active", [True, False])
def test_a_token_goes_with_its_person_when_spellings_are_made_one(app: Flask, store: Store, active: bool) -> None:
    with store.transaction() as tx:
        tx.people.put(Person("Ann", frozenset({Role.LEAD})))
    made = tokens.make_token(store, "Ann", "tests")
    with store.transaction() as tx:
        tx.people.put(Person("Ann", frozenset({Role.LEAD}), active=active))
        tx.names.join("Ann", "ann")
    answer = ask(app, made, "/me")
    assert answer.status_code == (200 if active else 401)
    assert answer.get_json(force=True).get("name") == ("ann" if active else None)


# -- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/figures", "/annotations", "/decisions", "/tasks", "/jobs"])
def test_pages_hold_every_entry_once_whatever_their_size(
    app: Flask, sign_in: SignIn, store: Store, lead: str, address: str
) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task(figure, "ann", "1") for figure in ("f1", "f2")])
    for version in (0, 1):
        done = ask(app, lead, "/figures/f1/decisions", "POST", json=a_draft(version=version))
        assert done.status_code == 201
    whole = ask(app, lead, address).get_json()
    assert whole["next"] is None
    after, found = "", []
    while after is not None:
        page = ask(app, lead, f"{address}?limit=1&after={after}").get_json()
        assert len(page["items"]) <= 1
        found += page["items"]
        after = page["next"]
    assert found == whole["items"]
    assert len(found) == {"/figures": 2, "/annotations": 5, "/decisions": 2, "/tasks": 2, "/jobs": 0}[address]


def test_reviewers_read_work_under_keys_and_leads_with_names(app: Flask, lead: str, reviewer: str) -> None:
    for address in ("/figures/f1/annotations", "/figures/f1/decisions", "/decisions", "/figures", "/agreement"):
        shown = ask(app, reviewer, address)
        assert shown.status_code == 200
        assert not [name for name in ANNOTATORS if name in shown.text]
    named = ask(app, lead, "/figures/f1/annotations").get_json()["items"]
    assert {each["annotator"] for each in named} == set(ANNOTATORS)
    under_keys = ask(app, reviewer, "/figures/f1/annotations").get_json()["items"]
    assert [each["key"] for each in under_keys] == sorted(each["key"] for each in named)
    assert not {"annotator", "saved_at", "seeded_by", "seconds"} & under_keys[0].keys()
    assert under_keys[0]["subfigures"][0].keys() == {"label", "box", "tokens"}


def test_everybody_reads_their_own_tasks_and_leads_all(app: Flask, store: Store, lead: str) -> None:
    with store.transaction() as tx:
        tx.tasks.add([Task("f1", "ann", "1"), Task("f2", "ann", "1", 2, False), Task("f1", ANNOTATORS[0], "1")])
    own = tokens.make_token(store, "ann", "tests")
    assert [each["figure_id"] for each in ask(app, own, "/tasks").get_json()["items"]] == ["f1"]
    assert ask(app, own, f"/tasks?annotator={ANNOTATORS[0]}").status_code == 403
    every = ask(app, lead, "/tasks").get_json()["items"]
    assert [(each["annotator"], each["released"], each["submitted"]) for each in every] == [
        ("ann", True, False),
        ("ann", False, False),
        (ANNOTATORS[0], True, True),
    ]


def test_gold_is_what_the_export_writes_and_is_streamed(app: Flask, home: Home, lead: str) -> None:
    ask(app, lead, "/figures/f1/decisions", "POST", json=a_draft())
    file = home.path / "gold.jsonl"
    done = run_command(group, "annotator", "export", "gold", "--out", file, "--home", home.path)
    assert done.returncode == 0
    answer = ask(app, lead, "/gold")
    assert answer.mimetype == "application/jsonl"
    assert answer.data == file.read_bytes()
    assert answer.data.count(b"\n") == 2
    client = app.test_client()
    headers = {"Authorization": f"Bearer {lead}"}
    streamed = client.get("/api/v1/gold?names=pseudonyms", headers=headers, buffered=False)
    assert streamed.is_streamed
    first = next(iter(streamed.response))
    assert json.loads(first)["figure_id"] == "f1"
    assert b'"lead"' not in first
    streamed.close()


def test_agreement_is_that_of_the_page(app: Flask, lead: str) -> None:
    found = ask(app, lead, "/agreement").get_json()
    assert found["phase"] == "1"
    assert len(found["pairs"]) == 6
    assert set(found["annotators"]) == set(ANNOTATORS)
    assert 0 < found["iaa"] < 1


# -- saving -------------------------------------------------------------------------------------------------------


def test_a_decision_needs_a_token_or_the_seal_of_a_session(app: Flask, sign_in: SignIn, store: Store) -> None:
    address, client = "/api/v1/figures/f1/decisions", sign_in("rev1")
    assert client.post(address, json=a_draft()).status_code == 400
    assert app.test_client().post(address, json=a_draft()).status_code == 401
    with store.read() as tx:
        assert tx.decisions.get("f1") is None
    headers = {"X-CSRFToken": client.get("/api/figures/f1").get_json()["csrf"]}
    assert client.post(address, json=a_draft(), headers=headers).get_json() == {"version": 1, "awaits": None}


def test_a_decision_is_saved_under_the_name_of_the_tokens_person(app: Flask, reviewer: str) -> None:
    key = ask(app, reviewer, "/figures/f1/annotations").get_json()["items"][0]["key"]
    done = ask(app, reviewer, "/figures/f1/decisions", "POST", json=a_draft(based_on=[key], note="by a program"))
    assert (done.status_code, done.get_json()) == (201, {"version": 1, "awaits": None})
    (entry,) = ask(app, reviewer, "/figures/f1/decisions").get_json()["items"]
    assert (entry["reviewer"], entry["note"], entry["based_on"]) == ("rev1", "by a program", [key])
    late = ask(app, reviewer, "/figures/f1/decisions", "POST", json=a_draft())
    assert late.status_code == 409
    assert "rev1" in problem(late)


def test_a_decision_may_say_its_type(app: Flask, reviewer: str) -> None:
    done = ask(app, reviewer, "/figures/f1/decisions", "POST", json=a_draft(type="subfigures"))
    assert (done.status_code, done.get_json()) == (201, {"version": 1, "awaits": None})


@pytest.mark.parametrize(
    ("address", "sent", "code", "line"),
    [
        ("/figures/f1/decisions", {"json": a_draft(version=-1)}, 422, "version: "),
        ("/figures/f1/decisions", {"json": a_draft(kind=None)}, 422, "unknown field kind"),
        ("/figures/f1/decisions", {"json": a_draft(type="items")}, 422, "unknown field subfigures"),
        ("/figures/f1/decisions", {"json": a_draft(type="boxes")}, 422, "type: invalid value 'boxes'"),
        ("/figures/f1/decisions?revision=9", {"json": a_draft()}, 422, "was replaced"),
        ("/figures/f1/decisions", {"data": b"{}"}, 415, "application/json"),
        ("/figures/f1/decisions", {"data": b'{"note":"\xff"}', "content_type": JSON}, 400, "not UTF-8"),
        ("/figures/nope/decisions", {"json": a_draft()}, 404, 'figure "nope" is not in this campaign'),
    ],
)
def test_a_decision_that_cannot_be_is_refused_in_one_line(
    app: Flask, reviewer: str, address: str, sent: dict[str, object], code: int, line: str
) -> None:
    answer = ask(app, reviewer, address, "POST", **sent)
    assert answer.status_code == code
    assert line in problem(answer)


@pytest.mark.parametrize(
    ("address", "code", "line"),
    [
        ("/figures?limit=0", 422, "limit: "),
        ("/figures?limit=x", 422, "limit: "),
        ("/figures?pages=2", 422, "unknown field pages"),
        ("/figures?q=%00", 422, "q: "),
        ("/figures?after=Zm9v", 422, "send its `next` unchanged"),
        ("/annotations?after=WzFd", 422, "send its `next` unchanged"),
        ("/agreement?phase=nope", 404, 'phase "nope"'),
        ("/tasks?phase=nope", 404, 'phase "nope"'),
        ("/annotations?phase=nope", 404, 'phase "nope"'),
        ("/figures/nope", 404, 'figure "nope"'),
        ("/jobs/7", 404, "there is no job 7"),
        ("/nothing", 404, "openapi.json"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(
    app: Flask, lead: str, address: str, code: int, line: str
) -> None:
    answer = ask(app, lead, address)
    assert answer.status_code == code
    assert line in problem(answer)


def test_a_method_that_an_address_does_not_have_names_those_it_has(app: Flask, lead: str) -> None:
    answer = ask(app, lead, "/figures", "DELETE")
    assert answer.status_code == 405
    assert "GET" in answer.headers["Allow"]
    assert "no such method" in problem(answer)


# -- blindness ----------------------------------------------------------------------------------------------------


@pytest.fixture
def blind(tmp_path) -> Home:
    return blind_home(tmp_path / "blind")


@pytest.mark.parametrize("name", ["rev1", "boss"])
def test_whoever_annotates_blind_reads_nobodys_work(blind: Home, name: str) -> None:
    with blind.open_store() as store:
        app = create_app(blind, store)
        token = tokens.make_token(store, name, "tests")
        for address in ("/gold", "/agreement", "/jobs", *(f"/figures/{each}/annotations" for each in BLIND)):
            assert ask(app, token, address).status_code == 403
        for each in BLIND:
            assert ask(app, token, f"/figures/{each}/decisions").status_code == 403
            assert ask(app, token, f"/figures/{each}/decisions", "POST", json=a_draft()).status_code == 403
            shown = ask(app, token, f"/figures/{each}").text
            assert not [secret for secret in SECRETS if secret in shown]
        assert ask(app, token, "/decisions").get_json() == {"items": [], "next": None}
        listed = ask(app, token, "/annotations")
        assert listed.status_code == (200 if name == "boss" else 403)
        assert {each["figure_id"] for each in listed.get_json().get("items", ())} <= {"plain"}
        tasks = ask(app, token, "/tasks").get_json()["items"]
        assert {each["annotator"] for each in tasks} == ({name} if name == "rev1" else {"rev1", "rev2", "boss"})


def test_what_is_handed_in_is_open_again(blind: Home) -> None:
    with blind.open_store() as store:
        app = create_app(blind, store)
        token = tokens.make_token(store, "rev1", "tests")
        with store.transaction() as tx:
            tx.blind.hand_in("2", "rev1", BLIND, datetime.now(UTC))
        assert ask(app, token, "/agreement").status_code == 200
        assert ask(app, token, "/figures/f1/annotations").status_code == 200
        assert len(ask(app, token, "/decisions").get_json()["items"]) == 3
