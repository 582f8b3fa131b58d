from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from builders import a_figure, a_subfigure, an_annotation
from reliability.saving import FIGURES, Server
from store.conftest import BACKENDS, postgres
from store.conftest import Server as PostgresServer
from web.asking import PASSWORD

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from panelwise.domain.campaign import Campaign, Phase, Role
from panelwise.settings.campaign_toml import campaign_text
from panelwise.settings.edit_toml import with_store_url

__all__ = ["postgres"]

NAMES = [f"rev{number}" for number in range(8)]


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three figures on which two annotators differ, and eight reviewers."""
    return make_campaign(tmp_path / "campaign", monkeypatch)


def make_campaign(folder: Path, monkeypatch: pytest.MonkeyPatch, store_url: str = "") -> Path:
    """store_url: an empty database for its store; "" for a file of the home."""
    monkeypatch.setattr(people, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    settings = campaign_text(Campaign("campaign", (Phase("1"),), ("A", "B", "C")))
    home = Home.create(folder, settings=with_store_url(settings, store_url or None, "campaign.toml"))
    with home.open_store() as store:
        with store.transaction() as tx:
            for name in FIGURES:
                tx.figures.add(a_figure(name))
                tx.annotations.add(an_annotation(a_figure(name)))
                other = (a_subfigure(tokens=(4,)),)
                tx.annotations.add(an_annotation(a_figure(name), annotator="ann2", subfigures=other))
        score_disagreement(store, home.campaign)
        for name in NAMES:
            people.add_person(store, name, roles=[Role.REVIEWER], password=PASSWORD)
    return home.path


@pytest.fixture
def server(campaign: Path) -> Iterator[Server]:
    server = Server(campaign)
    server.start()
    yield server
    server.kill()


@pytest.fixture(params=BACKENDS)
def any_store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty store can be made, on each backend."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'store.sqlite'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = f"soak_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")
