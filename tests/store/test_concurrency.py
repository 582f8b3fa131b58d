from __future__ import annotations

import multiprocessing
import os
import threading
from pathlib import Path

import pytest
from builders import a_decision, a_figure, an_annotation

from annotator.store.database import engine
from annotator.store.store import Store
from panelwise.domain.errors import Conflict

SPAWN = multiprocessing.get_context("spawn")
PROCESSES, WRITES = 4, 60


def _count_up(url: str, name: str) -> int:
    """Read, then write, in one transaction: what fails at once when transactions begin deferred."""
    # A writer waits for all the others: on a slow disk longer than in use.
    engine.BUSY_SECONDS = 600
    with Store.open(url) as store:
        for number in range(WRITES):
            with store.transaction() as tx:
                tx.settings.put("count", str(int(tx.settings.get("count") or 0) + 1))
                tx.annotations.add(an_annotation(annotator=name, seeded_by=str(number), minutes=number))
    return WRITES


@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing_and_are_never_locked_out(url: str) -> None:
    with Store.open(url) as store, store.transaction() as tx:
        tx.figures.add(a_figure())
    with SPAWN.Pool(PROCESSES) as pool:
        jobs = [(url, f"ann{number}") for number in range(PROCESSES)]
        assert sum(pool.starmap(_count_up, jobs, chunksize=1)) == PROCESSES * WRITES
    with Store.open(url) as store, store.read() as tx:
        assert tx.settings.get("count") == str(PROCESSES * WRITES)
        for _, name in jobs:
            assert len(tx.annotations.history("f1", name, "1")) == WRITES


def _in_threads(count: int, work: object) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_of_two_decisions_made_at_once_one_is_a_conflict(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
    both = threading.Barrier(2)
    outcomes: list[str] = []

    def decide(number: int) -> None:
        with store.read() as tx:
            assert tx.decisions.get("f1") is None
        both.wait()
        try:
            with store.transaction() as tx:
                tx.decisions.add(a_decision(reviewer=f"rev{number}"))
            outcomes.append("kept")
        except Conflict:
            outcomes.append("conflict")

    _in_threads(2, decide)
    assert sorted(outcomes) == ["conflict", "kept"]
    with store.read() as tx:
        assert len(tx.decisions.history("f1")) == 1


@pytest.mark.slow
def test_threads_share_a_store(store: Store) -> None:
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                with store.transaction() as tx:
                    tx.figures.add(a_figure(f"f{number}-{turn}"))
                with store.read() as tx:
                    assert tx.figures.has(f"f{number}-{turn}")
        except BaseException as problem:
            problems.append(problem)

    _in_threads(12, work)
    assert problems == []
    with store.read() as tx:
        assert tx.figures.count() == 60


def test_a_reader_sees_one_state_while_others_write(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    with store.read() as reading:
        assert reading.figures.count() == 1
        with store.transaction() as tx:
            tx.figures.add(a_figure("f2"))
        assert reading.figures.count() == 1
        assert [figure.id for figure in reading.figures.all()] == ["f1"]
    with store.read() as reading:
        assert reading.figures.count() == 2


@pytest.mark.slow
def test_a_writer_that_waits_sees_what_the_one_before_wrote(store: Store) -> None:
    """What a transaction checks must still hold when it writes."""
    inside = threading.Event()
    seen: list[str | None] = []

    def second(_number: int) -> None:
        inside.wait()
        with store.transaction() as tx:
            seen.append(tx.settings.get("who"))

    thread = threading.Thread(target=second, args=(0,))
    thread.start()
    with store.transaction() as tx:
        inside.set()
        thread.join(0.2)
        tx.settings.put("who", "first")
    thread.join()
    assert seen == ["first"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_uses_connections_of_its_own(store: Store, tmp_path: Path) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("parent"))
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            with store.transaction() as tx:
                tx.figures.add(a_figure("child"))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with store.transaction() as tx:
        assert tx.figures.has("child")
        tx.figures.add(a_figure("parent again"))
        assert tx.figures.count() == 3
