"""A campaign is backed up while reviewers save as fast as they can: each backup is of one moment, and whole."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from reliability.conftest import NAMES, make_campaign
from reliability.saving import FIGURES, Log, Server, check_nothing_lost, reviewers, save_until

from annotator.campaign.home import Home
from annotator.operations.backup import back_up
from annotator.operations.restore import restore
from annotator.operations.store_check import check_campaign
from panelwise.domain.decision import Decision, Reopening

pytestmark = pytest.mark.slow


@pytest.fixture
def campaign(any_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    return make_campaign(tmp_path / "campaign", monkeypatch, any_store_url)


def test_backups_made_under_load_restore_to_what_was_there_when_they_began(
    campaign: Path, server: Server, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Three backups; 100 with --soak. Saving goes on all the while."""
    times = 100 if request.config.getoption("--soak") else 3
    log, stop = Log(), threading.Event()
    people = reviewers(server, NAMES[:4], log)
    threads = [threading.Thread(target=save_until, args=(stop, person), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    made = []
    try:
        for number in range(times):
            _wait_for_saves(log, 5)
            before, path = list(log.kept), tmp_path / f"{number}.zip"
            *_, done = back_up(Home.find(campaign), path, secret=True)
            # These figures have rows and no image files.
            assert [line for line in done.problems if "images" not in line] == []
            made.append((path, before, done.manifest["store"]["rows"]["decisions"]))
        _wait_for_saves(log, 5)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert log.others == []
    check_nothing_lost(campaign, log)
    final = _histories(campaign)
    assert made[-1][2] < sum(map(len, final.values())), "they went on saving"
    for path, before, rows in made:
        folder = path.with_suffix("")
        list(restore(path, folder))
        assert [each for each in check_campaign(Home.find(folder)) if each.kind != "image"] == []
        found = _histories(folder)
        assert sum(map(len, found.values())) == rows
        for figure in FIGURES:
            assert found[figure] == final[figure][: len(found[figure])]
        for kept in before:
            entry = found[kept.figure][kept.version - 1]
            assert (entry.reviewer, entry.note) == (kept.reviewer, kept.note)


def _histories(campaign: Path) -> dict[str, list[Decision | Reopening]]:
    with Home.find(campaign).open_store() as store, store.read() as tx:
        return {figure: tx.decisions.history(figure) for figure in FIGURES}


def _wait_for_saves(log: Log, number: int) -> None:
    wanted, until = len(log.kept) + number, time.monotonic() + 300
    while len(log.kept) < wanted:
        assert time.monotonic() < until, f"nothing is saved any more: {log.others[-3:]}"
        time.sleep(0.005)
