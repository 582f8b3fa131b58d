"""Whatever is sent to whichever route, the answer is one that was meant: never a traceback, never a 5xx.

With --soak some 100,000 requests in all; a few for each route otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given, settings
from security.attacks import Request, attack
from security.whole_campaign import BLIND_TASKS, EVERYTHING, whole_home
from web.asking import PASSWORD, post_login, token_of
from web.conftest import CHEAP
from werkzeug.routing import Rule
from werkzeug.test import run_wsgi_app

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
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
    """The app under attack, the sessions of the attackers, and the addresses of blind tasks."""

    rules: list[Rule]
    sessions: dict[str, Session]
    keys: tuple[str, ...]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", CHEAP)
        home: Home = whole_home(tmp_path_factory.mktemp("attacked") / "campaign")
        store = home.open_store()
        app = create_app(home, store)
        # An error of ours is to be seen with its traceback, not as a page.
        app.config["PROPAGATE_EXCEPTIONS"] = True
        keys = TaskKeys(home.secret())
        yield Target(
            list(app.url_map.iter_rules()),
            {name: Session(app, name) for name in ATTACKERS},
            tuple(keys.of(Task(figure, "rev1", "2")) for figure in BLIND_TASKS),
        )
        store.close()


def rules() -> list[str]:
    return sorted(ROUTES)


def check(answer: tuple[int, dict[str, str]], request: Request) -> None:
    """Fail unless it is an answer that was meant."""
    status, headers = answer
    assert 200 <= status < 500, (status, request)
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

        @given(attack(rule, target.keys))
        @settings(
            max_examples=max(4, settings.default.max_examples // 10),
            phases=[Phase.generate],
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def survives(request: Request) -> None:
            check(target.sessions[next(attackers)].send(request), request)

        survives()
