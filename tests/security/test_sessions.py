"""A session begins with the password, belongs to one person, and ends when it should."""

from __future__ import annotations

import time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from web.asking import PASSWORD, post_login, token_of
from web.conftest import SignIn

from annotator.accounts import sign_in as signing_in
from annotator.campaign.home import Home
from annotator.store.rows.records import Outcome
from annotator.store.store import Store
from annotator.web.factory import create_app


def cookie_of(client: FlaskClient) -> str:
    found = client.get_cookie(client.application.config["SESSION_COOKIE_NAME"])
    assert found is not None
    return found.value


def with_cookie(app: Flask, value: str) -> FlaskClient:
    client = app.test_client()
    client.set_cookie(app.config["SESSION_COOKIE_NAME"], value)
    return client


def sign_out(client: FlaskClient) -> None:
    assert client.post("/logout", data={"csrf_token": token_of(client.get("/").text)}).status_code == 302


def test_a_copied_cookie_is_worth_nothing_after_signing_out(app: Flask, sign_in: SignIn) -> None:
    client = sign_in("rev1")
    thief = with_cookie(app, cookie_of(client))
    assert thief.get("/").status_code == 200
    sign_out(client)
    assert thief.get("/").status_code == 302
    assert thief.get("/api/figures/f1").status_code == 401


def test_signing_out_ends_ones_own_sessions_and_nobody_elses(sign_in: SignIn) -> None:
    here, there, other = sign_in("rev1"), sign_in("rev1"), sign_in("rev2")
    sign_out(here)
    assert there.get("/").status_code == 302
    assert other.get("/").status_code == 200
    assert sign_in("rev1").get("/").status_code == 200


def test_a_clock_that_jumps_back_keeps_nobody_out(
    app: Flask, store: Store, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_out(sign_in("rev1"))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 86_400)
    assert sign_in("rev1").get("/").status_code == 200


def test_a_cookie_of_before_signing_in_is_not_that_of_the_session(app: Flask) -> None:
    client = app.test_client()
    client.get("/login")
    before = cookie_of(client)
    planted = with_cookie(app, before)
    assert post_login(client, "rev1", PASSWORD).status_code == 302
    assert cookie_of(client) != before
    assert planted.get("/").status_code == 302


def test_what_an_older_session_held_is_dropped(app: Flask) -> None:
    client = app.test_client()
    with client.session_transaction() as session:
        session["planted"] = "by somebody else"
    post_login(client, "rev1", PASSWORD)
    with client.session_transaction() as session:
        assert "planted" not in session
        assert "begun" in session


@pytest.mark.parametrize("entry", [None, "0", True, 1.5, []])
def test_a_session_that_does_not_say_where_it_began_is_none(sign_in: SignIn, entry: object) -> None:
    client = sign_in("rev1")
    with client.session_transaction() as session:
        session["entry"] = entry
    assert client.get("/").status_code == 302


def test_a_cookie_changed_in_one_letter_is_none(app: Flask, sign_in: SignIn) -> None:
    value = cookie_of(sign_in("rev1"))
    for place in range(0, len(value) - 1, 7):
        letter = "A" if value[place] != "A" else "B"
        changed = f"{value[:place]}{letter}{value[place + 1 :]}"
        assert with_cookie(app, changed).get("/").status_code == 302, place


def test_over_https_the_cookie_is_bound_to_its_host(home: Home, store: Store) -> None:
    app = create_app(home, store, https=True)
    header = app.test_client().get("/login", base_url="https://localhost").headers["Set-Cookie"]
    assert header.startswith("__Host-")
    assert "Secure" in header
    assert "Path=/" in header
    assert "Domain" not in header


def test_every_sign_in_and_sign_out_is_in_the_audit(store: Store, sign_in: SignIn) -> None:
    client = sign_in("rev1")
    sign_out(client)
    post_login(client, "rev1", "wrong")
    told = [entry.outcome for entry in signing_in.sign_in_log(store, name="rev1")]
    assert told == [Outcome.WRONG_PASSWORD, Outcome.SIGNED_OUT, Outcome.SIGNED_IN, Outcome.ADDED]
