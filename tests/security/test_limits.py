"""How often somebody may do something, and how much they may send."""

from __future__ import annotations

import dataclasses
import socket
import time

import pytest
from flask import Flask
from flask.testing import FlaskClient
from web.asking import PASSWORD, a_draft, post_login, token_of
from web.conftest import SignIn

from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.factory import MAX_REQUEST, create_app
from annotator.web.server import MOST_BODY, AdjudicationServer
from panelwise.settings.file_tables import ViewSettings

SAVE = "/api/figures/f1/findings"


def limited(home: Home, store: Store, per_minute: int) -> Flask:
    settings = dataclasses.replace(home.settings, view=ViewSettings(writes_per_minute=per_minute))
    return create_app(dataclasses.replace(home, settings=settings), store)


def signed(app: Flask, name: str) -> tuple[FlaskClient, dict[str, str]]:
    client = app.test_client()
    post_login(client, name, PASSWORD)
    return client, {"X-CSRFToken": token_of(client.get("/account").text)}


def test_whoever_saves_faster_than_people_can_is_held_off_and_others_are_not(home: Home, store: Store) -> None:
    app = limited(home, store, 5)
    (client, seal), (other, its_seal) = signed(app, "rev1"), signed(app, "rev2")
    codes = [client.post(SAVE, json=a_draft(), headers=seal).status_code for _ in range(7)]
    assert codes == [200] * 5 + [429] * 2
    answer = client.post(SAVE, json=a_draft(), headers=seal)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert "wait" in answer.get_json()["error"]
    assert client.get("/").status_code == 200
    assert other.post(SAVE, json=a_draft(), headers=its_seal).status_code == 200


def test_after_a_minute_it_goes_on(home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    client, seal = signed(limited(home, store, 1), "rev1")
    assert client.post(SAVE, json=a_draft(), headers=seal).status_code == 200
    assert client.post(SAVE, json=a_draft(), headers=seal).status_code == 429
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 61)
    assert client.post(SAVE, json=a_draft(), headers=seal).status_code == 200


def test_a_page_says_it_in_words(home: Home, store: Store) -> None:
    client, seal = signed(limited(home, store, 1), "rev1")
    client.post(SAVE, json=a_draft(), headers=seal)
    answer = client.post("/skipped/back", headers=seal)
    assert answer.status_code == 429
    assert "Too many requests" in answer.text


def test_a_campaign_may_do_without_the_limit(home: Home, store: Store) -> None:
    client, seal = signed(limited(home, store, 0), "rev1")
    assert {client.post(SAVE, json=a_draft(), headers=seal).status_code for _ in range(30)} == {200}


def test_trying_out_links_is_held_off_and_signing_in_is_not(app: Flask) -> None:
    client = app.test_client()
    codes = [client.get(f"/welcome/guess{number}").status_code for number in range(32)]
    assert codes == [404] * 30 + [429] * 2
    answer = client.get("/welcome/one-more")
    assert int(answer.headers["Retry-After"]) >= 1
    assert "Too many invalid links" in answer.text
    assert post_login(client, "rev1", PASSWORD).status_code == 302


def test_more_than_a_megabyte_is_refused_in_words(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    seal = {"X-CSRFToken": token_of(client.get("/account").text)}
    answer = client.post(SAVE, json=a_draft(note="x" * MAX_REQUEST), headers=seal)
    assert answer.status_code == 413
    assert "too large" in answer.get_json()["error"]


@pytest.mark.slow
def test_a_form_of_endless_parts_is_refused(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    seal = {"X-CSRFToken": token_of(client.get("/account").text)}
    part = b'--x\r\nContent-Disposition: form-data; name="figure"\r\n\r\nf1\r\n'
    answer = client.post(
        "/agreed/", data=part * 1100 + b"--x--", headers=seal, content_type="multipart/form-data; boundary=x"
    )
    assert answer.status_code == 413


def test_no_page_takes_files_and_none_is_kept(sign_in: SignIn) -> None:
    client = sign_in("lead")
    seal = {"X-CSRFToken": token_of(client.get("/account").text)}
    part = b'--x\r\nContent-Disposition: form-data; name="figure"; filename="a.png"\r\n\r\nf1\r\n--x--'
    answer = client.post("/agreed/", data=part, headers=seal, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 400
    for address in ("/", "/account", "/agreed/", "/figures/f1", "/dashboard"):
        assert 'type="file"' not in client.get(address).text, address


def ask(server: AdjudicationServer, sent: bytes) -> bytes:
    with socket.create_connection((server.host, server.port), timeout=300) as connection:
        connection.sendall(sent)
        return connection.recv(65_536)


def test_what_no_form_of_ours_can_be_is_not_even_taken_in(home: Home, store: Store) -> None:
    with AdjudicationServer(home, store) as server:
        head = b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (MOST_BODY + 1)
        assert b" 413 " in ask(server, head).splitlines()[0]
        long = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n"
        assert b" 431 " in ask(server, long).splitlines()[0]
