"""A campaign on PostgreSQL: who saves is killed, and the database is killed; what was acknowledged is there."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import ACKNOWLEDGING, postgres_server
from postgres_server import Server as Database
from reliability.conftest import NAMES, make_campaign
from reliability.saving import Log, Server, check_nothing_lost, reviewers, save_until

from annotator.campaign.home import Home
from annotator.operations.store_check import check_campaign

pytestmark = [pytest.mark.slow, pytest.mark.live]

#: Seconds between two kills, at most.
LIFE = 0.3


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    """A server that acknowledges what it has written, and no sooner."""
    with postgres_server(ACKNOWLEDGING) as server:
        yield server


@pytest.fixture
def campaign(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    name = f"killed_{secrets.token_hex(6)}"
    database.run(f"CREATE DATABASE {name}")
    yield make_campaign(tmp_path / "campaign", monkeypatch, database.url(name))
    database.run(f"DROP DATABASE {name} WITH (FORCE)")


def _times(request: pytest.FixtureRequest, soak: int) -> int:
    return soak if request.config.getoption("--soak") else 3


def _saving(server: Server, log: Log, stop: threading.Event) -> list[threading.Thread]:
    people = reviewers(server, NAMES[:4], log)
    threads = [threading.Thread(target=save_until, args=(stop, person), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    return threads


def _wait_for_a_save(log: Log) -> None:
    before, until = len(log.kept), time.monotonic() + 300
    while len(log.kept) == before:
        assert time.monotonic() < until, f"nothing is saved any more: {log.others[-3:]}"
        time.sleep(0.005)


def test_no_acknowledged_decision_is_lost_when_the_saver_is_killed(
    campaign: Path, server: Server, request: pytest.FixtureRequest
) -> None:
    """Killed 3 times; 100 times with --soak."""
    chance, log, stop = random.Random(20261122), Log(), threading.Event()
    threads = _saving(server, log, stop)
    try:
        for _ in range(_times(request, 100)):
            _wait_for_a_save(log)
            time.sleep(chance.uniform(0, LIFE))
            server.kill()
            check_nothing_lost(campaign, log)
            server.start()
        _wait_for_a_save(log)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert log.others == []
    check_nothing_lost(campaign, log)
    assert _wrong(campaign) == []


def test_no_acknowledged_decision_is_lost_when_the_database_is_killed(
    campaign: Path, server: Server, database: Database, request: pytest.FixtureRequest
) -> None:
    """Killed 3 times; 50 times with --soak. The view itself goes on, and says what is wrong."""
    chance, log, stop = random.Random(20261122), Log(), threading.Event()
    threads = _saving(server, log, stop)
    try:
        for _ in range(_times(request, 50)):
            _wait_for_a_save(log)
            time.sleep(chance.uniform(0, LIFE))
            database.kill()
            # The view may save again as soon as it can: only what was acknowledged by now must be there.
            before = Log(kept=list(log.kept), sent=log.sent)
            database.start()
            check_nothing_lost(campaign, before)
        _wait_for_a_save(log)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert {code for code, _ in log.others} <= {503}, log.others
    check_nothing_lost(campaign, log)
    assert _wrong(campaign) == []


def _wrong(campaign: Path) -> list[str]:
    """Faults of the store; the figures of these tests have no image files."""
    return [str(each) for each in check_campaign(Home.find(campaign)) if each.kind != "image"]
