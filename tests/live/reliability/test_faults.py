"""Faults of many kinds while reviewers decide: what was acknowledged is there when all is well again.

The server of the adjudication view is killed in `test_killed_server`, PostgreSQL in `test_killed_postgres`, Label
Studio and the way to it in `test_label_studio_faults`. With --soak they are more than 200 in all.
"""

from __future__ import annotations

import random
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from reliability.jumping import JumpingServer
from reliability.load import Seen, Worker, check_all_kept, work_until
from reliability.saving import FIGURES, PATIENCE, Server

from annotator.campaign.home import Home

pytestmark = pytest.mark.slow

#: (with --soak, in the default run).
FULL_DISKS, JUMPS = (20, 2), (20, 3)
#: How the clock jumps first: an hour and a day back. After that at random.
BACK = [timedelta(hours=-1), timedelta(days=-1)]
NAMES = [f"rev{number}" for number in range(4)]
UNLIMITED = resource.RLIM_INFINITY


def number(request: pytest.FixtureRequest, counts: tuple[int, int]) -> int:
    """How many faults this run makes."""
    return counts[0 if request.config.getoption("--soak") else 1]


@contextmanager
def at_work(server: Server, seen: Seen) -> Iterator[None]:
    """Four reviewers who decide as fast as they can, from the first decision that was kept."""
    workers = [Worker(server, name, FIGURES, seen) for name in NAMES]
    for worker in workers:
        worker.sign_in()
    stop = threading.Event()
    threads = [threading.Thread(target=work_until, args=(stop, worker, 0.05), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        wait_for_more(seen)
        yield
        wait_for_more(seen)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def wait_for_more(seen: Seen) -> None:
    """Until a decision was kept after this was asked."""
    before = len(seen.kept)
    wait_until(lambda: len(seen.kept) > before, seen)


def wait_for_more_faults(seen: Seen) -> None:
    """Until three were told after this was asked."""
    before = len(seen.faults)
    wait_until(lambda: len(seen.faults) > before + 2, seen)


def wait_until(happened: Callable[[], bool], seen: Seen) -> None:
    """Until what is bound to happen has happened."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, f"nothing goes on: {seen.faults[-3:]}"
        time.sleep(0.005)


def check(campaign: Path, seen: Seen) -> None:
    """What was acknowledged stands in the store, each once."""
    with Home.find(campaign).open_store() as store:
        assert check_all_kept(store, seen, FIGURES) >= len(seen.kept)
    assert seen.twice == []


def test_a_full_disk_is_told_and_what_was_kept_stays(campaign: Path, request: pytest.FixtureRequest) -> None:
    seen = Seen()
    server = Server(campaign)
    server.start()
    try:
        with at_work(server, seen):
            for _ in range(number(request, FULL_DISKS)):
                # No file of the server's may grow: each write that would fails, as on a full disk.
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (4096, UNLIMITED))
                wait_for_more_faults(seen)
                check(campaign, seen)
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (UNLIMITED, UNLIMITED))
                wait_for_more(seen)
    finally:
        server.kill()
    check(campaign, seen)
    assert {fault.rpartition(" ")[2] for fault in seen.faults} == {"503"}


def test_a_clock_that_jumps_loses_nothing(campaign: Path, request: pytest.FixtureRequest) -> None:
    chance, seen = random.Random(4), Seen()
    server = JumpingServer(campaign)
    server.start()
    try:
        with at_work(server, seen):
            for jump in range(number(request, JUMPS)):
                # Forwards and backwards by turns, by minutes or by years.
                days = chance.choice([0.01, 0.3, 30, 3650]) * (-1 if jump % 2 else 1)
                server.jump(BACK[jump] if jump < len(BACK) else timedelta(days=days))
                wait_for_more(seen)
                check(campaign, seen)
    finally:
        server.kill()
    check(campaign, seen)
    # Sessions that are over by then have to begin anew.
    assert {fault.rpartition(" ")[2] for fault in seen.faults} <= {"401"}
