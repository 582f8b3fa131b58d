"""Whatever is sent to whichever route, the answer is one that was meant: never a traceback, never a 5xx.

With --soak some 100,000 requests in all; a few for each route otherwise. PostgreSQL, which answers more slowly, is
sent fewer values to every route, so that it takes less than ten minutes.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given, settings
from postgres_server import postgres_server
from security.attacks import (
    DRAFTS,
    FORM,
    JSON,
    NUMBERS,
    PARAMETERS,
    SOME_NUMBERS,
    SOME_TEXTS,
    TEXTS,
    Hostile,
    Request,
    attack,
    json_bytes,
)
from security.whole_campaign import BLIND_TASKS, EVERYTHING, OWN_TASK, whole_home
from web.asking import PASSWORD, post_login, token_of
from web.conftest import CHEAP
from werkzeug.routing import Rule
from werkzeug.test import run_wsgi_app

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.maintenance.copy import copy_between
from annotator.store.store import Store
from annotator.web.app.access import ROUTES
from annotator.web.app.security import HEADERS
from annotator.web.factory import create_app
from panelwise.domain.campaign import Task

#: Who attacks: somebody with every role, a reviewer who annotates blind, an annotator, and a stranger.
ATTACKERS = (EVERYTHING, "rev1", "ann", "")


@dataclass
class Session:
    """A client of the app, which signs in again where an attack signed it out."""

    app: Flask
    name: str
    cookie: str = ""
    seal: str = ""

    def send(self, request: Request) -> tuple[int, dict[str, str]]:
        """Status and headers of the answer."""
        if not self.seal:
            self.begin()
        body, status, headers = run_wsgi_app(
            self.app.wsgi_app, request.environ(self.cookie, self.seal), buffered=True
        )
        b"".join(body)
        if request.path in (b"/logout", b"/account/password") or request.path.startswith(b"/welcome"):
            self.seal = ""
        return int(status.split()[0]), dict(headers)

    def begin(self) -> None:
        """Sign in, and take the seal of a page."""
        client: FlaskClient = self.app.test_client()
        if self.name:
            assert post_login(client, self.name, PASSWORD).status_code == 302
        found = client.get_cookie(self.app.config["SESSION_COOKIE_NAME"])
        self.cookie = f"{found.key}={found.value}" if found else ""
        self.seal = token_of(client.get("/nothing-here" if self.name else "/login").text)
        if not self.name:
            found = client.get_cookie(self.app.config["SESSION_COOKIE_NAME"])
            assert found is not None
            self.cookie = f"{found.key}={found.value}"


@dataclass
class Target:
    """The app under attack, the sessions of the attackers, and the addresses of blind tasks.

    thorough: whether to send all hostile values; most examples: of random requests to a route.
    """

    rules: list[Rule]
    sessions: dict[str, Session]
    keys: Mapping[str, tuple[str, ...]]
    thorough: bool
    most_examples: int


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.live, pytest.mark.soak])]
)
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(people, "_hasher", CHEAP)
        home: Home = whole_home(tmp_path_factory.mktemp("attacked") / "campaign")
        store = home.open_store()
        if request.param == "postgresql":
            store.close()
            server = stack.enter_context(postgres_server())
            server.run("CREATE DATABASE attacked")
            for _ in copy_between(home.path / "store.sqlite", server.url("attacked")):
                pass
            store = Store.open(server.url("attacked"))
        app = create_app(home, store)
        # An error of ours is to be seen with its traceback, not as a page.
        app.config["PROPAGATE_EXCEPTIONS"] = True
        keys = TaskKeys(home.secret())
        yield Target(
            list(app.url_map.iter_rules()),
            {name: Session(app, name) for name in ATTACKERS},
            {
                "rev1": tuple(keys.of(Task(figure, "rev1", "2")) for figure in BLIND_TASKS),
                EVERYTHING: (keys.of(OWN_TASK),),
            },
            thorough=request.config.getoption("--soak") and request.param == "sqlite",
            most_examples=50 if request.param == "postgresql" else settings.default.max_examples // 10,
        )
        store.close()


def rules() -> list[str]:
    return sorted(ROUTES)


def shown(request: Request) -> str:
    return repr(request)[:1000]


def check(answer: tuple[int, dict[str, str]], request: Request) -> None:
    """Fail unless it is an answer that was meant."""
    status, headers = answer
    assert 200 <= status < 500, (status, shown(request))
    for name in HEADERS:
        assert name in headers, (name, request)
    assert "\n" not in headers.get("Location", "")
    assert not headers.get("Location", "").startswith(("//", "http:")), (headers["Location"], request)


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", rules())
def test_no_request_makes_the_server_fall_over(target: Target, endpoint: str) -> None:
    own = [rule for rule in target.rules if rule.endpoint == endpoint]
    attackers = itertools.cycle(ATTACKERS[:2] * 3 + ATTACKERS)
    for rule in own:

        @given(attack(rule, tuple(itertools.chain(*target.keys.values()))))
        @settings(
            max_examples=max(4, target.most_examples),
            phases=[Phase.generate],
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def survives(request: Request) -> None:
            check(target.sessions[next(attackers)].send(request), request)

        survives()


def parameters_of(app: Flask, endpoint: str) -> list[str]:
    """The names that the route's module reads from the address or a form, by its source."""
    view = inspect.unwrap(app.view_functions[endpoint])
    module = inspect.getmodule(view)
    source = inspect.getsource(module) if module is not None else ""
    names = {name for name in PARAMETERS if f'"{name}"' in source}
    if "queue_part" in source or endpoint == "queue.show":
        names |= {"gold", "predicted", "phase", "loss", "annotator", "q", "status", "reviewer", "show", "second"}
    if endpoint.startswith("v1."):
        names |= {"q", "after", "limit", "phase", "annotator", "revision", "names"}
    return sorted(names | set(re.findall(r'request\.(?:args|form)(?:\.get(?:list)?\(|\[)"(\w+)"', source)))


def hostile_requests(hostile: Hostile, app: Flask, rule: Rule, keys: tuple[str, ...]) -> Iterator[Request]:
    """Requests to a route, each with one hostile value: in its path, its query, its form or its JSON."""
    known, *spoilt = hostile.in_path(rule, keys)
    pairs = list(hostile.in_pairs(parameters_of(app, rule.endpoint)))
    draft = DRAFTS.get(rule.endpoint)
    kind = {"Content-Type": FORM if draft is None else JSON}
    for method in sorted((rule.methods or set()) - {"OPTIONS", "HEAD"}):
        sound = b"" if draft is None or method == "GET" else json_bytes(draft)
        yield from (Request(method, path, b"", sound, kind) for path in spoilt)
        # A server takes no longer head.
        yield from (Request(method, known, pair[:60_000], sound, kind) for pair in pairs)
        if method == "GET":
            continue
        bodies = pairs if draft is None else map(json_bytes, hostile.in_draft(draft))
        yield from (Request(method, known, b"", body, kind) for body in bodies)


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", rules())
def test_no_hostile_value_in_any_place_of_any_route_is_an_error_of_the_server(
    target: Target, endpoint: str
) -> None:
    every = target.thorough
    hostile = Hostile(NUMBERS, TEXTS) if every else Hostile(SOME_NUMBERS, SOME_TEXTS)
    for name in (EVERYTHING, "rev1") if every else (EVERYTHING,):
        session = target.sessions[name]
        for rule in (rule for rule in target.rules if rule.endpoint == endpoint):
            for sent in hostile_requests(hostile, session.app, rule, target.keys[name]):
                check(session.send(sent), sent)
