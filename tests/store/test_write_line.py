"""A server's threads that wait to write: a bounded line, which refuses only while another process blocks it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from annotator.store.database import engine
from annotator.store.database.engine import WriteLine
from annotator.store.store import Store
from panelwise.domain.errors import StoreBusy


@contextmanager
def another_writer(file: Path) -> Iterator[None]:
    """Another program's transaction that writes."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_a_full_line_without_progress_refuses_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PATIENCE", 0.0)
    line = WriteLine("store.sqlite", 2)
    with line.place():
        with line.place(), pytest.raises(StoreBusy, match=r"^store\.sqlite: too many writers wait"), line.place():
            raise AssertionError("the line let a third one in")
        with line.place():
            pass


def test_whoever_leaves_the_line_makes_room_for_one_who_waits() -> None:
    line = WriteLine("store.sqlite", 1)
    done: list[int] = []

    def write(number: int) -> None:
        for _ in range(50):
            with line.place():
                done.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 200


def test_a_line_that_failed_is_left_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PATIENCE", 0.0)
    line = WriteLine("store.sqlite", 1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), line.place():
            raise ZeroDivisionError
    with line.place():
        pass


def test_a_write_that_is_not_worth_waiting_for_gives_up_early_and_the_next_waits_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 600)
    file = tmp_path / "store.sqlite"
    with Store.open(file, create=True) as store:
        with (
            another_writer(file),
            pytest.raises(StoreBusy, match="another process has been writing"),
            store.transaction(wait=0.01),
        ):
            raise AssertionError("two wrote at once")
        with store.transaction(wait=0.01) as tx:
            tx.settings.put("written", "yes")
        with store.transaction() as tx:
            assert tx.session.connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 600_000
            assert tx.settings.get("written") == "yes"
