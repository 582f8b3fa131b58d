"""What is shown when something fails."""

from __future__ import annotations

import errno
from contextlib import contextmanager

import pytest
from flask import Flask
from flask.testing import FlaskClient
from web.conftest import SignIn

from annotator.store.store import Store
from panelwise.domain.errors import Conflict, InvalidAnnotation, StoreError


def test_a_store_that_does_not_answer_is_told_without_details(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def broken(_self: Store):
        raise StoreError("store.sqlite: database is locked; try again")
        yield

    monkeypatch.setattr(Store, "read", broken)
    assert client.get("/health").status_code == 200
    assert client.get("/ready").status_code == 503
    page = client.get("/")
    assert page.status_code == 503
    assert "store does not answer" in page.text
    assert "store.sqlite" not in page.text
    answer = client.get("/api/figures/f1")
    assert answer.status_code == 503
    assert set(answer.get_json()) == {"error"}


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (Conflict("rev2 was faster; load the page again"), 409, "Load the page again."),
        (InvalidAnnotation("box is inverted; draw it again"), 422, "Draw it again."),
        (OSError(errno.ENOSPC, "No space left on device", "/srv/secret"), 507, "Make room, then try again."),
        (OSError(errno.EIO, "Input/output error", "/srv/secret"), 500, "Saved work is not lost"),
    ],
)
def test_errors_of_the_domain_have_a_page(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, shown: str
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr("annotator.store.queries.work.WorkQueries.of", failing)
    answer = client.get("/figures/f1")
    assert answer.status_code == code
    assert shown in answer.text
    assert "/srv/secret" not in answer.text


@pytest.mark.parametrize(("address", "method", "code"), [("/", "POST", 405), ("/login", "DELETE", 405)])
def test_a_method_that_is_not_there_is_told(client: FlaskClient, address: str, method: str, code: int) -> None:
    assert client.open(address, method=method).status_code in (400, code)


@pytest.mark.parametrize("host", ["a" * 64, "a..b", "."], ids=["long", "empty part", "dot"])
@pytest.mark.parametrize("address", ["/", "/login", "/figures/f1", "/nothing-here", "/api/figures/f1"])
def test_a_host_that_is_no_name_is_refused_not_a_fault(app: Flask, host: str, address: str) -> None:
    answer = app.test_client().get(address, environ_overrides={"HTTP_HOST": host})
    assert (answer.status_code, answer.text) == (400, "The Host header is not a server name.\n")


def test_the_api_answers_unknown_addresses_in_json(client: FlaskClient) -> None:
    answer = client.get("/api/nothing")
    assert answer.status_code == 404
    assert answer.get_json()["error"].startswith("page not found; ")


@pytest.mark.parametrize(
    ("name", "address", "back"),
    [
        ("", "/help/nope.md", "/help/"),
        ("", "/welcome/used", "/login"),
        ("lead", "/help/nope.md", "/help/"),
        ("lead", "/campaign/jobs/99", "/campaign/jobs"),
        ("lead", "/campaign/figures/none", "/campaign/figures"),
        ("lead", "/feedback?annotator=nobody", "/feedback"),
        ("rev1", "/agreement?phase=none", "/agreement"),
        ("rev1", "/?gold=a", "/agreement"),
        ("rev1", "/figures/none", "/"),
        ("rev1", "/blind/none", "/blind"),
        ("ann", "/tasks/none", "/tasks"),
        ("ann", "/nothing", "/account"),
    ],
)
def test_a_page_that_is_not_there_leads_back(
    app: Flask, sign_in: SignIn, name: str, address: str, back: str
) -> None:
    answer = (sign_in(name) if name else app.test_client()).get(address)
    assert answer.status_code == 404
    actions = answer.text.partition('<p class="actions">')[2].partition("</p>")[0]
    assert f'href="{back}"' in actions
    assert 'href="/campaign' not in actions or name == "lead"
