"""The server is killed while reviewers save: what it acknowledged is there when it comes back."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest
from reliability.conftest import NAMES
from reliability.saving import Log, Server, check_nothing_lost, check_opens_clean, reviewers, save_until

pytestmark = pytest.mark.slow

#: Seconds that the server lives before it is killed, at most.
LIFE = 0.3


def test_no_acknowledged_decision_is_lost_when_the_server_is_killed(
    campaign: Path, server: Server, request: pytest.FixtureRequest
) -> None:
    """Killed 5 times; 500 times with --soak."""
    kills = 500 if request.config.getoption("--soak") else 5
    chance = random.Random(20261121)
    log, stop = Log(), threading.Event()
    people = reviewers(server, NAMES[:4], log)
    threads = [threading.Thread(target=save_until, args=(stop, person), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            _wait_for_a_save(log)
            time.sleep(chance.uniform(0, LIFE))
            server.kill()
            check_opens_clean(campaign)
            check_nothing_lost(campaign, log)
            server.start()
        _wait_for_a_save(log)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert log.others == []
    check_nothing_lost(campaign, log)


def _wait_for_a_save(log: Log) -> None:
    """Until the server that runs now has acknowledged something."""
    before, until = len(log.kept), time.monotonic() + 300
    while len(log.kept) == before:
        assert time.monotonic() < until, f"nothing is saved any more: {log.others[-3:]}"
        time.sleep(0.005)
