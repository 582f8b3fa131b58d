"""Every route of the app, asked by every role and by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from web.asking import PASSWORD, token_of
from web.conftest import SignIn

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.store.store import Store
from annotator.web.app.access import ROUTES, access
from panelwise.domain.campaign import Role

UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
#: Name -> roles: each role alone, none at all, and two at once.
HOLDERS = {
    "rev1": {Role.REVIEWER},
    "lead": {Role.LEAD},
    "ann": {Role.ANNOTATOR},
    "none": set(),
    "both": {Role.ANNOTATOR, Role.REVIEWER},
}
#: What stands for a route's variable part, by its name.
PARTS = {"figure_id": "f1", "typed": "a/b", "filename": "pages.css"}


@pytest.fixture
def home(home: Home) -> Home:
    """With feedback open to annotators: that it may be closed is another matter than roles."""
    file = home.path / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8") + "\n[view]\nfeedback = true\n", encoding="utf-8")
    return Home.find(home.path)


@pytest.fixture(autouse=True)
def _holders(store: Store) -> None:
    accounts.add_person(store, "none", roles=[], password=PASSWORD)
    accounts.add_person(store, "both", roles=HOLDERS["both"], password=PASSWORD)


def address_of(rule: str) -> str:
    return re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", lambda found: PARTS.get(found[1], "1"), rule)


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Endpoint, address and method of all there are."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
            yield rule.endpoint, address_of(rule.rule), method


def csrf_of(client: FlaskClient) -> str:
    """A token of this person's session: every page with a header carries one, errors too."""
    return token_of(client.get("/nothing-here").text)


def test_every_route_is_in_the_table_and_nothing_else(app: Flask) -> None:
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == set(ROUTES)


def test_a_route_that_is_not_in_the_table_is_closed_to_annotators() -> None:
    assert access("made.up").roles == {Role.REVIEWER, Role.LEAD}


def test_what_is_open_to_everyone_is_this_and_no_more() -> None:
    public = {endpoint for endpoint, each in ROUTES.items() if each.roles is None}
    assert public == {
        *("static", "health.show", "health.ready", "metrics.show", "login.sign_in", "login.submit"),
        *("login.sign_out", "account.welcome", "account.accept", "help.show", "help.image", "help.schema"),
    }


def test_a_stranger_gets_into_nothing_that_is_not_public(app: Flask, sign_in: SignIn) -> None:
    stranger = sign_in("")
    for endpoint, address, method in routes(app):
        answer = stranger.open(address, method=method)
        wanted = access(endpoint)
        if wanted.roles is None:
            assert answer.status_code not in (401, 403), (method, address)
        elif wanted.page and method == "GET":
            assert answer.status_code == 302, (method, address)
            assert answer.location.startswith("/login"), (method, address)
        else:
            assert answer.status_code == 401, (method, address)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDERS)
def test_each_role_gets_into_what_the_table_says_and_nothing_else(app: Flask, sign_in: SignIn, name: str) -> None:
    for endpoint, address, method in routes(app):
        # A new client each: some routes end the session.
        client = sign_in(name)
        # With the seal, so that it is the role that is asked for.
        headers = {"X-CSRFToken": csrf_of(client)} if method in UNSAFE else {}
        code = client.open(address, method=method, headers=headers).status_code
        wanted = access(endpoint).roles
        if endpoint == "login.submit":
            assert code == 401  # nothing was typed
        elif wanted is None or wanted & HOLDERS[name]:
            assert code not in (401, 403), (method, address, code)
        elif address == "/" and HOLDERS[name]:
            assert code == 302  # to the first page that is open to them
        else:
            assert code == 403, (method, address, code)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", *HOLDERS])
def test_nothing_unsafe_goes_without_the_seal(app: Flask, sign_in: SignIn, name: str) -> None:
    client = sign_in(name)
    asked = 0
    for endpoint, address, method in routes(app):
        if method in UNSAFE:
            asked += 1
            code = client.open(address, method=method).status_code
            wanted = access(endpoint).roles
            allowed = wanted is None or bool(wanted & HOLDERS.get(name, set()))
            assert code == (400 if allowed else 403 if name else 401), (method, address, code)
    assert asked >= 3


@pytest.mark.slow
def test_the_seal_of_one_person_does_not_serve_another(app: Flask, sign_in: SignIn) -> None:
    foreign = csrf_of(sign_in("rev2"))
    client = sign_in("lead")
    for _, address, method in routes(app):
        if method in UNSAFE:
            headers = {"X-CSRFToken": foreign}
            assert client.open(address, method=method, headers=headers).status_code == 400, address


@pytest.mark.slow
def test_a_safe_method_changes_nothing(app: Flask, sign_in: SignIn, store: Store) -> None:
    client = sign_in("lead")
    with store.read() as tx:
        before = (tx.annotations.mark(), tx.decisions.count(), tx.decisions.last_version("f1"), tx.people.all())
    for _, address, method in routes(app):
        if method == "GET":
            client.get(address)
    with store.read() as tx:
        assert (
            tx.annotations.mark(),
            tx.decisions.count(),
            tx.decisions.last_version("f1"),
            tx.people.all(),
        ) == before
