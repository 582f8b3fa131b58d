from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from web.asking import PASSWORD, a_draft, post_login
from web.conftest import SignIn
from werkzeug.test import TestResponse

from annotator.accounts import sign_in as signing_in
from annotator.store.store import Store
from annotator.web.app.urls import safe_next
from panelwise.domain.campaign import Person


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(app: Flask) -> None:
    wrong = post_login(app.test_client(), "rev1", "not the password")
    unknown = post_login(app.test_client(), "nobody", "not the password")
    assert wrong.status_code == unknown.status_code == 401
    assert "Wrong name or password" in wrong.text
    assert "Wrong name or password" in unknown.text


def test_failures_are_throttled_by_name_and_address(app: Flask) -> None:
    client = app.test_client()
    codes = [post_login(client, "rev1", "wrong").status_code for _ in range(12)]
    assert codes == [401] * 10 + [429] * 2
    assert post_login(client, "rev1", PASSWORD).status_code == 429
    assert "Too many failed attempts" in post_login(client, "REV1 ", PASSWORD).text
    assert post_login(client, "rev2", PASSWORD).status_code == 302


def test_failures_at_the_same_time_are_throttled_like_one_after_the_other(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = threading.Event()
    heard: list[str] = []
    attempt = signing_in.attempt

    def slow_attempt(store: Store, name: str, password: str, address: str) -> Person | None:
        heard.append(password)
        known.wait(300)
        return attempt(store, name, password, address)

    monkeypatch.setattr(signing_in, "attempt", slow_attempt)
    with ThreadPoolExecutor(24) as pool:
        answers = [pool.submit(post_login, app.test_client(), "rev1", f"wrong {n}") for n in range(24)]
        until = time.monotonic() + 300
        while len(heard) + sum(answer.done() for answer in answers) < 24 and time.monotonic() < until:
            time.sleep(0.01)
        known.set()
        codes = sorted(answer.result().status_code for answer in answers)
    assert codes == [401] * 10 + [429] * 14
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 429


def test_an_attempt_that_was_refused_for_others_in_progress_may_come_back_in_a_second(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[TestResponse] = []
    attempt = signing_in.attempt

    def nested(store: Store, name: str, password: str, address: str) -> Person | None:
        inside.append(post_login(app.test_client(), "rev1", PASSWORD))
        return attempt(store, name, password, address)

    for _ in range(9):
        post_login(app.test_client(), "rev1", "wrong")
    monkeypatch.setattr(signing_in, "attempt", nested)
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 302
    (refused,) = inside
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    monkeypatch.undo()
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 302


def test_signing_in_rightly_is_never_throttled(app: Flask) -> None:
    for _ in range(15):
        assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 302


def test_throttles_of_two_servers_are_apart(app: Flask, sign_in: SignIn) -> None:
    for _ in range(11):
        post_login(app.test_client(), "lead", "wrong")
    assert post_login(app.test_client(), "rev1", PASSWORD).status_code == 302


def test_after_signing_in_one_lands_where_one_wanted_to_go(app: Flask) -> None:
    answer = post_login(app.test_client(), "rev1", PASSWORD, next="/figures/f1?x=1")
    assert answer.location == "/figures/f1?x=1"


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)",
     "/\t/evil.example", "///evil.example", "/\n/evil.example", "evil.example", "http:/evil.example", ""],
)  # fmt: skip
def test_nobody_is_sent_to_another_site(app: Flask, target: str) -> None:
    assert post_login(app.test_client(), "rev1", PASSWORD, next=target).location == "/"
    assert safe_next(target, "/") == "/"


@given(st.text(max_size=20))
def test_whatever_is_asked_for_stays_on_this_server(target: str) -> None:
    kept = safe_next(target, "/")
    assert kept.startswith("/")
    assert not kept.startswith(("//", "/\\"))


def test_whoever_is_signed_in_skips_the_form(sign_in: SignIn) -> None:
    assert sign_in("rev1").get("/login?next=/figures/f1").location == "/figures/f1"


def test_what_was_typed_as_a_name_is_shown_as_text(app: Flask) -> None:
    html = post_login(app.test_client(), '"><script>alert(1)</script>', "wrong").text
    assert "<script>alert" not in html


def test_an_open_screen_can_save_after_signing_in_again(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    token = client.get("/api/figures/f1").get_json()["csrf"]
    client.delete_cookie(client.application.config["SESSION_COOKIE_NAME"])
    save = {"json": a_draft(), "headers": {"X-CSRFToken": token}}
    assert client.post("/api/figures/f1/decision", **save).status_code == 401
    post_login(client, "rev1", PASSWORD)
    assert client.post("/api/figures/f1/decision", **save).status_code == 200
