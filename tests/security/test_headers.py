"""What every answer says of itself, whichever route it is of."""

from __future__ import annotations

import pytest
from flask import Flask
from web.conftest import SignIn
from web.test_routes import routes

from annotator.web.app.security import HEADERS

CROSS_ORIGIN = ("Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "lead"])
def test_every_answer_names_its_type_and_lets_no_other_site_in(app: Flask, sign_in: SignIn, name: str) -> None:
    for _, address, method in routes(app):
        answer = sign_in(name).open(address, method=method, headers={"Origin": "https://evil.example"})
        kind = answer.headers.get("Content-Type", "")
        assert kind or not answer.data, (method, address)
        if kind.startswith("text/"):
            assert "charset=utf-8" in kind, (method, address, kind)
        for header in CROSS_ORIGIN:
            assert header not in answer.headers, (method, address)
        for header, value in HEADERS.items():
            assert answer.headers[header] == value, (method, address)
        assert "Server" not in answer.headers


@pytest.mark.slow
@pytest.mark.parametrize("method", ["TRACE", "TRACK", "CONNECT", "PROPFIND", "PUT", "DELETE"])
def test_methods_that_no_route_has_are_refused(app: Flask, sign_in: SignIn, method: str) -> None:
    client = sign_in("lead")
    for address in ("/", "/login", "/figures/f1", "/api/figures/f1", "/static/pages.css", "/health"):
        assert client.open(address, method=method).status_code == 405, address


def test_a_preflight_of_another_site_is_answered_without_leave(app: Flask) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = app.test_client().options("/api/figures/f1/decision", headers=asked)
    assert not [header for header in CROSS_ORIGIN if header in answer.headers]
