"""A campaign on disk, its app, and clients signed in as different people."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from builders import a_figure, a_subfigure, an_annotation
from compiled_once import compiled_once
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image
from web.asking import ANNOTATORS, PASSWORD, post_login

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from annotator.web.factory import create_app
from panelwise.domain.campaign import Role

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PEOPLE = {"rev1": Role.REVIEWER, "rev2": Role.REVIEWER, "lead": Role.LEAD, "ann": Role.ANNOTATOR}

SignIn = Callable[[str], FlaskClient]


class Client(FlaskClient):
    """Reads every answer to its end, so that files sent are closed."""

    def open(self, *arguments, buffered: bool = True, **more):
        return super().open(*arguments, buffered=buffered, **more)


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "_hasher", CHEAP)


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    with compiled_once():
        yield


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """f1: three annotators who differ in a token; f2: two who agree; people of each role. To be copied."""
    home = Home.create(tmp_path_factory.mktemp("web") / "campaign", name="Lungs")
    for name in ("f1", "f2"):
        Image.new("RGB", (800, 600), "white").save(home.images / f"{name}.png")
    store = home.open_store()
    first, second = a_figure("f1", references=("See Fig 1.",)), a_figure("f2")
    with store.transaction() as tx:
        tx.figures.add(first)
        tx.figures.add(second)
        for number, name in enumerate(ANNOTATORS):
            tokens = (4, 6, 7) if number else (4, 6)
            right = a_subfigure("B", box=(400, 0, 800, 600), tokens=(10, 12, 13))
            tx.annotations.add(
                an_annotation(first, annotator=name, subfigures=(a_subfigure(tokens=tokens), right))
            )
        for name in ANNOTATORS[:2]:
            tx.annotations.add(an_annotation(second, annotator=name))
    score_disagreement(store, home.campaign)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounts, "_hasher", CHEAP)
        for name, role in PEOPLE.items():
            accounts.add_person(store, name, roles=[role], password=PASSWORD)
    store.close()
    return home.path


@pytest.fixture
def home(campaign: Path, tmp_path: Path) -> Home:
    shutil.copytree(campaign, tmp_path / "campaign")
    return Home.find(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    yield store
    store.close()


@pytest.fixture
def app(home: Home, store: Store) -> Flask:
    app = create_app(home, store)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.test_client_class = Client
    return app


@pytest.fixture
def sign_in(app: Flask) -> SignIn:
    """A client signed in under a name; "" for nobody."""

    def signed(name: str) -> FlaskClient:
        client = app.test_client()
        if name:
            answer = post_login(client, name, PASSWORD)
            assert answer.status_code == 302
        return client

    return signed


@pytest.fixture
def client(sign_in: SignIn) -> FlaskClient:
    """A client signed in as a reviewer."""
    return sign_in("rev1")
