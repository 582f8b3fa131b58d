"""Reviewers at work for minutes, pushes and pulls beside them: no error, nothing lost, and memory that stays."""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from builders import a_figure, a_subfigure, an_annotation
from reliability.load import (
    ANNOTATOR,
    Late,
    Seen,
    Syncing,
    Worker,
    check_all_kept,
    memory_of,
    sync_until,
    work_until,
)
from reliability.saving import Server
from web.asking import PASSWORD

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from panelwise.domain.campaign import Campaign, Phase, Role
from panelwise.settings.campaign_toml import campaign_text
from panelwise.settings.edit_toml import with_store_url

pytestmark = pytest.mark.slow

FIGURES = [f"f{number:03}" for number in range(200)]
#: With --soak: twenty reviewers for five minutes, who settle a figure every five seconds where people take thirty:
#: what they do in thirty minutes. Without: so few that it is over soon.
SOAK, SHORT = (20, 300.0, 5.0), (6, 4.0, 0.5)
#: Memory may grow by so much of itself between the first and the last quarter of a soak.
DRIFT = 0.05


@pytest.fixture
def crowd(any_store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Figures on which two annotators differ, twenty reviewers, and an annotator whose tasks are pushed."""
    monkeypatch.setattr(accounts, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    settings = campaign_text(Campaign("campaign", (Phase("1"),), ("A", "B", "C")))
    url = None if any_store_url.startswith("sqlite") else any_store_url
    home = Home.create(tmp_path / "campaign", settings=with_store_url(settings, url, "campaign.toml"))
    with home.open_store() as store:
        with store.transaction() as tx:
            figures = [a_figure(name) for name in FIGURES]
            tx.figures.add_many(figures)
            for figure in figures:
                tx.annotations.add(an_annotation(figure))
                other = (a_subfigure(tokens=(4,)),)
                tx.annotations.add(an_annotation(figure, annotator="ann2", subfigures=other))
        score_disagreement(store, home.campaign)
        for number in range(SOAK[0]):
            accounts.add_person(store, f"rev{number:02}", roles=[Role.REVIEWER], password=PASSWORD)
        accounts.add_person(store, ANNOTATOR, roles=[Role.ANNOTATOR], email="ann3@example.org")
    return home


@pytest.fixture
def server(crowd: Home) -> Iterator[Server]:
    server = Server(crowd.path)
    server.start()
    yield server
    server.kill()


def test_a_crowd_works_for_minutes_and_nothing_is_lost(
    crowd: Home, server: Server, request: pytest.FixtureRequest
) -> None:
    soak = request.config.getoption("--soak")
    people, seconds, pace = SOAK if soak else SHORT
    seen, stop, faults = Seen(), threading.Event(), list[str]()
    workers = [Worker(server, f"rev{number:02}", FIGURES, seen) for number in range(people)]
    for worker in workers:
        worker.sign_in()
    held = []
    with crowd.open_store() as store:
        syncing = Syncing(crowd, store, each=20 if soak else 3)
        threads = [
            threading.Thread(target=work_until, args=(stop, worker, pace), daemon=True) for worker in workers
        ]
        threads.append(
            threading.Thread(target=sync_until, args=(stop, syncing, seconds / 30, faults), daemon=True)
        )
        for thread in threads:
            thread.start()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(seconds / 100)
            held.append(memory_of(server))
        stop.set()
        for thread in threads:
            thread.join()
        decisions = check_all_kept(store, seen, FIGURES)
        with store.read() as tx:
            pulled = sum(1 for each in tx.annotations.all(annotator=ANNOTATOR))
    quarter = len(held) // 4
    # The first quarter warms up: pages are compiled, connections made.
    begun, ended = statistics.median(held[quarter : 2 * quarter]), statistics.median(held[-quarter:])
    drift = ended / begun - 1
    late = {what: Late.of(spent) for what, spent in sorted(seen.seconds.items())}
    told = {
        "store": str(crowd.store_location).partition(":")[0].rpartition(".")[2],
        "reviewers": people,
        "seconds": seconds,
        "answers": dict(seen.answers),
        "milliseconds": {what: [each.p50, each.p95, each.p99] for what, each in late.items()},
        "decisions": decisions,
        "rounds of push and pull": syncing.rounds,
        "pulled": pulled,
        "memory": {"mebibytes": round(ended / 2**20, 1), "drift": round(drift, 4)},
    }
    report(told)
    assert (seen.faults, seen.twice, faults) == ([], [], [])
    assert decisions == len(seen.kept) >= people
    assert syncing.rounds > 0
    assert pulled == syncing.submitted
    if soak:
        assert drift < DRIFT


def report(told: dict[str, object]) -> None:
    """A line of JSON, to see with -s; into the file that SOAK_REPORT names too."""
    line = json.dumps(told)
    os.write(1, f"\n{line}\n".encode())
    if path := os.environ.get("SOAK_REPORT"):
        with Path(path).open("a") as file:
            file.write(line + "\n")
