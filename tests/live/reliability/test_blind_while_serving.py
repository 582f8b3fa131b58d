"""A campaign gets a blind phase while its server runs: the figures are hidden from then on, without a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from reliability.commands import Serving, Visitor, annotator
from web.blind_campaign import blind_home
from web.conftest import CHEAP

from annotator.accounts import people
from annotator.campaign.home import Home

pytestmark = pytest.mark.live

#: Everything that shows work on f1, and what is measured on all figures.
SHOWN = ("/figures/f1", "/api/figures/f1", "/figures/f1/history", "/figures/f1/image", "/agreement")


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A campaign in phase 1; rev1 and free are its reviewers."""
    monkeypatch.setattr(people, "_hasher", CHEAP)
    home = blind_home(tmp_path / "campaign")
    with home.open_store() as store, store.transaction() as tx:
        tx.tasks.remove(tx.tasks.all(phase="2"))
    return home


def test_a_phase_that_is_assigned_after_the_server_was_started_is_blind(campaign: Home) -> None:
    settings = campaign.path / "campaign.toml"
    blind = settings.read_text(encoding="utf-8")
    settings.write_text(blind[: blind.rindex("[[phases]]")], encoding="utf-8")
    with Serving(campaign.path) as server:
        rev1, free = Visitor(server.url, "rev1"), Visitor(server.url, "free")
        assert {rev1.get(path)[0] for path in SHOWN} == {200}
        settings.write_text(blind, encoding="utf-8")
        annotator(campaign.path, "assign", "--phase", "2", "--annotators", "rev1")
        assert {path: rev1.get(path)[0] for path in SHOWN} == dict.fromkeys(SHOWN, 403)
        assert {free.get(path)[0] for path in SHOWN} == {200}
        assert "/blind/" in rev1.get("/blind")[1]
        settings.write_text("name = ", encoding="utf-8")  # somebody is in the middle of an edit
        assert {path: rev1.get(path)[0] for path in SHOWN} == dict.fromkeys(SHOWN, 403)
        assert {free.get(path)[0] for path in SHOWN} == {200}
