"""Who gets in where, and what every response carries."""

from __future__ import annotations

import pytest
from flask import Flask
from web.asking import a_draft, post_login, token_of
from web.conftest import SignIn

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.app.security import CONTENT_SECURITY_POLICY
from annotator.web.factory import create_app
from panelwise.domain.campaign import Person, Role

PAGES = ("/", "/agreement", "/figures/f1")
DATA = ("/api/figures/f1", "/figures/f1/image", "/figures/f1/thumbnail")
SAVE = "/api/figures/f1/decision"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rev1", "lead"])
@pytest.mark.parametrize("address", [*PAGES, *DATA])
def test_reviewers_and_leads_get_in(sign_in: SignIn, name: str, address: str) -> None:
    assert sign_in(name).get(address).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("address", [*PAGES[1:], *DATA, "/figures/nope", "/api/figures/nope"])
def test_annotators_get_403_everywhere(sign_in: SignIn, address: str) -> None:
    assert sign_in("ann").get(address).status_code == 403


def test_an_annotator_at_the_campaigns_address_comes_to_their_own_page(sign_in: SignIn) -> None:
    answer = sign_in("ann").get("/")
    assert (answer.status_code, answer.location) == (302, "/account")  # their tasks are in Label Studio


def test_an_annotator_is_told_why_and_can_sign_out(sign_in: SignIn) -> None:
    html = sign_in("ann").get("/agreement").text
    said = "This page is for leads and reviewers, and you are an annotator: your figures are in Label Studio."
    assert said in html
    assert "Sign out" in html


def test_a_reviewer_is_told_which_role_a_page_is_for(sign_in: SignIn) -> None:
    answer = sign_in("rev1").get("/dashboard")
    assert answer.status_code == 403
    assert "This page is for leads, and you are a reviewer." in answer.text
    assert "lead gives roles, under People." in answer.text


@pytest.mark.parametrize("address", PAGES)
def test_strangers_are_sent_to_sign_in_and_come_back(sign_in: SignIn, address: str) -> None:
    stranger = sign_in("")
    answer = stranger.get(address)
    assert answer.status_code == 302
    assert answer.location.startswith("/login")
    html = stranger.get(answer.location).text
    assert f'name="next" value="{address}"' in html


@pytest.mark.parametrize("address", DATA)
def test_strangers_get_401_instead_of_data(sign_in: SignIn, address: str) -> None:
    answer = sign_in("").get(address)
    assert answer.status_code == 401
    if address.startswith("/api"):
        assert set(answer.get_json()) == {"error"}


@pytest.mark.parametrize(("name", "code"), [("", 401), ("ann", 403), ("rev1", 400), ("lead", 400)])
def test_nothing_is_saved_without_the_csrf_token(sign_in: SignIn, store: Store, name: str, code: int) -> None:
    answer = sign_in(name).post(SAVE, json=a_draft())
    assert answer.status_code == code
    assert set(answer.get_json()) == {"error"}
    with store.read() as tx:
        assert tx.decisions.get("f1") is None


def test_a_token_of_another_person_does_not_serve(sign_in: SignIn) -> None:
    token = sign_in("rev2").get("/api/figures/f1").get_json()["csrf"]
    assert sign_in("rev1").post(SAVE, json=a_draft(), headers={"X-CSRFToken": token}).status_code == 400


def test_signing_in_needs_the_csrf_token(sign_in: SignIn) -> None:
    assert sign_in("").post("/login", data={"name": "rev1", "password": "a good password"}).status_code == 400


def test_signing_out_needs_the_csrf_token_and_ends_the_session(sign_in: SignIn) -> None:
    client = sign_in("rev1")
    assert client.post("/logout").status_code == 400
    assert client.get("/").status_code == 200
    client.post("/logout", data={"csrf_token": token_of(client.get("/").text)})
    assert client.get("/").status_code == 302


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    ["/", "/agreement", "/login", "/figures/f1", "/api/figures/f1", "/figures/f1/image", "/health", "/nope",
     "/static/pages.css", "/figures/nope", "/api/figures/nope", "/static/nope"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["", "ann", "rev1"])
def test_security_headers_are_on_every_response(sign_in: SignIn, name: str, address: str) -> None:
    headers = sign_in(name).get(address).headers
    assert headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"]


def test_the_policy_allows_no_inline_script_and_no_framing() -> None:
    policy = dict(part.split(" ", 1) for part in CONTENT_SECURITY_POLICY.split("; "))
    assert policy["script-src"] == "'self'"
    assert policy["style-src"] == "'self'"
    assert policy["style-src-attr"] == "'unsafe-inline'"
    assert policy["img-src"] == "'self' data: blob:"
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"


@pytest.mark.slow
@pytest.mark.parametrize("address", ["/", "/agreement", "/login", "/figures/f1", "/api/figures/f1", "/nope"])
def test_pages_and_api_are_never_stored(sign_in: SignIn, address: str) -> None:
    assert sign_in("rev1").get(address).headers["Cache-Control"] == "no-store"


def test_errors_in_the_code_give_a_page_with_headers_and_no_details(
    app: Flask, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret detail")

    client = sign_in("rev1")
    monkeypatch.setattr("annotator.web.api.figure.figure_state", broken)
    monkeypatch.setattr("annotator.store.queries.work.WorkQueries.of", broken)
    for address in ("/figures/f1", "/api/figures/f1"):
        answer = client.get(address)
        assert answer.status_code == 500
        assert "a secret detail" not in answer.text
        assert "Content-Security-Policy" in answer.headers


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(app: Flask) -> None:
    cookie = post_login(app.test_client(), "rev1", "a good password").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_over_https_cookies_are_secure(home: Home, store: Store) -> None:
    client = create_app(home, store, https=True).test_client()
    answer = client.get("/login", base_url="https://localhost")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "max-age" in answer.headers["Strict-Transport-Security"]


def test_a_new_password_ends_the_session(sign_in: SignIn, store: Store) -> None:
    client = sign_in("rev1")
    people.set_password(store, "rev1", "another good one")
    assert client.get("/").status_code == 302


def test_losing_the_role_or_being_set_inactive_ends_access_at_once(sign_in: SignIn, store: Store) -> None:
    client = sign_in("rev1")
    people.set_roles(store, "rev1", [Role.ANNOTATOR])
    assert client.get("/agreement").status_code == 403
    with store.transaction() as tx:
        tx.people.put(Person("rev1", frozenset({Role.REVIEWER}), active=False))
    assert client.get("/").status_code == 302


def test_a_session_of_another_secret_is_none(sign_in: SignIn, home: Home, store: Store) -> None:
    client = sign_in("rev1")
    cookie = client.get_cookie(client.application.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    (home.path / "secret.key").write_bytes(b"x" * 64)
    other = create_app(home, store)
    stranger = other.test_client()
    stranger.set_cookie(other.config["SESSION_COOKIE_NAME"], cookie.value)
    assert stranger.get("/").status_code == 302


def test_health_is_open_and_tells_nothing_else(sign_in: SignIn) -> None:
    assert sign_in("").get("/health").get_json() == {"status": "ok"}
