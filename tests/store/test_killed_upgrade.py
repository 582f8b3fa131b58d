"""An upgrade that is killed: the store is as it was, or upgraded, and the next one ends it."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from store.test_upgrading import earlier, make_old

from annotator.store.database.engine import open_database
from annotator.store.database.tables import HEAD, VERSION_TABLE
from annotator.store.maintenance.check import check_store
from annotator.store.store import Store

#: Upgrades, and kills itself before the statement of this number.
KILLED = """
import os, sys
from sqlalchemy import event
from sqlalchemy.engine import Engine
from annotator.store.store import Store

left = int(sys.argv[2])

@event.listens_for(Engine, "before_cursor_execute")
def count(*_arguments):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), 9)

Store.open(sys.argv[1]).close()
"""


def state(url: str) -> tuple[str, list[int]]:
    """The store's revision and the numbers of its rows."""
    tables = ("figures", "annotations", "decisions", "predictions", "tasks", "people", "links")
    with closing(open_database(url, create=False)) as database, database.engine.connect() as connection:
        counts = [connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() for table in tables]
        return connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar_one(), counts


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.soak) for part in range(1, 20))])
def test_an_upgrade_killed_at_any_statement_loses_nothing_and_is_ended_by_the_next(
    empty_url: str, part: int
) -> None:
    oldest, *_ = earlier()
    make_old(empty_url, oldest)
    revision, before = state(empty_url)
    at = random.Random(part).randrange(2, 150)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, empty_url, str(at)], cwd=Path(__file__).parents[2], check=False
    )
    assert ended.returncode in (0, -9)
    assert ended.returncode == -9 or at > 40, f"never killed, at statement {at}"
    now, rows = state(empty_url)
    assert now in (revision, HEAD)
    assert rows == before
    Store.open(empty_url).close()
    assert state(empty_url) == (HEAD, before)
    assert list(map(str, check_store(empty_url))) == []
