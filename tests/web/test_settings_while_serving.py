"""Settings that change while the server runs hold from the next request on."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from web.asking import PASSWORD, a_draft, post_login, save
from web.blind_campaign import blind_home
from web.conftest import CHEAP, Client

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.campaign.task_keys import TaskKeys
from annotator.store.store import Store
from annotator.web.app import logs
from annotator.web.factory import create_app
from panelwise.domain.campaign import Task

ADDRESSES = ("/figures/f1", "/api/figures/f1", "/figures/f1/history", "/figures/f1/image", "/agreement")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "_hasher", CHEAP)
        return blind_home(tmp_path_factory.mktemp("blind") / "campaign").path


class Edited:
    """A server that was started before the campaign had a blind phase, and somebody who edits campaign.toml."""

    def __init__(self, home: Home, store: Store) -> None:
        self.file = home.path / "campaign.toml"
        self.blind = self.file.read_text()
        self.before = self.blind[: self.blind.index("[[phases]]", self.blind.index('name = "1"'))]
        self.write(self.before)
        self.app = create_app(Home.find(home.path), store)
        self.app.test_client_class = Client

    def write(self, text: str, *, left_alone: bool = True) -> None:
        self.file.write_text(text)
        if left_alone:
            os.utime(self.file, (0, 0))

    def sign_in(self, name: str) -> FlaskClient:
        client = self.app.test_client()
        assert post_login(client, name, PASSWORD).status_code == 302
        return client


@pytest.fixture
def edited(home: Home, store: Store, monkeypatch: pytest.MonkeyPatch) -> Edited:
    monkeypatch.setattr("annotator.campaign.home.COMPLETE_AFTER", 3600.0)  # however slow the machine is
    return Edited(home, store)


@pytest.mark.parametrize("left_alone", [True, False])
@pytest.mark.slow
def test_a_phase_that_becomes_blind_is_hidden_at_the_next_request(edited: Edited, left_alone: bool) -> None:
    blind, free = edited.sign_in("rev1"), edited.sign_in("free")
    assert {blind.get(address).status_code for address in ADDRESSES} == {200}
    edited.write(edited.blind, left_alone=left_alone)
    assert {blind.get(address).status_code for address in ADDRESSES} == {403}
    assert {free.get(address).status_code for address in ADDRESSES} == {200}
    assert re.findall(r"/figures/(f\d)\b", blind.get("/?show=all").text) == []
    key = TaskKeys(Home.find(edited.file.parent).secret()).of(Task("f1", "rev1", "2"))
    assert f"/blind/{key}" in blind.get("/blind").text


@pytest.mark.parametrize("part", ["", "name = ", '[[phases]]\nname = "2"\n'])
@pytest.mark.slow
def test_no_half_written_settings_open_what_is_blind(edited: Edited, part: str, capfd: Any) -> None:
    """The server never saw the settings that say so: it was not asked anything while they were there."""
    logs.start("")
    blind, free = edited.sign_in("rev1"), edited.sign_in("free")
    edited.write(edited.before + part if part.startswith("[[") else part, left_alone=False)
    for address in ADDRESSES:
        answer = blind.get(address)
        assert answer.status_code == 403
        assert "has just changed" in answer.text.replace("\n", " ")
        assert free.get(address).status_code == 200
    assert re.findall(r"/figures/(f\d)\b", blind.get("/?show=all").text) == []
    broken = not part.startswith("[[")
    assert capfd.readouterr().err.count("campaign.toml has an error") == broken


def test_work_is_kept_while_the_settings_cannot_be_read(edited: Edited, store: Store) -> None:
    free = edited.sign_in("free")
    edited.write("name = ")
    assert save(free, figure="plain").status_code == 200
    with store.read() as tx:
        assert tx.decisions.get("plain") is not None


def test_sessions_and_the_pace_of_saving_follow_the_settings(edited: Edited) -> None:
    client = edited.sign_in("free")
    edited.write(edited.before + "[view]\nwrites_per_minute = 1\n")
    assert [save(client, figure="plain").status_code for _ in range(2)] == [200, 429]
    edited.write(edited.before + "[view]\nwrites_per_minute = 0\nidle_minutes = 1\n")
    answer = client.get("/")
    assert save(client, figure="plain").status_code == 409  # nobody counts
    assert edited.app.permanent_session_lifetime.total_seconds() == 60
    assert answer.status_code == 200


def test_feedback_opens_and_closes_with_the_settings(edited: Edited) -> None:
    client = edited.sign_in("ann")
    assert client.get("/feedback").status_code == 403
    edited.write(edited.before + "[view]\nfeedback = true\n")
    assert client.get("/feedback").status_code == 200
    edited.write(edited.before)
    assert client.get("/feedback").status_code == 403


def test_a_campaign_that_names_another_store_is_not_served_from_the_old_one(edited: Edited, store: Store) -> None:
    client = edited.sign_in("free")
    csrf = client.get("/api/figures/plain").get_json()["csrf"]
    edited.write(edited.before + '[store]\nurl = "sqlite:///elsewhere.sqlite"\n')
    assert client.get("/").status_code == client.get("/api/figures/plain").status_code == 503
    answer = client.post("/api/figures/plain/decision", json=a_draft(), headers={"X-CSRFToken": csrf})
    assert answer.status_code == 503
    ready = edited.app.test_client().get("/ready")
    assert (ready.status_code, ready.get_json()["status"]) == (503, "campaign.toml names another store; restart")
    with store.read() as tx:
        assert tx.decisions.get("plain") is None
    edited.write(edited.before)
    assert client.get("/").status_code == 200
