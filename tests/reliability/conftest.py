from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from builders import a_figure, a_subfigure, an_annotation
from reliability.saving import FIGURES, Server
from web.asking import PASSWORD

from annotator.domain.campaign import Role
from annotator.services import accounts
from annotator.services.home import Home
from annotator.services.queue import score_disagreement

NAMES = [f"rev{number}" for number in range(8)]


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three figures on which two annotators differ, and eight reviewers."""
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    home = Home.create(tmp_path / "campaign")
    with home.open_store() as store:
        with store.transaction() as tx:
            for name in FIGURES:
                tx.add_figure(a_figure(name))
                tx.add_annotation(an_annotation(a_figure(name)))
                other = (a_subfigure(tokens=(4,)),)
                tx.add_annotation(an_annotation(a_figure(name), annotator="ann2", subfigures=other))
        score_disagreement(store, home.campaign)
        for name in NAMES:
            accounts.add_person(store, name, roles=[Role.REVIEWER], password=PASSWORD)
    return home.path


@pytest.fixture
def server(campaign: Path) -> Iterator[Server]:
    server = Server(campaign)
    server.start()
    yield server
    server.kill()
