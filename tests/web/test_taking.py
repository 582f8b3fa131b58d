"""Skipping a figure, and telling who is on one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from builders import NOON
from flask.testing import FlaskClient
from web.asking import save, token_of
from web.conftest import SignIn
from web.test_queue_filter import listed

from annotator.queue import presence
from annotator.store.store import Store


def post(client: FlaskClient, address: str, figure: str = "f1") -> object:
    csrf = client.get(f"/api/figures/{figure}").get_json()["csrf"]
    answer = client.post(address, headers={"X-CSRFToken": csrf})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


@pytest.mark.slow
def test_a_skipped_figure_comes_last_for_whoever_did_and_stays_open(sign_in: SignIn) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    assert post(mine, "/api/figures/f1/skip") == {"next_url": "/figures/f2"}
    assert 'id="start" href="/figures/f1"' in theirs.get("/").text
    assert mine.get("/api/figures/f1").get_json()["skipped"] is True
    html = mine.get("/").text
    assert listed(html) == ["f1", "f2"]
    assert "Skipped by you" in html
    assert 'id="start" href="/figures/f2"' in html
    assert save(mine, figure="f2").get_json()["next_url"] == "/figures/f1"
    assert listed(mine.get("/?skipped=yes").text) == ["f1"]
    assert listed(theirs.get("/?skipped=yes").text) == []


def test_what_was_skipped_comes_back_in_that_order_or_all_at_once(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    assert post(client, "/api/figures/f2/skip") == {"next_url": "/figures/f1"}
    assert post(client, "/api/figures/f1/skip") == {"next_url": "/figures/f2"}
    html = client.get("/").text
    assert "You skipped 2 figures" in html
    assert 'id="start" href="/figures/f2"' in html
    answer = client.post("/skipped/back", data={"csrf_token": token_of(html)})
    assert (answer.status_code, answer.location) == (303, "/")
    assert 'id="start" href="/figures/f1"' in client.get("/").text


def test_a_decision_ends_that_a_figure_is_skipped(sign_in: SignIn, store: Store) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    post(mine, "/api/figures/f1/skip")
    save(theirs, figure="f1")
    with store.read() as tx:
        assert tx.presence.skipped("rev1") == {}


@pytest.mark.slow
def test_reviewers_are_told_who_else_is_on_a_figure_and_are_sent_to_another(sign_in: SignIn) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    assert post(theirs, "/api/figures/f1/lease") == {"others": [], "seconds": 180}
    found = post(mine, "/api/figures/f1/lease")
    assert isinstance(found, dict)
    assert [each["reviewer"] for each in found["others"]] == ["rev2"]
    assert [each["reviewer"] for each in mine.get("/api/figures/f1").get_json()["others"]] == ["rev2"]
    html = mine.get("/").text
    assert "rev2 is working on it" in html
    assert 'id="start" href="/figures/f2"' in html
    # Advice: the figure can be settled all the same, and the last one left is offered even so.
    save(mine, figure="f2")
    assert 'id="start" href="/figures/f1"' in mine.get("/").text
    assert save(mine, figure="f1").status_code == 200


def test_a_lease_ends_by_itself_by_leaving_and_by_looking_at_another(sign_in: SignIn, store: Store) -> None:
    mine, theirs = sign_in("rev1"), sign_in("rev2")
    post(theirs, "/api/figures/f1/lease")
    post(theirs, "/api/figures/f2/lease", figure="f2")
    assert mine.get("/api/figures/f1").get_json()["others"] == []
    csrf = {"X-CSRFToken": theirs.get("/api/figures/f2").get_json()["csrf"]}
    theirs.post("/api/figures/f1/lease", json={"done": True}, headers=csrf)
    assert mine.get("/api/figures/f2").get_json()["others"] != []
    theirs.post("/api/figures/f2/lease", json={"done": True}, headers=csrf)
    assert mine.get("/api/figures/f2").get_json()["others"] == []
    presence.look_at(store, "f1", "rev2", now=datetime.now(UTC) - presence.LEASE)
    assert mine.get("/api/figures/f1").get_json()["others"] == []


def test_a_lease_is_renewed_and_runs_from_then(store: Store) -> None:
    presence.look_at(store, "f1", "rev1", now=NOON)
    presence.look_at(store, "f1", "rev1", now=NOON + timedelta(minutes=2))
    assert presence.look_at(store, "f1", "rev2", now=NOON + timedelta(minutes=4))
    assert not presence.look_at(store, "f1", "rev2", now=NOON + timedelta(minutes=5))


def test_who_opens_a_figure_is_on_it(sign_in: SignIn) -> None:
    sign_in("rev2").get("/api/figures/f1")
    assert "rev2 is working on it" in sign_in("rev1").get("/").text


@pytest.mark.parametrize("address", ["/api/figures/f1/lease", "/api/figures/f1/skip", "/skipped/back"])
def test_nothing_is_kept_without_the_seal_and_for_strangers(sign_in: SignIn, address: str) -> None:
    assert sign_in("rev1").post(address).status_code == 400
    assert sign_in("").post(address).status_code == 401


def test_a_figure_that_is_not_there_is_told(client: FlaskClient) -> None:
    csrf = client.get("/api/figures/f1").get_json()["csrf"]
    for what in ("lease", "skip"):
        assert client.post(f"/api/figures/nope/{what}", headers={"X-CSRFToken": csrf}).status_code == 404
