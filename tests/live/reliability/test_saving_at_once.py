"""Eight reviewers save on the same figures at the same time: nothing is lost, and nobody is overruled unawares."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from reliability.conftest import NAMES, make_campaign
from reliability.saving import FIGURES, Log, Reviewer, Server, check_nothing_lost, check_opens_clean, reviewers

pytestmark = pytest.mark.slow


def test_acknowledged_saves_are_in_the_history_and_conflicts_were_reported(
    any_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Eight saves each; 200 with --soak."""
    each = 200 if request.config.getoption("--soak") else 8
    log = Log()
    in_file = any_store_url.startswith("sqlite")
    campaign = make_campaign(tmp_path / "campaign", monkeypatch, "" if in_file else any_store_url)
    server = Server(campaign)
    server.start()

    def save(person: Reviewer) -> None:
        for _ in range(each):
            person.save_once()

    try:
        people = reviewers(server, NAMES, log)
        with ThreadPoolExecutor(len(people)) as pool:
            list(pool.map(save, people))
    finally:
        server.kill()
    assert log.others == []
    assert len(log.kept) + len(log.conflicts) == each * len(NAMES)
    assert len(log.kept) >= len(FIGURES)
    assert log.conflicts, "eight who save on three figures must meet"
    for figure, loaded, body in log.conflicts:
        # Whoever was too late hears of a decision that came after the one they had.
        assert body["version"] > loaded
        assert body["current"]["version"] == body["version"]
        assert body["current"]["note"] in log.sent
        assert body["conflict"]["merged"]["version"] == body["version"], figure
    check_nothing_lost(campaign, log)
    kept = {(each.figure, each.version) for each in log.kept}
    assert len(kept) == len(log.kept), "two were told that they made the same version"
    if in_file:
        check_opens_clean(campaign)
